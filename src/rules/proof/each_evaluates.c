/* SPDX-License-Identifier: Apache-2.0 */
#include "each_evaluates.h"

#include "rules/waits/read_back.h"

static struct site some_caller(const struct check *check, struct site site)
{
    uint32_t count;
    const struct site *callers = name_callers(check->project, project_function_at(check->project, site), &count);
    return count ? callers[0] : site_none;
}

struct site each_way_to(const struct check *check, struct site site, struct each_way *ways)
{
    static const struct limit far = {
        "step-callers",
        "a step is called through more than 16 functions; whether each round evaluates is not looked at"};
    const struct site asked = site;
    ways->count = 0;
    while (ways->count < EACH_MOST_CALLS) {
        const struct way_in way = context_way_in(check->project, site);
        if (way.kind == WAY_LOOP)
            return way.at;
        const bool called = way.kind == WAY_CALL || way.kind == WAY_LEARNER;
        if (!called && way.kind != WAY_TRAINS)
            return site_none;
        const struct site call = called ? way.at : some_caller(check, site);
        if (site_is_none(call))
            return site_none;
        ways->functions[ways->count] = project_function_at(check->project, site);
        ways->calls[ways->count++] = call;
        site = call;
    }
    project_limit(check->project, &far, asked);
    return site_none;
}

struct site each_step_loop(const struct check *check, struct site site)
{
    struct each_way way;
    return each_way_to(check, site, &way);
}

static bool reads(const struct check *check, uint32_t f)
{
    if (summary_of(check->project, f)->effects & EFFECT_DOWNLOAD)
        return true;
    const struct function *function = project_function(check->project, f);
    const struct syntax *tree = project_tree(check->project, function->file);
    const struct check there = {check->project, function->file, tree, check->arena};
    for (uint32_t node = function->node; node < syntax_last(tree, function->node); node++)
        if (read_back_what(&there, node) != SYNTAX_NONE)
            return true;
    return false;
}

/* A call in the loop itself, made each round, of a function that evaluates and reads. */
static bool evaluates_there(const struct check *check, struct site loop, struct site call)
{
    const uint32_t target = name_target(check->project, call);
    if (target == SYNTAX_NONE || !context_evaluates(check->project, target) || !reads(check, target))
        return false;
    const struct context context = context_of(check->project, call);
    return context.gate == GATE_NONE && context.step_loop == loop.node && context.inner == 0 && !context.on_error;
}

static struct site evaluation_in(const struct check *check, struct site loop)
{
    enum { LARGEST = 20000 };
    static const struct limit large = {
        "step-loop", "a loop of steps has more than 20,000 nodes; whether each round evaluates is not looked at"};
    const struct syntax *tree = project_tree(check->project, loop.file);
    if (tree->size[loop.node] > LARGEST) {
        project_limit(check->project, &large, loop);
        return site_none;
    }
    for (uint32_t node = loop.node; node < syntax_last(tree, loop.node); node++)
        if (tree->kind[node] == SYN_CALL && evaluates_there(check, loop, (struct site){loop.file, node}))
            return (struct site){loop.file, node};
    return site_none;
}

void each_evaluates_break(const struct check *check, struct match *match)
{
    if (!str_starts(str_of(match->rule->id), S("ST40")) || match->level == LEVEL_NOTE)
        return;
    const struct site site = check_site(check, match->runs_at ? match->runs_at : match->node);
    if (context_of(check->project, site).inner)
        return;
    const struct site loop = each_step_loop(check, site);
    const struct site evaluation = site_is_none(loop) ? site_none : evaluation_in(check, loop);
    if (!site_is_none(evaluation))
        match_break(match, LINK_GAIN, "each step evaluates, which reads what it found", evaluation);
}
