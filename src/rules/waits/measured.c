/* SPDX-License-Identifier: Apache-2.0 */
#include "measured.h"

static const struct limit far = {
    "measured", "a wait stands in a function of more than 20,000 nodes, or that is called in more than 16 "
                "places or through more than 6 others; that it belongs to a benchmark is not seen"};

/* ---- clocks ---- */

static bool is_clock(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_CALL) && (name_under(check->project, check_site(check, node), "time.") ||
                                                      name_under(check->project, check_site(check, node), "timeit."));
}

/* Bound to the reading of a clock. */
static bool is_reading(const struct check *check, uint32_t node)
{
    if (!syntax_is(check->tree, node, SYN_NAME))
        return is_clock(check, node);
    const struct definition *definition = flow_definition(check->project, check_site(check, node));
    return definition && definition->kind == DEFINED_ASSIGN && is_clock(check, definition->value);
}

/* `time.time() - start`, `start.elapsed_time(end)` */
static bool is_duration(const struct check *check, uint32_t node)
{
    if (syntax_is(check->tree, node, SYN_BINARY))
        return check->tree->op[node] == OP_SUB && is_reading(check, syntax_first(check->tree, node)) &&
               is_reading(check, syntax_last_child(check->tree, node));
    return syntax_is(check->tree, node, SYN_CALL) && str_eq(ask_tail(check, node), S("elapsed_time"));
}

static bool measures(const struct check *check, uint32_t function)
{
    enum { LONGEST = 20000 }; /* nodes */
    const uint32_t last = syntax_last(check->tree, function);
    for (uint32_t node = function; node < last && node - function < LONGEST; node++)
        if (is_duration(check, node))
            return true;
    if (last - function > LONGEST)
        check_limit(check, &far, function);
    return false;
}

bool measured_there(const struct check *check, uint32_t wait)
{
    const uint32_t function = syntax_function(check->tree, wait);
    return function != SYNTAX_NONE && measures(check, function);
}

static struct check in_file(const struct check *check, uint32_t file)
{
    return (struct check){check->project, file, project_tree(check->project, file), check->arena};
}

static bool calls_measuring(const struct check *check, uint32_t call)
{
    const uint32_t target = name_target(check->project, check_site(check, call));
    if (target == SYNTAX_NONE)
        return false;
    const struct function *function = project_function(check->project, target);
    const struct check there = in_file(check, function->file);
    return measures(&there, function->node);
}

/* ---- does anything learn from it ---- */

/* Any .step(), whatever of, and functions that have one. */
static bool steps(const struct check *check, uint32_t within)
{
    for (uint32_t node = within; node < syntax_last(check->tree, within); node++) {
        if (!syntax_is(check->tree, node, SYN_CALL))
            continue;
        const uint32_t target = name_target(check->project, check_site(check, node));
        if (str_eq(ask_tail(check, node), S("step")) ||
            (target != SYNTAX_NONE && summary_of(check->project, target)->effects & EFFECT_STEP))
            return true;
    }
    return false;
}

enum around { NO_LOOP, LOOP, LOOP_THAT_STEPS };

/* The loops around a node in its function. */
static enum around loops_around(const struct check *check, uint32_t node)
{
    enum around around = NO_LOOP;
    for (uint32_t at = check->tree->parent[node]; at && !syntax_is(check->tree, at, SYN_FUNCTION);
         at = check->tree->parent[at]) {
        if (!syntax_is(check->tree, at, SYN_FOR) && !syntax_is(check->tree, at, SYN_WHILE))
            continue;
        if (steps(check, at))
            return LOOP_THAT_STEPS;
        around = LOOP;
    }
    return around;
}

/* The same for all calls of its function. Without a loop on the way, what nobody in the run calls may be any step. */
static bool may_step(const struct check *check, struct site site, bool in_loop, int calls)
{
    enum { MOST_CALLERS = 16 };
    const struct check there = in_file(check, site.file);
    const uint32_t f = project_function_at(check->project, site);
    const enum around around = loops_around(&there, site.node);
    uint32_t count = 0;
    in_loop |= around == LOOP;
    if (around == LOOP_THAT_STEPS)
        return true;
    const struct site *callers = f == SYNTAX_NONE ? NULL : name_callers(check->project, f, &count);
    if (count == 0)
        return !in_loop;
    if (count > MOST_CALLERS || calls == 0) {
        project_limit(check->project, &far, site);
        return true;
    }
    for (uint32_t i = 0; i < count; i++)
        if (may_step(check, callers[i], in_loop, calls - 1))
            return true;
    return false;
}

bool measured_aside(const struct check *check, uint32_t wait)
{
    enum { MOST_CALLS = 6 };
    const uint32_t function = syntax_function(check->tree, wait);
    return function != SYNTAX_NONE && (measures(check, function) || calls_measuring(check, wait)) &&
           !steps(check, function) && !may_step(check, check_site(check, wait), false, MOST_CALLS);
}
