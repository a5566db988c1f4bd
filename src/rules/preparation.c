/* SPDX-License-Identifier: Apache-2.0 */
#include "preparation.h"

static bool is_loop(enum syntax_kind kind)
{
    return kind == SYN_FOR || kind == SYN_LIST_COMP || kind == SYN_DICT_COMP || kind == SYN_SET_COMP ||
           kind == SYN_GENERATOR;
}

/* What runs each round of the loop: the block, or the element. */
static uint32_t body_of(const struct syntax *tree, uint32_t loop)
{
    return syntax_child(tree, loop, tree->kind[loop] == SYN_FOR ? 2 : 0);
}

static uint32_t iterable_of(const struct syntax *tree, uint32_t loop)
{
    return tree->kind[loop] == SYN_FOR ? syntax_child(tree, loop, 1)
                                       : syntax_child(tree, syntax_child(tree, loop, 1), 1);
}

/* Anything that belongs to the model or the device: then the loop is a part of the step's work, not its preparation. */
static bool touches_model(const struct check *check, uint32_t node)
{
    const struct value *value = ask_value(check, node);
    switch (value->kind) {
    case VALUE_TENSOR:
    case VALUE_BATCH:
    case VALUE_MODULE:
    case VALUE_LOSS:
    case VALUE_OPTIMIZER:
    case VALUE_LOADER:
    case VALUE_WRITER:
        return true;
    default:
        return check->tree->kind[node] == SYN_CALL &&
               (ask_named(check, node, "print") || name_under(check->project, check_site(check, node), "torch."));
    }
}

static bool is_array_call(const struct check *check, uint32_t node)
{
    return check->tree->kind[node] == SYN_CALL && (name_under(check->project, check_site(check, node), "numpy.") ||
                                                   name_under(check->project, check_site(check, node), "scipy."));
}

/* A function of the run that loops itself, or an inner loop, or a call into NumPy: more than a look-up a round. */
static bool works(const struct check *check, uint32_t node)
{
    if (is_loop(check->tree->kind[node]) || is_array_call(check, node))
        return true;
    if (check->tree->kind[node] != SYN_CALL)
        return false;
    const uint32_t target = name_target(check->project, check_site(check, node));
    if (target == SYNTAX_NONE)
        return false;
    const struct function *function = project_function(check->project, target);
    const struct syntax *tree = project_tree(check->project, function->file);
    for (uint32_t at = function->node; at < syntax_last(tree, function->node); at++)
        if (is_loop(tree->kind[at]))
            return true;
    return false;
}

/* Values read back were waited for already, and what is done with them is another rule's matter (ST404). */
static bool goes_over_data(const struct check *check, uint32_t iterable)
{
    const struct value *value = ask_value(check, iterable);
    if (value_has(value, VALUE_DOWNLOADED) || value_has(value_item(value), VALUE_DOWNLOADED))
        return false;
    switch (value->kind) {
    case VALUE_TENSOR:
    case VALUE_MODULE:
    case VALUE_LOADER:
    case VALUE_BATCH:
    case VALUE_OTHER:
    case VALUE_SHAPE:
    case VALUE_STR:
        return false;
    default:
        return true;
    }
}

static bool fits(const struct check *check, uint32_t loop)
{
    const uint32_t body = body_of(check->tree, loop);
    return goes_over_data(check, iterable_of(check->tree, loop)) && ask_any(check, body, works) &&
           !ask_any(check, body, touches_model);
}

static bool inside_another(const struct check *check, uint32_t loop)
{
    for (uint32_t at = check->tree->parent[loop]; at; at = check->tree->parent[at]) {
        if (check->tree->kind[at] == SYN_FUNCTION || check->tree->kind[at] == SYN_CLASS)
            return false;
        if (is_loop(check->tree->kind[at]) && fits(check, at))
            return true;
    }
    return false;
}

bool preparation_is(const struct check *check, uint32_t loop)
{
    const struct context context = context_of(check->project, check_site(check, loop));
    if ((context.pace != PACE_STEP && context.pace != PACE_EVALUATION) || context.in_worker ||
        context.gate == GATE_INTERVAL)
        return false;
    const enum loop_kind kind = context_loop(check->project, check_site(check, loop));
    return (kind == LOOP_ELEMENT || kind == LOOP_OTHER) && fits(check, loop) && !inside_another(check, loop);
}
