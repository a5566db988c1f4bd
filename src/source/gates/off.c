/* SPDX-License-Identifier: Apache-2.0 */
#include "off.h"

#include "base/mem.h"

/* The test of an if or a conditional expression; NONE of anything else. */
static uint32_t test_of(const struct syntax *tree, uint32_t node)
{
    switch (tree->kind[node]) {
    case SYN_IF:
        return node + 1;
    case SYN_CONDITIONAL:
        return syntax_child(tree, node, 1);
    default:
        return NONE;
    }
}

/* Whether the node, a child of what it stands in, is the branch that an option closes. */
static bool is_closed(const struct project *project, uint32_t file, uint32_t node)
{
    const struct syntax *tree = project_tree(project, file);
    const uint32_t around = tree->parent[node], test = test_of(tree, around);
    if (test == NONE || node == test)
        return false;
    const struct gates gates = gate_of_test(project, (struct site){file, test});
    const bool otherwise = node == syntax_child(tree, around, 2);
    return (otherwise ? gates.otherwise : gates.then) == GATE_OFF;
}

bool *off_nodes(const struct project *project, uint32_t file)
{
    const struct syntax *tree = project_tree(project, file);
    bool *off = mem_zeroed(tree->count + 1);
    for (uint32_t node = 1; node < tree->count; node++)
        off[node] = off[tree->parent[node]] || is_closed(project, file, node);
    return off;
}
