/* SPDX-License-Identifier: Apache-2.0 */
/* Operands before operators, arguments before calls. */
#include "drain_walk.h"

#include "base/mem.h"
#include "launch.h"

enum {
    MOST_CALLS = 3,      /* gone into, one in the other */
    LARGEST = 1500,      /* nodes of a function that is gone into */
    DEEPEST_NESTED = 20, /* comprehensions in one another: those further in are gone through in the order of the text */
    MOST_ORDERED = 8,    /* calls, where the order of waits is kept */
};

/* ---- calls of functions of the run ---- */

/* Whether its text is what a call of it does. */
static bool runs_when_called(const struct syntax *tree, const struct function *function)
{
    return tree->kind[function->node] == SYN_FUNCTION && !function->is_generator &&
           tree->op[function->node] != OP_ASYNC;
}

static struct drain_state through_function(struct drain_walk *walk, uint32_t id)
{
    const struct function *function = project_function(walk->check.project, id);
    const struct syntax *tree = project_tree(walk->check.project, function->file);
    const struct drain_state queued = {.kind = DRAIN_QUEUED};
    if (!runs_when_called(tree, function))
        return queued;
    if (walk->calls == MOST_CALLS || tree->size[function->node] > LARGEST)
        return (struct drain_state){.kind = DRAIN_QUEUED, .far = true};
    struct drain_memo *memo = walk->memo;
    const uint32_t known = map_get(&memo->of_function, id);
    if (known != MAP_NONE)
        return memo->ends[known]; /* of one that is being gone through: anything */
    memo->ends = mem_grow(memo->ends, &memo->room, memo->count + 1, sizeof *memo->ends);
    const size_t row = memo->count++;
    memo->ends[row] = queued;
    map_put(&memo->of_function, id, (uint32_t)row);
    struct drain_walk inner = {
        .check = {walk->check.project, function->file, tree, walk->check.arena},
        .memo = memo,
        .calls = walk->calls + 1,
    };
    const struct drain_state end = drain_through(&inner, function->node, drain_since_head(function->node));
    memo->ends[row] = end;
    return end;
}

/* What the call makes of the state before it. */
static void apply(struct drain_walk *walk, struct drain_state *state, uint32_t call, struct drain_state end)
{
    if (end.kind == DRAIN_QUEUED) {
        drain_launch(walk, state);
        state->far = end.far;
    } else if (end.kind == DRAIN_SINCE && site_is_none(end.wait)) {
        state->little += end.little;
        if (state->little > DRAIN_FEW)
            state->kind = DRAIN_QUEUED;
    } else if (end.kind == DRAIN_SINCE) {
        *state = end;
        state->here = call;
    } /* else it never comes back: what raises is no step */
}

static bool is_within(const struct drain_walk *walk, uint32_t id)
{
    for (; walk; walk = walk->outer)
        if (walk->function == id)
            return true;
    return false;
}

/* Where the order of waits is kept the call goes on with what was open before it. */
static void go_through(struct drain_walk *walk, uint32_t id, struct drain_state *state)
{
    const struct function *function = project_function(walk->check.project, id);
    const struct syntax *tree = project_tree(walk->check.project, function->file);
    if (walk->calls == MOST_ORDERED || !runs_when_called(tree, function) || is_within(walk, id)) {
        walk->order->deep |= walk->calls == MOST_ORDERED && runs_when_called(tree, function) && !is_within(walk, id);
        drain_launch(walk, state);
        return;
    }
    struct drain_walk inner = {
        .check = {walk->check.project, function->file, tree, walk->check.arena},
        .memo = walk->memo,
        .calls = walk->calls + 1,
        .order = walk->order,
        .function = id,
        .outer = walk,
    };
    *state = drain_through(&inner, function->node, *state);
}

/* Which function of the run is called; SYNTAX_NONE. */
static uint32_t called_at(const struct drain_walk *walk, uint32_t call)
{
    const struct drain_order *order = walk->order;
    for (uint32_t i = 0; order && i < order->entry_count; i++)
        if (order->entries[i].call.node == call && order->entries[i].call.file == walk->check.file)
            return order->entries[i].function;
    return name_target(walk->check.project, check_site(&walk->check, call));
}

/* Whether it calls one function of the run: then what that does is what it does. */
static bool goes_into(struct drain_walk *walk, uint32_t call, struct drain_state *state)
{
    const uint32_t target = called_at(walk, call);
    if (target != SYNTAX_NONE && walk->order)
        go_through(walk, target, state);
    else if (target != SYNTAX_NONE)
        apply(walk, state, call, through_function(walk, target));
    return target != SYNTAX_NONE;
}

/* ---- one node ---- */

static bool is_found(const struct drain_walk *walk, uint32_t node)
{
    const struct drain_order *order = walk->order;
    if (order && order->file != walk->check.file)
        return order->asks(&walk->check, node) != RULES_SILENT;
    const struct map *waits = order ? order->waits : walk->waits;
    return waits && map_get(waits, node) != MAP_NONE;
}

/* Whether the order of waits has nothing to ask here: nothing is open, and what is asked about does not begin here. */
static bool is_passed(const struct drain_walk *walk, uint32_t node, const struct drain_state *state)
{
    const struct drain_order *order = walk->order;
    if (!order || state->open)
        return false;
    return order->again || order->file != walk->check.file || map_get(order->waits, node) == MAP_NONE;
}

static void leave(struct drain_walk *walk, uint32_t node, struct drain_state *state)
{
    const uint32_t watched = walk->watched ? map_get(walk->watched, node) : MAP_NONE;
    if (watched != MAP_NONE) {
        walk->states[watched] = *state;
        walk->states[watched].order = walk->seen++;
    }
    if (state->kind == DRAIN_GONE)
        return;
    if (walk->order && !walk->order->left) {
        drain_launch(walk, state);
        return;
    }
    if (walk->order)
        walk->order->left--;
    if (is_passed(walk, node, state)) {
        if (syntax_is(walk->check.tree, node, SYN_CALL) && !walk->order->again)
            goes_into(walk, node, state);
        return;
    }
    if (is_found(walk, node) || drain_waits(&walk->check, node)) {
        if (drain_is_certain(walk->check.tree, node))
            drain_wait_at(walk, state, node);
        return;
    }
    if (!launch_possible(&walk->check, node) ||
        (syntax_is(walk->check.tree, node, SYN_CALL) && goes_into(walk, node, state)))
        return;
    if (drain_is_little(&walk->check, node))
        drain_launch_little(walk, state);
    else
        drain_launch(walk, state);
}

static bool is_comprehension(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_LIST_COMP || tree->kind[node] == SYN_SET_COMP || tree->kind[node] == SYN_DICT_COMP ||
           tree->kind[node] == SYN_GENERATOR;
}

/* What it goes over and asks before what it makes of it. */
static void evaluate_comprehension(struct drain_walk *walk, uint32_t node, struct drain_state *state)
{
    const struct syntax *tree = walk->check.tree;
    uint32_t clauses = SYNTAX_NONE;
    for (uint32_t at = syntax_first(tree, node); at != SYNTAX_NONE && clauses == SYNTAX_NONE;
         at = syntax_next(tree, at))
        if (tree->kind[at] == SYN_COMP_FOR)
            clauses = at;
    for (uint32_t at = clauses; at != SYNTAX_NONE; at = syntax_next(tree, at))
        drain_evaluate(walk, at, state);
    for (uint32_t at = syntax_first(tree, node); at != clauses; at = syntax_next(tree, at))
        drain_evaluate(walk, at, state);
}

void drain_evaluate(struct drain_walk *walk, uint32_t root, struct drain_state *state)
{
    if (root == SYNTAX_NONE) /* what a broken file leaves out */
        return;
    const struct syntax *tree = walk->check.tree;
    for (uint32_t node = root; node < syntax_last(tree, root); node++) {
        const enum syntax_kind kind = tree->kind[node];
        const bool apart = kind == SYN_FUNCTION || kind == SYN_LAMBDA || kind == SYN_CLASS;
        uint32_t last = node;
        if (apart) /* it runs where it is called */
            node = syntax_last(tree, node) - 1;
        else if (is_comprehension(tree, node) && walk->nested < DEEPEST_NESTED) {
            walk->nested++;
            evaluate_comprehension(walk, node, state);
            walk->nested--;
            leave(walk, node, state);
            node = syntax_last(tree, node) - 1;
        } else if (tree->size[node] == 1)
            leave(walk, node, state);
        else
            continue;
        while (last != root && syntax_last(tree, tree->parent[last]) == node + 1) {
            last = tree->parent[last];
            leave(walk, last, state);
        }
    }
}
