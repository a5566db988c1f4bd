/* SPDX-License-Identifier: Apache-2.0 */
#include "stack.h"

#include "source/flow/asks.h"

static bool is_stack(const struct check *check, uint32_t call)
{
    return calls_one_of(check->tree, call, WORDS_STACK) &&
           name_under(check->project, check_site(check, call), "torch.");
}

/* The call whose arguments the comprehension is one of. */
static uint32_t call_around(const struct syntax *tree, uint32_t comprehension)
{
    const uint32_t arguments = tree->parent[comprehension];
    return syntax_is(tree, arguments, SYN_ARGUMENTS) ? tree->parent[arguments] : SYNTAX_NONE;
}

static bool reads_parameter(const struct check *check, uint32_t node)
{
    if (!syntax_is(check->tree, node, SYN_NAME))
        return false;
    const struct definition *definition = flow_definition(check->project, check_site(check, node));
    return definition && definition->kind == DEFINED_PARAMETER;
}

/* `hidden[i]` where i is a parameter; whether hidden is on the device the caller knows better. */
static bool takes_by_parameter(const struct check *check, uint32_t node)
{
    if (!syntax_is(check->tree, node, SYN_SUBSCRIPT))
        return false;
    const struct value *object = ask_value(check, syntax_first(check->tree, node));
    const uint32_t index = syntax_child(check->tree, node, 1);
    return object->kind == VALUE_TENSOR && !value_on_cpu(object) && reads_parameter(check, index);
}

/* A small function or lambda of the run that takes an element by its parameter: get = lambda i: hidden[i][alias[i]]. */
static bool callee_takes_element(const struct check *check, uint32_t call)
{
    enum { SMALL = 200 };
    const uint32_t target = name_target(check->project, check_site(check, call));
    if (target == SYNTAX_NONE)
        return false;
    const struct function *function = project_function(check->project, target);
    return function->file == check->file && check->tree->size[function->node] < SMALL &&
           ask_any(check, function->node, takes_by_parameter);
}

bool stack_takes_element(const struct check *check, uint32_t element, uint32_t loop)
{
    for (uint32_t at = element; at < syntax_last(check->tree, element); at++)
        if (loop_takes_element(check, at, loop) ||
            (syntax_is(check->tree, at, SYN_CALL) && callee_takes_element(check, at)))
            return true;
    return false;
}

/* `for h in hidden`, and the element does something with h. */
static bool works_on_rows(const struct check *check, uint32_t element, uint32_t loop)
{
    const uint32_t source = loop_source(check, loop);
    return source != SYNTAX_NONE && ask_gpu_tensor(check, source) && ask_value(check, source)->rank != RANK_0 &&
           check->tree->kind[element] != SYN_NAME;
}

/* f(ids[..., i], sizes[i]): beside the element a round takes something else, which no tensor on the device gives. */
static bool has_own_argument(const struct check *check, uint32_t element, uint32_t loop)
{
    if (!syntax_is(check->tree, element, SYN_CALL))
        return false;
    bool takes = false, own = false;
    const uint32_t list = syntax_child(check->tree, element, 1);
    for (uint32_t at = syntax_first(check->tree, list); at != SYNTAX_NONE; at = syntax_next(check->tree, at)) {
        const bool of_device = stack_takes_element(check, at, loop);
        takes |= of_device;
        own |= !of_device && loop_varies(check, at, loop) && !ask_gpu_tensor(check, at);
    }
    return takes && own;
}

struct stack stack_of(const struct check *check, uint32_t comprehension)
{
    const struct stack none = {.is = false};
    const enum syntax_kind kind = check->tree->kind[comprehension];
    if (kind != SYN_LIST_COMP && kind != SYN_GENERATOR)
        return none;
    const uint32_t call = call_around(check->tree, comprehension);
    if (call == SYNTAX_NONE || !is_stack(check, call) || value_on_cpu(ask_value(check, call)))
        return none;
    const uint32_t element = syntax_first(check->tree, comprehension);
    if (!loop_over_elements(check, comprehension) || loop_runs_module(check, comprehension))
        return none;
    if (!stack_takes_element(check, element, comprehension) && !works_on_rows(check, element, comprehension))
        return none;
    return (struct stack){true, call, element, has_own_argument(check, element, comprehension)};
}
