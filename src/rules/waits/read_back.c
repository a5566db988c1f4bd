/* SPDX-License-Identifier: Apache-2.0 */
#include "read_back.h"

#include "source/known/known_words.h"

static bool is_conversion(const struct check *check, uint32_t call)
{
    const str tail = ask_tail(check, call);
    return known_word(WORDS_CONVERSIONS, tail) && syntax_is(check->tree, syntax_first(check->tree, call), SYN_NAME) &&
           name_is(check->project, check_site(check, call), str_z(check->arena, tail));
}

/* A wrapper's own `.cpu()` is told of where the wrapper is called, not inside. */
static bool in_wrapper(const struct check *check, uint32_t call)
{
    const struct summary *summary = ask_summary_around(check, call);
    return summary && summary->download_wrapper;
}

static bool holds_gpu_tensor(const struct value *value)
{
    while (value_is_container(value)) /* values nest no deeper than they are told apart */
        value = value_item(value);
    return value_gpu_tensor(value);
}

uint32_t read_back_what(const struct check *check, uint32_t call)
{
    if (!syntax_is(check->tree, call, SYN_CALL))
        return SYNTAX_NONE;
    const str tail = ask_tail(check, call);
    uint32_t what = SYNTAX_NONE;
    bool whatever = false; /* a library reads all tensors that it holds */
    if (known_word(WORDS_READ_ITEMS, tail))
        what = ask_receiver(check, call);
    else if (is_conversion(check, call))
        what = syntax_argument(check->tree, call, 0, NULL);
    else {
        const struct move_info move = value_move(check->project, check_site(check, call));
        if (move.move != MOVE_DOWNLOAD || move.is_module || (!move.wrapper && !known_word(WORDS_MOVE_TO_HOST, tail)))
            return SYNTAX_NONE;
        what = move.what;
        whatever = move.library;
    }
    return what != SYNTAX_NONE && (whatever || holds_gpu_tensor(ask_value(check, what))) ? what : SYNTAX_NONE;
}

/* ---- the kinds ---- */

/* torch.distributed.all_reduce(x): what comes back is not what was uploaded. */
static bool is_exchanged(const struct check *check, const struct definition *definition, uint32_t before)
{
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = flow_uses(check->project, check->file, definition, uses, FLOW_MOST_USES);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++) {
        const uint32_t list = check->tree->parent[uses[i]];
        if (uses[i] < before && syntax_is(check->tree, list, SYN_ARGUMENTS) &&
            name_under(check->project, check_site(check, check->tree->parent[list]), "torch.distributed."))
            return true;
    }
    return count > FLOW_MOST_USES;
}

/* `x = x.cuda(); ... x[0].item()`: x is what was uploaded, or a part of it, in this function, and nobody changed it. */
static bool is_echo(const struct check *check, uint32_t what)
{
    if (!value_has(ask_value(check, what), VALUE_UPLOADED))
        return false;
    const uint32_t root = ask_root(check, what);
    if (!syntax_is(check->tree, root, SYN_NAME))
        return false;
    const struct definition *definition = flow_definition(check->project, check_site(check, root));
    if (!definition || definition->kind != DEFINED_ASSIGN || definition->unpacked || definition->value == SYNTAX_NONE)
        return false;
    if (is_exchanged(check, definition, what))
        return false;
    const struct move_info move = value_move(check->project, check_site(check, definition->value));
    return move.move == MOVE_UPLOAD && move.what != SYNTAX_NONE && !move.is_module;
}

/* Plain reads of one value: what k of them in a row can be made one read. */
static bool is_scalar_read(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_CALL) && !syntax_calls(check->tree, node, S("tolist")) &&
           (known_word(WORDS_READ_ITEMS, ask_tail(check, node)) || is_conversion(check, node)) &&
           read_back_what(check, node) != SYNTAX_NONE;
}

static bool is_compound(const struct check *check, uint32_t statement)
{
    const enum syntax_kind kind = check->tree->kind[statement];
    return kind == SYN_IF || kind == SYN_FOR || kind == SYN_WHILE || kind == SYN_TRY || kind == SYN_FUNCTION ||
           kind == SYN_CLASS || kind == SYN_MATCH || kind == SYN_WITH || kind == SYN_DECORATED;
}

/* Whether several scalar reads stand in the same block, not in blocks within it. */
static bool reads_several(const struct check *check, uint32_t block)
{
    uint32_t count = 0;
    for (uint32_t at = syntax_first(check->tree, block); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        for (uint32_t node = at; !is_compound(check, at) && node < syntax_last(check->tree, at); node++)
            if (is_scalar_read(check, node) && ++count > 1)
                return true;
    return false;
}

static bool backward_follows(const struct check *check, uint32_t statement)
{
    uint32_t from = syntax_last(check->tree, statement);
    const uint32_t to = syntax_last(check->tree, check->tree->parent[statement]);
    return syntax_call_from(check->tree, S("backward"), &from, to) != SYNTAX_NONE;
}

/* Only where a training step goes by; sums are deferred as a whole (ST401), whatever stands beside them. */
static bool is_scattered(const struct check *check, uint32_t call, uint32_t fate)
{
    const struct context context = context_of(check->project, check_site(check, call));
    if (context.pace != PACE_STEP || context.inner || context.gate != GATE_NONE || fate & FATE_SUM)
        return false;
    const uint32_t statement = syntax_statement(check->tree, call);
    if (is_compound(check, statement) || !is_scalar_read(check, call))
        return false;
    return reads_several(check, check->tree->parent[statement]) || backward_follows(check, statement);
}

/* loss.cpu().item(): the copy is of one number. */
static bool is_one_number(const struct check *check, uint32_t call)
{
    const uint32_t attribute = check->tree->parent[call];
    return syntax_is(check->tree, attribute, SYN_ATTRIBUTE) && str_eq(syntax_tail(check->tree, attribute), S("item"));
}

enum read_back read_back_of(const struct check *check, uint32_t call)
{
    const uint32_t what = read_back_what(check, call);
    if (what == SYNTAX_NONE || in_wrapper(check, call))
        return READ_NONE;
    const uint32_t fate = flow_fate(check->project, check_site(check, call));
    if (fate == FATE_NONE)
        return READ_DEAD;
    if (fate & FATE_UPLOAD)
        return READ_TRIP;
    if (is_echo(check, what))
        return READ_ECHO;
    if (is_scattered(check, call, fate))
        return READ_SCATTERED;
    const bool scalar = known_word(WORDS_READ_ITEMS, ask_tail(check, call)) || is_conversion(check, call);
    return scalar || is_one_number(check, call) ? READ_SCALAR : READ_WHOLE;
}
