/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include "source/flow/asks.h"

uint32_t number_made_tensor(const struct check *check, uint32_t call)
{
    if (!ask_named(check, call, "torch.tensor") && !ask_named(check, call, "torch.as_tensor"))
        return SYNTAX_NONE;
    const uint32_t data = syntax_argument(check->tree, call, 0, "data");
    const enum value_kind kind = (enum value_kind)ask_value(check, data)->kind;
    return kind == VALUE_INT || kind == VALUE_FLOAT || kind == VALUE_BOOL ? data : SYNTAX_NONE;
}

uint32_t number_uploaded(const struct check *check, uint32_t call)
{
    const uint32_t data = number_made_tensor(check, call);
    const bool named = data != SYNTAX_NONE && syntax_argument(check->tree, call, UINT32_MAX, "device") != SYNTAX_NONE;
    return named && ask_gpu_tensor(check, call) ? data : SYNTAX_NONE;
}

/* `mask is None` asks who calls, not what the data are like. */
static bool asks_for_none(const struct check *check, uint32_t node)
{
    const uint8_t op = check->tree->op[node];
    return syntax_is(check->tree, node, SYN_COMPARE) && (op == OP_IS || op == OP_IS_NOT);
}

/* A size, a step, or a comparison of values; not what type they have, nor where they lie. */
static bool is_of_data(const struct check *check, uint32_t node)
{
    const enum syntax_kind kind = check->tree->kind[node];
    const struct value *value = ask_value(check, node);
    if ((kind == SYN_NAME || kind == SYN_ATTRIBUTE) && known_word(WORDS_COUNT, syntax_tail(check->tree, node)))
        return true;
    return value->kind == VALUE_SHAPE || (kind == SYN_COMPARE && value_is_tensor(value)) ||
           calls_one_of(check->tree, node, WORDS_SIZE_OF_DATA);
}

/* The test of such a branch around the node; SYNTAX_NONE. */
static uint32_t asked_of_data(const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    const uint32_t function = syntax_function(tree, node);
    for (uint32_t at = tree->parent[node]; at && at != function; at = tree->parent[at]) {
        const bool one_line = tree->kind[at] == SYN_CONDITIONAL;
        if (tree->kind[at] != SYN_IF && !one_line)
            continue;
        const uint32_t test = syntax_child(tree, at, one_line ? 1 : 0);
        if (!syntax_inside(tree, node, test) && ask_any(check, test, is_of_data) &&
            !ask_any(check, test, asks_for_none))
            return test;
    }
    return SYNTAX_NONE;
}

void number_break_aside(const struct check *check, uint32_t node, struct match *match)
{
    const uint32_t test = asked_of_data(check, node);
    if (test != SYNTAX_NONE)
        match_break(match, LINK_PACE, "it runs only where the data or the step ask for it", check_site(check, test));
}
