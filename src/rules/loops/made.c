/* SPDX-License-Identifier: Apache-2.0 */
#include "made.h"

#include "loop.h"

enum { DEEPEST = 12, MOST_NODES = 4096 };

static const struct limit far_data = {
    "data-made",
    "what a function is given comes through more than 12 names and calls, or 4,096 nodes in all; whether the "
    "network makes it is not asked further"};

/* How far the walk may still go. */
struct walk {
    const struct check *check; /* of the place that is asked for: there a limit is told */
    uint32_t node, left;
};

static uint32_t given(const struct syntax *tree, uint32_t argument)
{
    return syntax_is(tree, argument, SYN_KEYWORD) ? syntax_child(tree, argument, 1) : argument;
}

static bool takes_network(const struct check *check, uint32_t call)
{
    const uint32_t list = syntax_child(check->tree, call, 1);
    for (uint32_t a = syntax_first(check->tree, list); a != SYNTAX_NONE; a = syntax_next(check->tree, a))
        if (ask_value(check, given(check->tree, a))->kind == VALUE_MODULE)
            return true;
    return false;
}

/* ---- what a function is given ---- */

static bool parameter_is_made(struct walk *walk, uint32_t function, uint32_t k, int depth);

static bool stop(const struct walk *walk)
{
    check_limit(walk->check, &far_data, walk->node);
    return false;
}

static bool is_made(struct walk *walk, const struct check *check, uint32_t node, int depth);

static bool definition_is_made(struct walk *walk, const struct check *check, const struct definition *definition,
                               uint32_t name, int depth)
{
    if (definition->kind == DEFINED_ASSIGN)
        return definition->value != SYNTAX_NONE && !syntax_inside(check->tree, name, definition->statement) &&
               is_made(walk, check, definition->value, depth + 1);
    const uint32_t f = project_function_at(check->project, check_site(check, name));
    if (definition->kind != DEFINED_PARAMETER || f == SYNTAX_NONE)
        return false;
    const uint32_t parameters = project_function(check->project, f)->parameters;
    for (uint32_t k = 0; k < SUMMARY_PARAMETERS && k < parameters; k++)
        if (project_parameter(check->project, f, k) + 1 == definition->name)
            return parameter_is_made(walk, f, k, depth + 1);
    return false;
}

/* Through names, comprehensions and what callers pass: `rows = [r for r in rollout(net, batch) if r.ended]`. */
static bool is_made(struct walk *walk, const struct check *check, uint32_t node, int depth)
{
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    for (uint32_t at = node; at < syntax_last(check->tree, node); at++) {
        if (!walk->left || !--walk->left)
            return stop(walk);
        if (syntax_is(check->tree, at, SYN_CALL) && takes_network(check, at))
            return true;
        if (!syntax_is(check->tree, at, SYN_NAME) || syntax_is_member_name(check->tree, at))
            continue;
        if (depth >= DEEPEST)
            return stop(walk);
        const uint32_t count = flow_definitions(check->project, check_site(check, at), found, FLOW_MOST_DEFINITIONS);
        for (uint32_t i = 0; i < count && i < FLOW_MOST_DEFINITIONS; i++)
            if (definition_is_made(walk, check, found[i], at, depth))
                return true;
    }
    return false;
}

static bool parameter_is_made(struct walk *walk, uint32_t function, uint32_t k, int depth)
{
    uint32_t count;
    const struct project *project = walk->check->project;
    const struct site *callers = name_callers(project, function, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (depth >= DEEPEST)
            return stop(walk);
        const struct check there = {project, callers[i].file, project_tree(project, callers[i].file),
                                    walk->check->arena};
        const uint32_t argument = name_argument(project, callers[i], k);
        if (argument != SYNTAX_NONE && is_made(walk, &there, given(there.tree, argument), depth))
            return true;
    }
    return false;
}

bool made_by_network(const struct check *check, uint32_t node)
{
    struct walk walk = {check, node, MOST_NODES};
    const uint32_t f = project_function_at(check->project, check_site(check, node));
    if (f == SYNTAX_NONE)
        return false;
    const uint32_t parameters = project_function(check->project, f)->parameters;
    for (uint32_t k = 0; k < parameters && k < SUMMARY_PARAMETERS; k++)
        if (parameter_is_made(&walk, f, k, 0))
            return true;
    return false;
}

/* ---- rounds that begin by generating ---- */

/* A network runs in a loop of the function, without gradients, as where each token needs the one before. */
static bool runs_in_loop(const struct check *check, uint32_t f)
{
    enum { LARGEST = 20000 };
    const struct function *function = project_function(check->project, f);
    const struct check there = {check->project, function->file, project_tree(check->project, function->file),
                                check->arena};
    if (there.tree->size[function->node] > LARGEST)
        return false;
    for (uint32_t at = function->node; at < syntax_last(there.tree, function->node); at++)
        if ((there.tree->kind[at] == SYN_FOR || there.tree->kind[at] == SYN_WHILE) &&
            context_of(there.project, check_site(&there, at)).no_grad && loop_runs_module(&there, at))
            return true;
    return false;
}

static bool generates(const struct check *check, uint32_t call)
{
    const uint32_t target = name_target(check->project, check_site(check, call));
    if (target == SYNTAX_NONE)
        return str_eq(ask_tail(check, call), S("generate")) &&
               ask_value(check, ask_receiver(check, call))->kind == VALUE_MODULE;
    const bool trains = summary_of(check->project, target)->effects & (EFFECT_BACKWARD | EFFECT_STEP);
    return !trains && takes_network(check, call) && runs_in_loop(check, target);
}

/* Each round, not every so many steps, and on what the round was given. */
static bool is_of_round(const struct check *check, uint32_t call, uint32_t loop)
{
    const struct context context = context_of(check->project, check_site(check, call));
    return context.gate == GATE_NONE && !context.on_error && context.loop == loop &&
           loop_varies(check, syntax_child(check->tree, call, 1), loop);
}

bool made_in_rounds(const struct check *check, uint32_t loop)
{
    for (uint32_t at = loop; at != SYNTAX_NONE; at = loop_next(check->tree, loop, at))
        if (syntax_is(check->tree, at, SYN_CALL) && is_of_round(check, at, loop) && generates(check, at))
            return true;
    return false;
}
