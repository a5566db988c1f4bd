/* SPDX-License-Identifier: Apache-2.0 */
#include "branch.h"

#include "base/search.h"
#include "loops.h"
#include "source/gates/once.h"

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

static const struct limit far_branch = {
    "branch", "a round trains by more than 16 calls, behind more than 64 ifs or a test of 200 nodes, or goes on for 64 "
              "statements; which of its branches train is not known"};

/* Whether an if around the node lets it run only where the branch does not: by the same test, or one that excludes it. */
static bool is_excluded(const struct project *project, struct site call, uint32_t around, uint32_t statement,
                        uint32_t branch)
{
    enum { FARTHEST = 64, LARGEST_TEST = 200 };
    const struct syntax *tree = project_tree(project, call.file);
    bool holds = branch == syntax_child(tree, statement, 1);
    const uint32_t test = bare_test(tree, statement, &holds);
    int climbed = 0;
    for (uint32_t at = tree->parent[call.node], below = call.node; at > around; below = at, at = tree->parent[at]) {
        if (tree->kind[at] != SYN_IF || below == at + 1)
            continue;
        if (++climbed > FARTHEST || tree->size[at + 1] > LARGEST_TEST) {
            project_limit(project, &far_branch, (struct site){call.file, at});
            if (climbed > FARTHEST)
                return false;
            continue;
        }
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
    const struct file *file = &project->files.at[id];
    const struct syntax *tree = file->shown.tree;
    if (!placed_in(project, file)->training.count)
        return false;
    const uint32_t function = syntax_function(tree, statement);
    const uint32_t loop = loops_around(tree, statement, function == NONE ? 0 : function);
    const uint32_t around = loop != NONE ? loop : function == NONE ? 0 : function;
    const struct nodes *all = &placed_in(project, file)->training;
    const size_t first = search_from(all->at, all->count, sizeof *all->at, 0, around);
    const size_t last = search_from(all->at, all->count, sizeof *all->at, 0, syntax_last(tree, around));
    const bool leaves = first < last && once_leaves(project, (struct site){id, branch}) != LEAVES_NOT;
    for (size_t i = first; i < last && last - first <= MOST_CALLS; i++)
        if (!(leaves && all->at[i] >= syntax_last(tree, branch)) &&
            !is_excluded(project, (struct site){id, all->at[i]}, around, statement, branch))
            return false;
    if (last > first + MOST_CALLS)
        project_limit(project, &far_branch, (struct site){id, around});
    return first < last && last - first <= MOST_CALLS;
}

/* The loop, or function, around the node in which it stands as often as that runs. */
static uint32_t round_of(const struct syntax *tree, uint32_t node)
{
    const uint32_t function = syntax_function(tree, node);
    const uint32_t loop = loops_around(tree, node, function == NONE ? 0 : function);
    return loop != NONE ? loop : function;
}

bool branch_is_behind_guard(const struct project *project, struct site site)
{
    enum { MOST_STATEMENTS = 64 };
    const struct file *file = &project->files.at[site.file];
    const struct syntax *tree = file->shown.tree;
    const uint32_t around = placed_in(project, file)->training.count ? round_of(tree, site.node) : NONE;
    if (around == NONE)
        return false;
    const struct nodes *all = &placed_in(project, file)->training;
    const size_t first = search_from(all->at, all->count, sizeof *all->at, 0, around);
    const size_t behind = search_from(all->at, all->count, sizeof *all->at, 0, syntax_last(tree, around));
    if (first == behind || all->at[behind - 1] > site.node)
        return false;
    uint32_t statement = all->at[behind - 1]; /* the last that trains, as a statement of the body */
    while (tree->parent[tree->parent[statement]] != around && statement)
        statement = tree->parent[statement];
    for (int i = 0; i < MOST_STATEMENTS; i++) {
        statement = syntax_next(tree, statement);
        if (statement == NONE || syntax_inside(tree, site.node, statement))
            return false;
        if (tree->kind[statement] == SYN_IF && syntax_is(tree, syntax_child(tree, statement, 2), SYN_ABSENT)) {
            const uint32_t block = syntax_child(tree, statement, 1);
            const enum leaving leaving = once_leaves(project, (struct site){site.file, block});
            const bool called = around == syntax_function(tree, site.node); /* of a loop it is all rounds but one */
            if (leaving == LEAVES_ROUND || (leaving == LEAVES_LOOP && called))
                return true;
        }
    }
    project_limit(project, &far_branch, (struct site){site.file, statement});
    return false;
}
