/* SPDX-License-Identifier: Apache-2.0 */
#include "round.h"

#include "read_back.h"

/* ---- reads ---- */

static uint32_t condition_of(const struct syntax *tree, uint32_t node)
{
    switch (tree->kind[node]) {
    case SYN_IF:
    case SYN_WHILE:
    case SYN_ASSERT:
    case SYN_COMP_IF:
        return syntax_first(tree, node);
    case SYN_CONDITIONAL:
        return syntax_child(tree, node, 1);
    default:
        return SYNTAX_NONE;
    }
}

/* A number on the device as index or bound, and a mask: the host must know it. */
static bool indexes_by_device(const struct check *check, uint32_t subscript)
{
    const uint32_t index = syntax_child(check->tree, subscript, 1);
    return ask_any(check, index, ask_gpu_tensor);
}

static bool reads(const struct check *check, uint32_t node)
{
    const uint32_t condition = condition_of(check->tree, node);
    if (condition != SYNTAX_NONE)
        return ask_any(check, condition, ask_gpu_tensor);
    if (syntax_is(check->tree, node, SYN_SUBSCRIPT))
        return indexes_by_device(check, node);
    return read_back_what(check, node) != SYNTAX_NONE;
}

bool round_reads(const struct check *check, uint32_t loop)
{
    return ask_any(check, loop, reads);
}

/* ---- parts of other sizes ---- */

enum { DEEPEST = 3 };

/* The i of `for i in range(n)` and of `for i, x in enumerate(xs)`. */
static bool is_counter(const struct check *check, const struct definition *definition)
{
    const struct syntax *tree = check->tree;
    if (definition->kind != DEFINED_FOR || definition->value == SYNTAX_NONE)
        return false;
    if (syntax_calls(tree, definition->value, S("range")))
        return true;
    const uint32_t target = tree->parent[definition->name];
    return syntax_calls(tree, definition->value, S("enumerate")) && syntax_is(tree, target, SYN_TUPLE) &&
           syntax_first(tree, target) == definition->name && !syntax_is(tree, tree->parent[target], SYN_TUPLE);
}

static bool brings_length(const struct check *check, uint32_t node, uint32_t loop, int depth);

static bool name_brings_length(const struct check *check, uint32_t name, uint32_t loop, int depth)
{
    if (!flow_changes(check->project, check_site(check, name), loop))
        return false;
    const struct definition *definition = flow_definition(check->project, check_site(check, name));
    if (!definition || definition->kind == DEFINED_CHANGE)
        return false; /* a place that grows from round to round, by what the other bound says */
    if (definition->kind != DEFINED_ASSIGN || definition->value == SYNTAX_NONE || depth == DEEPEST)
        return definition->kind == DEFINED_FOR && !is_counter(check, definition);
    return brings_length(check, definition->value, loop, depth + 1);
}

/* Whether a name in the expression changes from round to round by anything but the count of rounds. */
static bool brings_length(const struct check *check, uint32_t node, uint32_t loop, int depth)
{
    for (uint32_t at = node; at < syntax_last(check->tree, node); at++)
        if (syntax_is(check->tree, at, SYN_NAME) && !syntax_is_member_name(check->tree, at) &&
            name_brings_length(check, at, loop, depth))
            return true;
    return false;
}

bool round_cuts(const struct check *check, uint32_t loop)
{
    for (uint32_t at = loop; at != SYNTAX_NONE; at = loop_next(check->tree, loop, at)) {
        if (!syntax_is(check->tree, at, SYN_SUBSCRIPT) || !ask_gpu_tensor(check, syntax_first(check->tree, at)))
            continue;
        const uint32_t index = syntax_child(check->tree, at, 1);
        for (uint32_t part = index_first(check->tree, index); part != SYNTAX_NONE;
             part = index_next(check->tree, index, part))
            if (syntax_is(check->tree, part, SYN_SLICE) && brings_length(check, part, loop, 0))
                return true;
    }
    return false;
}

/* ---- functions for one row ---- */

/* Functions of the host that keep or show what they get are none, nor are torch's: these take all rows at once. */
static bool may_work_on_one(const struct check *check, uint32_t call)
{
    const struct site site = check_site(check, call);
    if (name_target(check->project, site) != SYNTAX_NONE)
        return true;
    const uint32_t receiver = ask_receiver(check, call);
    const struct value *object = ask_value(check, receiver);
    const bool method = object->kind == VALUE_INSTANCE || object->kind == VALUE_MODULE;
    return (receiver == SYNTAX_NONE || object->kind == VALUE_IMPORT || method) &&
           !name_under(check->project, site, "torch.") && ask_value(check, call)->kind == VALUE_UNKNOWN;
}

bool round_hands_on(const struct check *check, uint32_t loop)
{
    for (uint32_t at = loop; at != SYNTAX_NONE; at = loop_next(check->tree, loop, at)) {
        if (!syntax_is(check->tree, at, SYN_CALL) || !may_work_on_one(check, at))
            continue;
        const uint32_t list = syntax_child(check->tree, at, 1);
        for (uint32_t a = syntax_first(check->tree, list); a != SYNTAX_NONE; a = syntax_next(check->tree, a))
            if (ask_gpu_tensor(check, syntax_is(check->tree, a, SYN_KEYWORD) ? syntax_child(check->tree, a, 1) : a) &&
                loop_varies(check, a, loop))
                return true;
    }
    return false;
}

/* ---- sizes ---- */

bool round_asks_sizes(const struct check *check, uint32_t loop)
{
    if (syntax_is(check->tree, loop, SYN_FOR) || syntax_is(check->tree, loop, SYN_WHILE))
        return false;
    const uint32_t element = syntax_first(check->tree, loop);
    const struct value *value = ask_value(check, element);
    return syntax_calls(check->tree, element, S("len")) || value->kind == VALUE_SHAPE ||
           (value->kind == VALUE_INT && read_back_what(check, element) == SYNTAX_NONE);
}
