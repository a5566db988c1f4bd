/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include "empty.h"
#include "gate_words.h"
#include "once.h"
#include "ways.h"

enum gate gate_stronger(enum gate a, enum gate b)
{
    static const int order[] = {
        [GATE_NONE] = 0,   [GATE_RANK] = 1,      [GATE_FLAG] = 2, [GATE_INTERVAL] = 3, [GATE_EMPTY] = 4,
        [GATE_UNMADE] = 5, [GATE_UNREACHED] = 6, [GATE_OFF] = 7,  [GATE_UNTAKEN] = 8,  [GATE_FIRST] = 9};
    return order[a] >= order[b] ? a : b;
}

/* Where it holds on no way the branch is not taken; where it holds on some, what gates these gates the branch. */
static struct gates gates_of(const struct project *project, struct site test)
{
    struct gates gates = {gate_of_words(project_tree(project, test.file), test.node), GATE_NONE};
    const struct ways ways = ways_of_test(project, test);
    const enum empty empty = empty_asked(project, test);
    if (ways_never(&ways))
        gates.then = gate_stronger(gates.then, ways.by_default ? GATE_OFF : GATE_UNTAKEN);
    else if (ways.no && gates.then == GATE_NONE)
        gates.then = ways.gate;
    if (ways_always(&ways))
        gates.otherwise = ways.by_default ? GATE_OFF : GATE_UNTAKEN;
    if (empty == EMPTY_HOLDS)
        gates.then = gate_stronger(gates.then, GATE_EMPTY);
    if (empty == EMPTY_HOLDS_NOT)
        gates.otherwise = gate_stronger(gates.otherwise, GATE_EMPTY);
    return gates;
}

/* ---- of a whole file ---- */

static uint32_t packed(struct gates gates)
{
    return (uint32_t)gates.then | (uint32_t)gates.otherwise << 8;
}

/* The block, or function, goes on behind an `if ...: return` that is always taken. */
static void leaves_behind(struct project *project, struct site statement, struct gates gates)
{
    const struct syntax *tree = project_tree(project, statement.file);
    const struct site block = {statement.file, syntax_child(tree, statement.node, 1)};
    const uint32_t around = tree->parent[statement.node];
    struct map *behind = &project->contexts->of_file[statement.file].behind;
    if (gates.otherwise != GATE_UNTAKEN || tree->kind[around] != SYN_BLOCK || map_get(behind, around) != MAP_NONE ||
        once_leaves(project, block) == LEAVES_NOT)
        return;
    map_put(behind, around, syntax_last(tree, statement.node));
}

/* `return loss`, and statements behind it in the same block: nothing runs them. */
static void dead_behind(struct project *project, struct site statement)
{
    const struct syntax *tree = project_tree(project, statement.file);
    const uint32_t around = tree->parent[statement.node];
    struct map *behind = &project->contexts->of_file[statement.file].behind;
    if (tree->kind[around] == SYN_BLOCK && syntax_next(tree, statement.node) != NONE &&
        map_get(behind, around) == MAP_NONE)
        map_put(behind, around, syntax_last(tree, statement.node));
}

static bool leaves_always(enum syntax_kind kind)
{
    return kind == SYN_RETURN || kind == SYN_RAISE || kind == SYN_CONTINUE || kind == SYN_BREAK;
}

/* The test that the node holds, where one is to be looked at; NONE. */
static uint32_t test_of(const struct syntax *tree, uint32_t node)
{
    switch (tree->kind[node]) {
    case SYN_IF:
    case SYN_BOOL:
        return node + 1;
    case SYN_CONDITIONAL:
        return syntax_child(tree, node, 1);
    default:
        return NONE;
    }
}

void gate_build(struct project *project, uint32_t file)
{
    const struct syntax *tree = project_tree(project, file);
    for (uint32_t node = 0; node < tree->count; node++) {
        const uint32_t test = test_of(tree, node);
        if (leaves_always((enum syntax_kind)tree->kind[node]))
            dead_behind(project, (struct site){file, node});
        if (test == NONE)
            continue;
        const struct gates gates = gates_of(project, (struct site){file, test});
        if (packed(gates))
            map_put(&project->contexts->of_file[file].gates, test, packed(gates));
        if (tree->kind[node] == SYN_IF)
            leaves_behind(project, (struct site){file, node}, gates);
    }
}

struct gates gate_of_test(const struct project *project, struct site test)
{
    const uint32_t found = map_get(&project->contexts->of_file[test.file].gates, test.node);
    return found == MAP_NONE ? (struct gates){GATE_NONE, GATE_NONE}
                             : (struct gates){(enum gate)(found & 0xff), (enum gate)(found >> 8)};
}

uint32_t gate_behind(const struct project *project, struct site block)
{
    return map_get(&project->contexts->of_file[block.file].behind, block.node);
}

struct site context_option(const struct project *project, struct site test)
{
    const struct ways ways = ways_of_test(project, test);
    return ways.by_default ? ways.option : site_none;
}
