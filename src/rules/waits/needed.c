/* SPDX-License-Identifier: Apache-2.0 */
#include "needed.h"

#include "rules/loops/loop.h"

#include "source/flow/asks.h"

/* ---- when to stop ---- */

/* `break` as the last statement of the block, and not out of a loop within it. */
static bool breaks(const struct syntax *tree, uint32_t block)
{
    return syntax_is(tree, block, SYN_BLOCK) && syntax_is(tree, syntax_last_child(tree, block), SYN_BREAK);
}

static bool reads_any_name_of(const struct syntax *tree, uint32_t within, uint32_t operand)
{
    for (uint32_t at = within; at < syntax_last(tree, within); at++)
        for (uint32_t name = operand; syntax_is(tree, at, SYN_NAME) && name < syntax_last(tree, operand); name++)
            if (syntax_is(tree, name, SYN_NAME) && syntax_same(tree, at, tree, name))
                return true;
    return false;
}

/* `if loss < best: best = loss`: one side of the comparison is bound to the other. */
static bool keeps_the_best(const struct syntax *tree, uint32_t test, uint32_t block)
{
    if (!syntax_is(tree, block, SYN_BLOCK))
        return false;
    if (syntax_is(tree, test, SYN_BOOL)) /* `best is None or loss < best` */
        return keeps_the_best(tree, syntax_first(tree, test), block) ||
               keeps_the_best(tree, syntax_last_child(tree, test), block);
    if (!syntax_is(tree, test, SYN_COMPARE))
        return false;
    const uint32_t left = syntax_child(tree, test, 0), right = syntax_child(tree, test, 1);
    for (uint32_t at = syntax_first(tree, block); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        const uint32_t value = syntax_is(tree, at, SYN_ASSIGN) ? syntax_last_child(tree, at) : SYNTAX_NONE;
        if (value == SYNTAX_NONE)
            continue;
        const uint32_t target = syntax_first(tree, at);
        if ((syntax_same(tree, target, tree, right) && reads_any_name_of(tree, value, left)) ||
            (syntax_same(tree, target, tree, left) && reads_any_name_of(tree, value, right)))
            return true;
    }
    return false;
}

static bool is_comparison(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_COMPARE);
}

/* isnan, isinf, isfinite: who asks that wants to hear of a mistake. */
static bool guards_numbers(const struct check *check, uint32_t node)
{
    return calls_one_of(check->tree, node, WORDS_TROUBLE) || calls_one_of(check->tree, node, WORDS_NO_TROUBLE);
}

static bool returns_none(const struct syntax *tree, uint32_t statement)
{
    return syntax_is(tree, statement, SYN_RETURN) &&
           (tree->size[statement] == 1 || syntax_is(tree, statement + 1, SYN_NONE) ||
            syntax_is(tree, statement + 1, SYN_ABSENT));
}

/* `if any(mask): return mask` before `return None`: what is run next depends on it, and no torch.where stands for None. */
static bool chooses_none(const struct syntax *tree, uint32_t statement)
{
    const uint32_t block = syntax_child(tree, statement, 1);
    const uint32_t here = syntax_is(tree, block, SYN_BLOCK) ? syntax_last_child(tree, block) : SYNTAX_NONE;
    uint32_t next = syntax_next(tree, statement);
    for (uint32_t up = tree->parent[statement]; next == SYNTAX_NONE && up && tree->kind[up] != SYN_FUNCTION;
         up = tree->parent[up])
        next = syntax_next(tree, up);
    return syntax_is(tree, here, SYN_RETURN) && syntax_is(tree, next, SYN_RETURN) &&
           returns_none(tree, here) != returns_none(tree, next);
}

bool needed_to_go_on(const struct check *check, uint32_t test)
{
    const struct syntax *tree = check->tree;
    uint32_t statement = test;
    while (statement && !syntax_is_statement(tree->kind[statement]))
        statement = tree->parent[statement];
    if (syntax_is(tree, statement, SYN_WHILE)) /* what its rounds compute says when it ends */
        return syntax_inside(tree, test, syntax_first(tree, statement)) && loop_varies(check, test, statement);
    if (!syntax_is(tree, statement, SYN_IF) || !syntax_inside(tree, test, syntax_first(tree, statement)))
        return false;
    const uint32_t asked = syntax_first(tree, statement), block = syntax_child(tree, statement, 1);
    const bool compares = ask_any(check, asked, is_comparison) && !ask_any(check, asked, guards_numbers);
    return chooses_none(tree, statement) ||
           (compares && (breaks(tree, block) || breaks(tree, syntax_child(tree, statement, 2)))) ||
           keeps_the_best(tree, asked, block);
}

/* ---- where the value goes ---- */

/* The argument that the value is, behind views and casts of it; SYNTAX_NONE. */
static uint32_t argument_of(const struct check *check, uint32_t value)
{
    const struct syntax *tree = check->tree;
    for (;;) {
        const uint32_t parent = tree->parent[value];
        const uint32_t call = syntax_is(tree, parent, SYN_ATTRIBUTE) ? tree->parent[parent] : SYNTAX_NONE;
        if (!syntax_is(tree, call, SYN_CALL) || ask_step(check, call) == call)
            break;
        value = call;
    }
    const uint32_t parent = tree->parent[value];
    const uint32_t argument = syntax_is(tree, parent, SYN_KEYWORD) ? parent : value;
    return syntax_is(tree, tree->parent[argument], SYN_ARGUMENTS) ? argument : SYNTAX_NONE;
}

/* Lengths to pack by, sizes of parts, a schedule that looks at a loss: libraries take these from the host. */
static bool takes_host_data(const struct check *check, uint32_t call)
{
    static const char functions[] = "torch.nn.utils.rnn.pack_padded_sequence torch.split torch.Tensor.split "
                                    "torch.split_with_sizes torch.distributed.all_to_all_single";
    const uint32_t receiver = ask_receiver(check, call);
    const bool schedules = receiver != SYNTAX_NONE && ask_value(check, receiver)->kind == VALUE_SCHEDULER &&
                           str_eq(ask_tail(check, call), S("step"));
    return schedules || str_is_among(functions, name_of(check->project, check_site(check, call)));
}

/* `memory.update(rows, errors)` beside `rows, batch = memory.sample(n)`: what was read decides what is sampled. */
static bool decides_samples(const struct check *check, uint32_t call)
{
    const struct syntax *tree = check->tree;
    const uint32_t owner = ask_receiver(check, call), function = syntax_function(tree, call);
    if (owner == SYNTAX_NONE || function == SYNTAX_NONE || !syntax_is(tree, tree->parent[call], SYN_EXPR))
        return false;
    uint32_t from = function, at;
    while ((at = syntax_call_from(tree, S("sample"), &from, syntax_last(tree, function))) != SYNTAX_NONE) {
        const uint32_t other = ask_receiver(check, at);
        if (other != SYNTAX_NONE && syntax_same(tree, other, tree, owner))
            return true;
    }
    return false;
}

/* ---- how often, or into how many parts ---- */

enum { DEEPEST_COUNT = 3 };

static bool counts_rounds(const struct check *check, uint32_t value, int depth);

/* Whether the function that a call reaches counts by what it is given there. */
static bool counts_inside(const struct check *check, uint32_t call, uint32_t value, int depth)
{
    const struct project *project = check->project;
    const struct site site = check_site(check, call);
    const uint32_t target = depth == DEEPEST_COUNT ? SYNTAX_NONE : name_target(project, site);
    if (target == SYNTAX_NONE)
        return false;
    const struct function *function = project_function(project, target);
    const struct check there = {project, function->file, project_tree(project, function->file), check->arena};
    for (uint32_t k = 0; k < function->parameters && k < SUMMARY_PARAMETERS; k++) {
        const uint32_t given = name_argument(project, site, k), parameter = project_parameter(project, target, k);
        if (given == SYNTAX_NONE || parameter == SYNTAX_NONE || !syntax_inside(check->tree, value, given))
            continue;
        uint32_t uses[FLOW_MOST_USES];
        const struct definition *bound = flow_bound(project, check_site(&there, parameter + 1));
        const uint32_t count = bound ? flow_uses(project, there.file, bound, uses, FLOW_MOST_USES) : 0;
        for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++)
            if (counts_rounds(&there, uses[i], depth + 1))
                return true;
    }
    return false;
}

/* range(n); `assert n <= len(xs)`, which a number of parts has to keep; a function of the run that does so. */
static bool counts_rounds(const struct check *check, uint32_t value, int depth)
{
    const struct syntax *tree = check->tree;
    const uint32_t up = tree->parent[value];
    if (syntax_is(tree, up, SYN_COMPARE) && syntax_is(tree, tree->parent[up], SYN_ASSERT))
        for (uint32_t side = syntax_first(tree, up); side != SYNTAX_NONE; side = syntax_next(tree, side))
            if (side != value && syntax_calls(tree, side, S("len")))
                return true;
    const uint32_t argument = argument_of(check, value);
    if (argument == SYNTAX_NONE)
        return false;
    const uint32_t call = tree->parent[tree->parent[argument]];
    return syntax_calls(tree, call, S("range")) || counts_inside(check, call, value, depth);
}

static bool is_needed_at(const struct check *check, uint32_t value)
{
    if (needed_to_go_on(check, value) || counts_rounds(check, value, 0))
        return true;
    const uint32_t argument = argument_of(check, value);
    if (argument == SYNTAX_NONE)
        return false;
    const uint32_t call = check->tree->parent[check->tree->parent[argument]];
    return takes_host_data(check, call) || decides_samples(check, call);
}

bool needed_by_host(const struct check *check, uint32_t read)
{
    if (is_needed_at(check, read))
        return true;
    const uint32_t statement = syntax_statement(check->tree, read);
    if (!syntax_is(check->tree, statement, SYN_ASSIGN) || !syntax_is(check->tree, statement + 1, SYN_NAME))
        return false;
    const struct definition *definition = flow_bound(check->project, check_site(check, statement + 1));
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = definition ? flow_uses(check->project, check->file, definition, uses, FLOW_MOST_USES) : 0;
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++)
        if (is_needed_at(check, uses[i]))
            return true;
    return false;
}

bool needed_to_unpad(const struct check *check, uint32_t read)
{
    const uint32_t argument = argument_of(check, read);
    if (argument == SYNTAX_NONE)
        return false;
    const uint32_t call = check->tree->parent[check->tree->parent[argument]];
    return str_eq(name_of(check->project, check_site(check, call)), S("torch.nn.utils.rnn.unpad_sequence"));
}
