/* SPDX-License-Identifier: Apache-2.0 */
/* Statement by statement: what stands behind another is reached with the state that it leaves. */
#include "drain_walk.h"

#include "source/flow/asks.h"
#include "source/known/known_words.h"

enum {
    DEEPEST = 100,     /* blocks in one another: Python allows no more */
    DEEPEST_TWICE = 6, /* of these, loops of which two rounds are gone through */
};

static uint32_t larger_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Of both what they are alike in. */
static struct drain_state alike(struct drain_state a, struct drain_state b)
{
    if (a.kind == DRAIN_QUEUED && b.kind == DRAIN_QUEUED)
        b.far &= a.far; /* on one way it is known */
    if (b.kind == DRAIN_QUEUED)
        return b;
    if (a.kind == DRAIN_QUEUED)
        return a;
    if (site_is_none(a.wait) != site_is_none(b.wait) || a.head != b.head)
        return (struct drain_state){.kind = DRAIN_QUEUED};
    a.little = larger_of(a.little, b.little);
    return a;
}

struct drain_state drain_merge(struct drain_state a, struct drain_state b)
{
    if (a.kind == DRAIN_GONE || b.kind == DRAIN_GONE)
        return a.kind == DRAIN_GONE ? b : a;
    struct drain_state both = alike(a, b);
    both.open = a.open | b.open;
    both.since = larger_of(a.since, b.since);
    return both;
}

static void run_block(struct drain_walk *walk, uint32_t block, struct drain_state *state);

/* ---- branches ---- */

static bool is_rare(const struct context *context)
{
    return context->on_error || context->cpu_only || context->evaluation_only || context->gate == GATE_INTERVAL ||
           context->gate == GATE_FIRST || context->gate == GATE_EMPTY || context->gate == GATE_UNMADE ||
           context->gate == GATE_UNREACHED || context->gate == GATE_UNTAKEN;
}

/* A branch that a usual step does not take, though it comes to the test. */
static bool is_passed_over(const struct check *check, uint32_t statement, uint32_t block)
{
    if (!syntax_is(check->tree, block, SYN_BLOCK) || syntax_first(check->tree, block) == SYNTAX_NONE)
        return false;
    const struct context around = context_of(check->project, check_site(check, statement));
    const struct context inside = context_of(check->project, check_site(check, syntax_first(check->tree, block)));
    return is_rare(&inside) && !is_rare(&around);
}

/* A branch by itself: what it comes to is added to `end`. */
static void run_branch(struct drain_walk *walk, uint32_t statement, uint32_t block, struct drain_state state,
                       struct drain_state *end)
{
    const bool rare = is_passed_over(&walk->check, statement, block);
    const struct drain_state *left = walk->left, *next = walk->next;
    struct drain_state at_end = walk->at_end, lost = {.kind = DRAIN_GONE};
    if (rare) { /* nor do the ways out of it count */
        walk->left = walk->left ? &lost : NULL;
        walk->next = walk->next ? &lost : NULL;
        state.open = 0;
    }
    run_block(walk, block, &state);
    if (rare) {
        walk->left = (struct drain_state *)left;
        walk->next = (struct drain_state *)next;
        walk->at_end = at_end;
    } else {
        *end = drain_merge(*end, state);
    }
}

/* `if torch.is_tensor(x): x = x.item()`: of a number there is nothing to ask, so it is gone through as of a tensor. */
static bool asks_for_tensor(const struct check *check, uint32_t test)
{
    if (syntax_is(check->tree, test, SYN_CALL) && ask_named(check, test, "torch.is_tensor"))
        return true;
    const bool of_type = syntax_calls(check->tree, test, S("isinstance"));
    const bool has = syntax_calls(check->tree, test, S("hasattr"));
    const uint32_t what = of_type || has ? syntax_argument(check->tree, test, 1, NULL) : SYNTAX_NONE;
    if (what == SYNTAX_NONE)
        return false;
    return of_type ? ask_named(check, what, "torch.Tensor")
                   : str_is_among("'item' \"item\" 'cpu' \"cpu\" 'detach' \"detach\"", syntax_text(check->tree, what));
}

static void run_if(struct drain_walk *walk, uint32_t statement, struct drain_state *state)
{
    const struct syntax *tree = walk->check.tree;
    struct drain_state end = {.kind = DRAIN_GONE};
    while (syntax_is(tree, statement, SYN_IF)) { /* elif by elif */
        drain_evaluate(walk, syntax_child(tree, statement, 0), state);
        run_branch(walk, statement, syntax_child(tree, statement, 1), *state, &end);
        if (asks_for_tensor(&walk->check, syntax_child(tree, statement, 0)))
            break;
        const uint32_t otherwise = syntax_child(tree, statement, 2);
        if (syntax_is(tree, otherwise, SYN_BLOCK)) {
            run_branch(walk, statement, otherwise, *state, &end);
            break;
        }
        statement = otherwise;
        if (!syntax_is(tree, statement, SYN_IF))
            end = drain_merge(end, *state);
    }
    *state = end;
}

static void run_match(struct drain_walk *walk, uint32_t statement, struct drain_state *state)
{
    const struct syntax *tree = walk->check.tree;
    uint32_t at = syntax_first(tree, statement);
    drain_evaluate(walk, at, state);
    struct drain_state end = *state;
    while ((at = syntax_next(tree, at)) != SYNTAX_NONE)
        if (syntax_is(tree, at, SYN_CASE))
            run_branch(walk, statement, syntax_child(tree, at, 2), *state, &end);
    *state = end;
}

/* ---- loops: the rounds before are one round, of which nothing is known at its head ---- */

/* Going over what is known to lie on the host launches nothing. */
static bool rounds_are_quiet(const struct check *check, uint32_t iterable)
{
    const struct value *value = ask_value(check, iterable);
    if (value_is_container(value) && value->kind != VALUE_ITERATOR)
        return true;
    return value->kind == VALUE_LOADER || ask_named(check, iterable, "range") ||
           ask_named(check, iterable, "enumerate") || ask_named(check, iterable, "zip") ||
           calls_one_of(check->tree, iterable, WORDS_NAMED_ITEMS);
}

static struct drain_state run_body(struct drain_walk *walk, uint32_t loop, uint32_t block, struct drain_state before,
                                   struct drain_state *left)
{
    struct drain_state *const outer_left = walk->left, *const outer_next = walk->next;
    struct drain_state state = drain_since_head(loop), next = {.kind = DRAIN_GONE};
    state.open = before.open;
    state.since = before.since;
    walk->left = left;
    walk->next = &next;
    run_block(walk, block, &state);
    walk->left = outer_left;
    walk->next = outer_next;
    return drain_merge(state, next);
}

/* Of rounds that queue nothing the state is that before them. */
static struct drain_state behind(struct drain_state before, struct drain_state round, uint32_t loop)
{
    if (round.kind == DRAIN_SINCE && round.head == loop)
        return round.little ? (struct drain_state){.kind = DRAIN_QUEUED} : before;
    return round;
}

/* What is open behind the rounds of a loop that may have none. */
static void keep_open(struct drain_state *state, struct drain_state before, struct drain_state round)
{
    state->open = before.open | round.open;
    state->since = larger_of(before.since, round.since);
}

/* The rounds of a loop: where the order of waits is kept, what a round leaves open goes into the next. */
static struct drain_state run_rounds(struct drain_walk *walk, uint32_t loop, uint32_t block, struct drain_state before,
                                     struct drain_state *left)
{
    const struct drain_state round = run_body(walk, loop, block, before, left);
    if (!walk->order || !round.open)
        return round;
    if (walk->depth >= DEEPEST_TWICE) {
        walk->order->deep = true;
        return round;
    }
    const bool again = walk->order->again;
    walk->order->again = true;
    const struct drain_state next = run_body(walk, loop, block, round, left);
    walk->order->again = again;
    return drain_merge(round, next);
}

static void run_loop(struct drain_walk *walk, uint32_t loop, struct drain_state *state)
{
    const struct syntax *tree = walk->check.tree;
    const bool is_for = tree->kind[loop] == SYN_FOR;
    const uint32_t source = syntax_child(tree, loop, is_for ? 1 : 0);
    struct drain_state left = {.kind = DRAIN_GONE};
    drain_evaluate(walk, source, state);
    if (is_for && walk->order && !rounds_are_quiet(&walk->check, source))
        drain_launch(walk, state);
    struct drain_state round = run_rounds(walk, loop, syntax_child(tree, loop, is_for ? 2 : 1), *state, &left);
    if (is_for && !rounds_are_quiet(&walk->check, source))
        drain_launch(walk, &round);
    if (!is_for)
        drain_evaluate(walk, source, &round);
    const bool forever = !is_for && syntax_is(tree, source, SYN_TRUE);
    struct drain_state end = forever ? (struct drain_state){.kind = DRAIN_GONE} : behind(*state, round, loop);
    keep_open(&end, *state, round);
    run_block(walk, syntax_child(tree, loop, is_for ? 3 : 2), &end);
    const struct drain_state broken = left;
    left = left.kind == DRAIN_SINCE && left.head == loop ? behind(*state, left, loop) : left;
    keep_open(&left, broken, broken);
    *state = drain_merge(end, left);
}

/* ---- with, try ---- */

/* torch.no_grad(), autocast("cuda"), timer("forward"): what stands there opens, and gives the device nothing. */
static void run_with(struct drain_walk *walk, uint32_t statement, struct drain_state *state)
{
    const struct syntax *tree = walk->check.tree;
    for (uint32_t at = syntax_first(tree, statement); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        if (syntax_is(tree, at, SYN_BLOCK)) {
            run_block(walk, at, state);
            continue;
        }
        const uint32_t opened = syntax_first(tree, at);
        const bool of_library = syntax_is(tree, opened, SYN_CALL) &&
                                name_target(walk->check.project, check_site(&walk->check, opened)) == SYNTAX_NONE;
        drain_evaluate(walk, of_library ? syntax_child(tree, opened, 1) : opened, state);
    }
}

/* What is caught is a mistake: no step of most. */
static void run_try(struct drain_walk *walk, uint32_t statement, struct drain_state *state)
{
    const struct syntax *tree = walk->check.tree;
    for (uint32_t at = syntax_first(tree, statement); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        struct drain_state caught = {.kind = DRAIN_QUEUED};
        if (syntax_is(tree, at, SYN_BLOCK))
            run_block(walk, at, state);
        else if (syntax_is(tree, at, SYN_ELSE) || syntax_is(tree, at, SYN_FINALLY))
            run_block(walk, syntax_first(tree, at), state);
        else if (syntax_is(tree, at, SYN_EXCEPT))
            run_block(walk, syntax_child(tree, at, 2), &caught);
    }
}

/* ---- one after the other ---- */

static void go_out(struct drain_state *out, struct drain_state *state)
{
    if (out)
        *out = drain_merge(*out, *state);
    state->kind = DRAIN_GONE;
}

/* The value before what it is bound to. */
static void run_assign(struct drain_walk *walk, uint32_t statement, struct drain_state *state)
{
    const struct syntax *tree = walk->check.tree;
    const uint32_t value = syntax_last_child(tree, statement);
    drain_evaluate(walk, value, state);
    for (uint32_t at = syntax_first(tree, statement); at != value; at = syntax_next(tree, at))
        drain_evaluate(walk, at, state);
}

static void run_statement(struct drain_walk *walk, uint32_t statement, struct drain_state *state)
{
    const struct syntax *tree = walk->check.tree;
    switch (tree->kind[statement]) {
    case SYN_FUNCTION:
    case SYN_CLASS:
    case SYN_DECORATED:
    case SYN_IMPORT:
    case SYN_FROM_IMPORT:
        return;
    case SYN_IF:
        run_if(walk, statement, state);
        return;
    case SYN_MATCH:
        run_match(walk, statement, state);
        return;
    case SYN_FOR:
    case SYN_WHILE:
        run_loop(walk, statement, state);
        return;
    case SYN_WITH:
        run_with(walk, statement, state);
        return;
    case SYN_TRY:
        run_try(walk, statement, state);
        return;
    case SYN_ASSIGN:
        run_assign(walk, statement, state);
        return;
    case SYN_ASSERT:
        drain_evaluate(walk, syntax_first(tree, statement), state);
        return;
    case SYN_RETURN:
        drain_evaluate(walk, statement, state);
        go_out(&walk->at_end, state);
        return;
    case SYN_RAISE:
        state->kind = DRAIN_GONE;
        return;
    case SYN_BREAK:
        go_out(walk->left, state);
        return;
    case SYN_CONTINUE:
        go_out(walk->next, state);
        return;
    default:
        drain_evaluate(walk, statement, state);
    }
}

static void run_block(struct drain_walk *walk, uint32_t block, struct drain_state *state)
{
    if (!syntax_is(walk->check.tree, block, SYN_BLOCK) && !syntax_is(walk->check.tree, block, SYN_MODULE))
        return;
    if (walk->depth == DEEPEST || (walk->order && !walk->order->left)) {
        if (walk->order)
            walk->order->deep |= walk->depth == DEEPEST;
        drain_launch(walk, state);
        return;
    }
    walk->depth++;
    for (uint32_t at = syntax_first(walk->check.tree, block); at != SYNTAX_NONE; at = syntax_next(walk->check.tree, at))
        run_statement(walk, at, state);
    walk->depth--;
}

struct drain_state drain_through(struct drain_walk *walk, uint32_t function_node, struct drain_state state)
{
    const struct syntax *tree = walk->check.tree;
    const bool module = tree->kind[function_node] == SYN_MODULE;
    walk->at_end = (struct drain_state){.kind = DRAIN_GONE};
    run_block(walk, module ? function_node : syntax_last_child(tree, function_node), &state);
    return drain_merge(walk->at_end, state);
}

struct drain_state drain_round(struct drain_walk *walk, uint32_t loop, struct drain_state before)
{
    struct drain_state left = {.kind = DRAIN_GONE};
    const bool is_for = walk->check.tree->kind[loop] == SYN_FOR;
    return run_body(walk, loop, syntax_child(walk->check.tree, loop, is_for ? 2 : 1), before, &left);
}
