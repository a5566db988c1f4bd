/* SPDX-License-Identifier: Apache-2.0 */
#include "causes.h"

#include "rules/ask/ask.h"
#include "rules/waits/measured.h"
#include "rules/uploads/number.h"
#include "rules/waits/read_back.h"
#include "source/known/known_words.h"

enum { BETWEEN = 8 }; /* statements from one place to the next: neighbours */

/* ---- what is between ---- */

static bool runs_on_device(const struct check *check, uint32_t node)
{
    switch (check->tree->kind[node]) {
    case SYN_BINARY:
    case SYN_UNARY:
    case SYN_COMPARE:
    case SYN_SUBSCRIPT:
        return ask_gpu_tensor(check, node);
    default:
        return false;
    }
}

/* Functions and methods of the host that neither launch nor wait: print, len, losses.append. */
static bool is_host_call(const struct check *check, uint32_t call)
{
    const uint32_t receiver = ask_receiver(check, call);
    const enum value_kind kind = receiver == SYNTAX_NONE ? VALUE_UNKNOWN : ask_value(check, receiver)->kind;
    if (read_back_what(check, call) != SYNTAX_NONE)
        return true;
    if (kind == VALUE_TENSOR || kind == VALUE_BATCH || kind == VALUE_MODULE || kind == VALUE_OPTIMIZER)
        return false;
    return known_word(receiver == SYNTAX_NONE ? WORDS_HOST_FUNCTIONS : WORDS_HOST_METHODS, ask_tail(check, call));
}

static bool is_host_code(const struct check *check, uint32_t statement)
{
    enum { SHORT = 200 }; /* nodes */
    if (check->tree->size[statement] > SHORT)
        return false;
    for (uint32_t node = statement; node < syntax_last(check->tree, statement); node++)
        if (runs_on_device(check, node) || (syntax_is(check->tree, node, SYN_CALL) && !is_host_call(check, node)))
            return false;
    return true;
}

/*
 * `with torch.no_grad():` runs on as if it were not there: the statement of the block around it, where only the host's
 * code precedes in it.
 */
static uint32_t out_of_with(const struct check *check, uint32_t statement)
{
    const struct syntax *tree = check->tree;
    const uint32_t block = tree->parent[statement], with = tree->parent[block];
    if (!syntax_is(tree, block, SYN_BLOCK) || !syntax_is(tree, with, SYN_WITH))
        return SYNTAX_NONE;
    uint32_t passed = 0;
    for (uint32_t at = syntax_first(tree, block); at != statement; at = syntax_next(tree, at), passed++)
        if (passed == BETWEEN || !is_host_code(check, at))
            return SYNTAX_NONE;
    return with;
}

/* Whether the second statement follows the first in its block with nothing but the host's code between. */
static bool are_neighbours(const struct check *check, uint32_t first, uint32_t second)
{
    const struct syntax *tree = check->tree;
    if (first == second)
        return true;
    if (tree->parent[first] != tree->parent[second]) {
        second = out_of_with(check, second);
        if (second == SYNTAX_NONE || tree->parent[first] != tree->parent[second])
            return false;
    }
    uint32_t at = syntax_next(tree, first);
    for (int passed = 0; at != second; passed++, at = syntax_next(tree, at))
        if (at == SYNTAX_NONE || passed == BETWEEN || !is_host_code(check, at))
            return false;
    return true;
}

/* ---- what is alike ---- */

static bool is_one_of(const struct match *match, const char *const *ids)
{
    for (; *ids; ids++)
        if (strcmp(match->rule->id, *ids) == 0)
            return true;
    return false;
}

static bool is_read(const struct match *match)
{
    static const char *const ids[] = {"ST401", "ST403", "ST404", "ST409", NULL};
    return is_one_of(match, ids);
}

/* `synchronize(); start = time()` and `synchronize(); took = time() - start`: one measurement. */
static bool is_of_measurement(const struct check *check, const struct match *match)
{
    static const char *const ids[] = {"ST606", NULL};
    return is_one_of(match, ids) && syntax_calls(check->tree, match->node, S("synchronize")) &&
           measured_there(check, match->node);
}

static bool is_copy_of_batch(const struct match *match)
{
    static const char *const ids[] = {"ST602", NULL};
    return is_one_of(match, ids) && match->upload;
}

/* The zeros of a file for what is not asked for: who writes one so writes all so. */
static bool is_number(const struct check *check, const struct match *match)
{
    static const char *const ids[] = {"ST601", NULL};
    return is_one_of(match, ids) && number_uploaded(check, match->node) != SYNTAX_NONE;
}

/* The mask of `x[mask]` and `x[mask, :]`, where it is a name. */
static uint32_t mask_of(const struct check *check, const struct match *match)
{
    const struct syntax *tree = check->tree;
    if (!syntax_is(tree, match->node, SYN_SUBSCRIPT))
        return SYNTAX_NONE;
    const uint32_t index = syntax_child(tree, match->node, 1);
    const uint32_t first = syntax_is(tree, index, SYN_TUPLE) ? syntax_first(tree, index) : index;
    return syntax_is(tree, first, SYN_NAME) ? first : SYNTAX_NONE;
}

/* `x[mask]` beside `y[mask]`: one look for the places of the mask serves both. */
static bool asks_same_mask(const struct check *check, const struct match *first, const struct match *second,
                           uint32_t from, uint32_t to)
{
    static const char *const ids[] = {"ST406", NULL};
    if (!is_one_of(first, ids) || !is_one_of(second, ids) || check->tree->parent[from] != check->tree->parent[to])
        return false;
    const uint32_t a = mask_of(check, first), b = mask_of(check, second);
    return a != SYNTAX_NONE && b != SYNTAX_NONE && syntax_same(check->tree, a, check->tree, b) &&
           flow_definition(check->project, check_site(check, a)) ==
               flow_definition(check->project, check_site(check, b));
}

/* Of a read that launches much itself the wait is its own: model(x).mean().item() */
static bool reads_what_is_there(const struct check *check, const struct match *match)
{
    for (uint32_t node = match->node; node < syntax_last(check->tree, match->node); node++) {
        if (!syntax_is(check->tree, node, SYN_CALL) || is_host_call(check, node))
            continue;
        const uint32_t receiver = ask_receiver(check, node);
        if (receiver == SYNTAX_NONE || (ask_value(check, receiver)->kind != VALUE_TENSOR &&
                                        !name_under(check->project, check_site(check, node), "torch.")))
            return false;
    }
    return true;
}

/* Whether what the finding says of `first` says all there is to say of `second`. */
static bool is_same_cause(const struct check *check, const struct match *cause, const struct match *last,
                          const struct match *second)
{
    const uint32_t from = syntax_statement(check->tree, last->node), to = syntax_statement(check->tree, second->node);
    if (second->level > cause->level || cause->function != second->function)
        return false;
    if (cause->rule == second->rule && from == to)
        return true;
    if (asks_same_mask(check, last, second, from, to))
        return true;
    if (is_of_measurement(check, cause) && is_of_measurement(check, second))
        return true;
    if (is_read(cause) && is_read(second))
        return are_neighbours(check, from, to) && reads_what_is_there(check, second);
    return is_copy_of_batch(cause) && is_copy_of_batch(second) && are_neighbours(check, from, to);
}

/* ---- joining ---- */

/* Causes, and the last place of each by the number of its first. */
struct joining {
    const struct check *check;
    struct matches matches;
    struct match **last;
};

static struct match *last_of(const struct joining *joining, const struct match *cause)
{
    return joining->last[cause - joining->matches.at];
}

static void begin(struct joining *joining, struct match *cause)
{
    joining->last[cause - joining->matches.at] = cause;
}

static void add(struct joining *joining, struct match *cause, struct match *place)
{
    last_of(joining, cause)->also = place;
    place->cause = cause;
    joining->last[cause - joining->matches.at] = place;
}

/*
 * The causes that a match may belong to are those right before it: behind these there is other code between. A part of
 * what one cause is, and no limit: all places are told, only as one finding or as two.
 */
enum { LOOKED_BACK = 6 };

static bool joins_one_of(struct joining *joining, struct match *const *recent, struct match *match)
{
    for (uint32_t i = 0; i < LOOKED_BACK; i++)
        if (recent[i] && is_same_cause(joining->check, recent[i], last_of(joining, recent[i]), match)) {
            add(joining, recent[i], match);
            return true;
        }
    return false;
}

/* Numbers of a file are one cause wherever they stand; a note tells of no warning. */
static bool joins_numbers(struct joining *joining, struct match **numbers, struct match *match)
{
    if (!is_number(joining->check, match))
        return false;
    if (*numbers && match->level <= (*numbers)->level) {
        add(joining, *numbers, match);
    } else {
        begin(joining, match);
        *numbers = match;
    }
    return true;
}

/* A wait that another one speaks for is a place of it, however much of the host's code stands between. */
static bool joins_its_wait(struct joining *joining, struct match *match)
{
    if (!match->joined_to || match->joined_to >= match)
        return false;
    const struct match *speaks = match->joined_to->cause ? match->joined_to->cause : match->joined_to;
    if (match->level > speaks->level)
        return false;
    add(joining, &joining->matches.at[speaks - joining->matches.at], match);
    return true;
}

void causes_join(const struct check *check, struct matches matches)
{
    struct joining joining = {check, matches, arena_array(check->arena, matches.count, sizeof *joining.last)};
    struct match *recent[LOOKED_BACK] = {0}, *numbers = NULL;
    for (uint32_t i = 0, next = 0; i < matches.count; i++) {
        struct match *match = &matches.at[i];
        if (joins_its_wait(&joining, match) || joins_numbers(&joining, &numbers, match) ||
            joins_one_of(&joining, recent, match))
            continue;
        begin(&joining, match);
        recent[next++ % LOOKED_BACK] = match;
    }
}

enum fix_kind causes_fix(const struct match *match)
{
    enum fix_kind best = FIX_NONE;
    for (; match; match = match->also)
        if (best == FIX_NONE || match->fix == FIX_SAFE)
            best = match->fix;
    return best;
}

void causes_leave_out(struct matches matches, const bool *left_out)
{
    for (uint32_t i = 0; i < matches.count; i++) {
        struct match *cause = NULL, *last = NULL;
        if (matches.at[i].cause)
            continue;
        for (struct match *at = &matches.at[i], *next; at; at = next) {
            next = at->also;
            at->cause = at->also = NULL;
            if (left_out[at - matches.at])
                continue;
            at->cause = cause;
            if (last)
                last->also = at;
            else
                cause = at;
            last = at;
        }
    }
}
