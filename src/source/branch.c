/* SPDX-License-Identifier: Apache-2.0 */
#include "source/branch.h"

#include "base/search.h"
#include "source/loops.h"
#include "source/once.h"

/* The test without its nots; *holds turns with each. */
static uint32_t bare_test(const struct syntax *tree, uint32_t statement, bool *holds)
{
    uint32_t test = statement + 1;
    for (; tree->kind[test] == SYN_NOT; test++)
        *holds = !*holds;
    return test;
}

/* `phase == TRAIN` and `phase == TEST`. */
static bool contradict(const struct syntax *tree, uint32_t a, uint32_t b)
{
    return tree->kind[a] == SYN_COMPARE && tree->kind[b] == SYN_COMPARE && tree->op[a] == OP_EQUAL &&
           tree->op[b] == OP_EQUAL && syntax_same(tree, a + 1, tree, b + 1) &&
           !syntax_same(tree, syntax_child(tree, a, 1), tree, syntax_child(tree, b, 1));
}

/* Whether an if around the node lets it run only where the branch does not: by the same test, or one that excludes it. */
static bool is_excluded(const struct syntax *tree, uint32_t node, uint32_t around, uint32_t statement, uint32_t branch)
{
    bool holds = branch == syntax_child(tree, statement, 1);
    const uint32_t test = bare_test(tree, statement, &holds);
    for (uint32_t at = tree->parent[node], below = node; at > around; below = at, at = tree->parent[at]) {
        if (tree->kind[at] != SYN_IF || below == at + 1)
            continue;
        bool there = below == syntax_child(tree, at, 1);
        const uint32_t other = bare_test(tree, at, &there);
        if ((there != holds && syntax_same(tree, other, tree, test)) ||
            (there && holds && contradict(tree, other, test)))
            return true;
    }
    return false;
}

bool branch_trains_not(const struct project *project, uint32_t id, uint32_t statement, uint32_t branch)
{
    enum { MOST_CALLS = 16 };
    const struct file *file = &project->files[id];
    const struct syntax *tree = file->shown.tree;
    const uint32_t function = syntax_function(tree, statement);
    const uint32_t loop = loops_around(tree, statement, function == NONE ? 0 : function);
    const uint32_t around = loop != NONE ? loop : function == NONE ? 0 : function;
    const struct nodes *all = &file->training;
    const size_t first = search_from(all->at, all->count, sizeof *all->at, 0, around);
    const size_t last = search_from(all->at, all->count, sizeof *all->at, 0, syntax_last(tree, around));
    const bool leaves = first < last && once_leaves(project, (struct site){id, branch}) != LEAVES_NOT;
    for (size_t i = first; i < last && last - first <= MOST_CALLS; i++)
        if (!(leaves && all->at[i] >= syntax_last(tree, branch)) &&
            !is_excluded(tree, all->at[i], around, statement, branch))
            return false;
    return first < last && last - first <= MOST_CALLS;
}
