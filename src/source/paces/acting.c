/* SPDX-License-Identifier: Apache-2.0 */
#include "acting.h"

#include "base/search.h"
#include "loops.h"

/* `state, reward, done, info = env.step(action)`: by the count of what it gives, or by its name. */
static bool is_step(const struct syntax *tree, uint32_t node)
{
    enum { LEAST_GIVEN = 4 };
    if (tree->kind[node] != SYN_ASSIGN || tree->kind[node + 1] != SYN_TUPLE)
        return false;
    const uint32_t call = syntax_last_child(tree, node);
    if (!syntax_calls(tree, call, S("step")) || tree->kind[call + 1] != SYN_ATTRIBUTE)
        return false;
    return syntax_child_count(tree, node + 1) >= LEAST_GIVEN || str_has_nocase(syntax_text(tree, call + 2), S("env"));
}

bool acting_in(const struct syntax *tree, uint32_t loop)
{
    for (uint32_t node = loop, last = syntax_last(tree, loop); node < last; node++)
        if (is_step(tree, node) && loops_around(tree, node, 0) == loop)
            return true;
    return false;
}

/* All functions that calls below the node reach, also where a call may reach several. */
static void mark_called_below(struct project *project, uint32_t id, uint32_t within)
{
    const struct file *file = &project->files.at[id];
    const uint32_t last = syntax_last(file->shown.tree, within);
    const struct calls *calls = calls_of(project, id);
    size_t i = search_from(calls->at, calls->count, sizeof *calls->at, offsetof(struct call, node), within);
    for (; i < calls->count && calls->at[i].node < last; i++)
        project->contexts->acts[calls->at[i].target] = true;
}

static bool is_marked(const struct project *project, const struct file *file, uint32_t node)
{
    const struct nodes *acting = &placed_in(project, file)->acting;
    for (size_t i = 0; i < acting->count; i++)
        if (syntax_inside(file->shown.tree, node, acting->at[i]))
            return true;
    return false;
}

static const struct limit far_maker = {
    "action",
    "what goes to the step of an environment is made in more than 8 steps, or in more than 512 places of a file; "
    "who else makes it is not known"};

/* The expression, what it calls, and how the names in it came about: what the environment's next step needs. */
static void mark_makers(struct project *project, uint32_t id, uint32_t within, int depth)
{
    enum { DEEPEST_MAKER = 8, MOST_MARKED = 512 };
    const struct file *file = &project->files.at[id];
    const struct syntax *tree = file->shown.tree;
    if (is_marked(project, file, within))
        return;
    if (depth == DEEPEST_MAKER || placed_in(project, file)->acting.count == MOST_MARKED) {
        project_limit(project, &far_maker, (struct site){id, within});
        return;
    }
    contexts_add_node(&placed_in(project, file)->acting, within);
    mark_called_below(project, id, within);
    for (uint32_t n = within, last = syntax_last(tree, within); n < last; n++) {
        const struct definition *found[FLOW_MOST_DEFINITIONS];
        const uint32_t count = tree->kind[n] == SYN_NAME
                                   ? flow_definitions(project, (struct site){id, n}, found, FLOW_MOST_DEFINITIONS)
                                   : 0;
        for (uint32_t i = 0; i < count && i < FLOW_MOST_DEFINITIONS; i++)
            if ((found[i]->kind == DEFINED_ASSIGN || found[i]->kind == DEFINED_CHANGE) && found[i]->value != NONE &&
                !is_step(tree, found[i]->statement))
                mark_makers(project, id, found[i]->value, depth + 1);
    }
}

void acting_build(struct project *project, uint32_t id)
{
    const struct syntax *tree = project_tree(project, id);
    for (uint32_t node = 0; node < tree->count; node++) {
        if (is_step(tree, node))
            mark_makers(project, id, syntax_child(tree, syntax_last_child(tree, node), 1), 0);
    }
}

bool acting_at(const struct project *project, struct site site)
{
    return is_marked(project, &project->files.at[site.file], site.node);
}
