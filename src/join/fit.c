/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include "syntax/syntax.h"
#include "source/known/known_words.h"

/* By id, or the beginning of one; the first that fits. */
static const struct {
    const char *rule;
    struct showing showing;
} table[] = {
    {"ST101", {SHOWS_READ | SHOWS_LOOP, SPARES_ROUNDS}},
    {"ST102", {SHOWS_LOOP, SPARES_ROUNDS}},
    {"ST103", {SHOWS_JOINING, SPARES_ALL}},
    {"ST1", {SHOWS_READ, SPARES_ALL}},
    {"ST201", {SHOWS_UPLOAD, SPARES_BUILD}},
    {"ST302", {SHOWS_PREPARATION, SPARES_HOST}},
    {"ST303", {SHOWS_PREPARATION, SPARES_HOST}},
    {"ST3", {SHOWS_READ | SHOWS_UPLOAD, SPARES_ALL}},
    {"ST410", {SHOWS_READ | SHOWS_SYNC, SPARES_ALL}},
    {"ST4", {SHOWS_READ, SPARES_ALL}},
    {"ST501", {SHOWS_UPLOAD, SPARES_ALL}},
    {"ST502", {SHOWS_UPLOAD, SPARES_WAIT}},
    {"ST503", {SHOWS_UPLOAD, SPARES_ALL}},
    {"ST601", {SHOWS_UPLOAD, SPARES_ALL}},
    {"ST603", {SHOWS_UPLOAD, SPARES_HALF}},
    {"ST604", {SHOWS_LOADER, SPARES_HOST}},
    {"ST606", {SHOWS_SYNC, SPARES_ALL}},
    {"ST6", {SHOWS_UPLOAD, SPARES_WAIT}},
};

struct showing showing_of(const struct rule *rule)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (str_starts(str_of(rule->id), str_of(table[i].rule)))
            return table[i].showing;
    return (struct showing){0, SPARES_UNKNOWN};
}

/* ---- moves ---- */

static bool has_operator(const struct trace *trace, uint32_t row, const char *const *names)
{
    for (uint32_t at = trace_operator(trace, row); at != ROW_NONE; at = trace->parent[at])
        for (size_t i = 0; names[i]; i++)
            if (str_eq(trace_name(trace, at), str_of(names[i])))
                return true;
    return false;
}

unsigned move_shows(const struct trace *trace, const struct move *move)
{
    static const char *const reading[] = {"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero", NULL};
    static const char *const joining[] = {"aten::cat", "aten::_cat", "aten::stack", NULL};
    if (move->direction == COPY_D2H)
        return SHOWS_READ;
    if (move->direction == COPY_H2D)
        return SHOWS_UPLOAD;
    if (move->direction == COPY_D2D)
        return has_operator(trace, move_row(move), joining) ? SHOWS_JOINING : 0;
    if (move_is_copy(move))
        return 0;
    return has_operator(trace, move_row(move), reading) ? SHOWS_READ : SHOWS_SYNC;
}

uint32_t moving_row(const struct trace *trace, uint32_t call)
{
    static const char *const moving[] = {
        "aten::copy_",      "aten::_to_copy",   "aten::to",  "aten::item", "aten::_local_scalar_dense",
        "aten::is_nonzero", "aten::lift_fresh", "aten::cpu", "aten::cuda", NULL};
    uint32_t outer = call;
    for (uint32_t at = trace->parent[call]; at != ROW_NONE; at = trace->parent[at]) {
        bool moves = false;
        for (size_t i = 0; moving[i] && !moves; i++)
            moves = str_eq(trace_name(trace, at), str_of(moving[i]));
        if (!moves)
            break;
        outer = at;
    }
    return outer;
}

/* ---- names ---- */

/* Python gives these no frame of their own: they ask the object, and the operator runs in the function itself. */
static bool has_no_frame(str builtin)
{
    return !builtin.len || known_word(WORDS_NO_FRAME, builtin);
}

bool match_lies_on(const struct match *match, const struct syntax *tree, int64_t line)
{
    return syntax_place(tree, match->begin).line <= line && line <= syntax_place(tree, match->end).line;
}

static bool names_agree(const struct match *match, const struct place *place)
{
    return match->builtin.len && (str_eq(match->builtin, place->callee.name) || str_eq(match->builtin, place->builtin));
}

static enum fit fit_by_order(const struct match *match, uint32_t calls, const struct place *place)
{
    if (calls == 1)
        return FIT_CONFIRMED;
    if (place->order == ORDER_NONE || place->of != calls)
        return FIT_FUNCTION; /* in a loop, or behind a condition */
    return place->order == match->order ? FIT_CONFIRMED : FIT_NONE;
}

enum fit fit_of(const struct match *match, const struct syntax *tree, uint32_t calls, const struct place *place)
{
    if (place->line >= 0)
        return match_lies_on(match, tree, place->line) ? FIT_CONFIRMED : FIT_NONE;
    if (names_agree(match, place))
        return fit_by_order(match, calls, place);
    const bool asked = place->callee.kind == FRAME_OTHER || known_word(WORDS_ASKED_OF_OBJECT, place->callee.name);
    return asked && has_no_frame(match->builtin) ? FIT_FUNCTION : FIT_NONE;
}

/* ---- moves that no match explains ---- */

static const char *rule_of_read(const struct move_group *group, const struct trace *trace, const struct move *example)
{
    static const char *const deciding[] = {"aten::is_nonzero", "aten::equal", NULL};
    if (group_has(group, PATTERN_DYNAMIC_SHAPE))
        return "ST406";
    if (has_operator(trace, move_row(example), deciding))
        return "ST402";
    if (group_has(group, PATTERN_SCALAR))
        return group_has(group, PATTERN_LOOP) ? "ST101" : "ST401";
    return group_has(group, PATTERN_ROUND_TRIP) ? "ST301" : "ST404";
}

static const char *rule_of_upload(const struct move_group *group, const struct trace *trace, const struct move *example)
{
    static const char *const indexing[] = {"aten::index", "aten::_index_put_impl_", "aten::index_put_", NULL};
    if (has_operator(trace, move_row(example), indexing))
        return "ST503";
    return group_has(group, PATTERN_MANY_SMALL) ? "ST502" : "ST602";
}

const char *rule_of_group(const struct move_group *group, const struct trace *trace, const struct move *example)
{
    switch (move_shows(trace, example)) {
    case SHOWS_READ:
        return rule_of_read(group, trace, example);
    case SHOWS_UPLOAD:
        return rule_of_upload(group, trace, example);
    case SHOWS_SYNC:
        return "ST606";
    case SHOWS_JOINING:
        return group_has(group, PATTERN_GROWING) ? "ST103" : NULL;
    default:
        return NULL;
    }
}
