/* SPDX-License-Identifier: Apache-2.0 */
/* Family 1: Python loops that touch a device tensor element by element, row by row or sample by sample. */
#include "rules/rewrite/fix.h"
#include "rules/waits/round.h"
#include "rules/loops/stack.h"
#include "rules/waits/tell.h"
#include "rules/proof/launch.h"
#include "source/flow/asks.h"
#include "words.h"

/* ---- A6: elements ---- */

/* Whether a round gives the device nothing to do: rows are put into lists and dicts as they are. */
static bool launches_nothing(const struct check *check, uint32_t loop)
{
    if (!syntax_is(check->tree, loop, SYN_FOR))
        return false;
    const uint32_t body = syntax_child(check->tree, loop, 2);
    for (uint32_t at = body; at < syntax_last(check->tree, body); at++) {
        const bool stores = syntax_is(check->tree, at, SYN_ASSIGN) &&
                            syntax_is(check->tree, syntax_first(check->tree, at), SYN_SUBSCRIPT) &&
                            ask_gpu_tensor(check, syntax_first(check->tree, at) + 1);
        if (stores || launch_possible(check, at))
            return false;
    }
    return true;
}

/* Why nothing is gained where a row is only a view, and the host reads nothing of it. */
static const char *view_of_row(const struct check *check, uint32_t loop)
{
    if (round_asks_sizes(check, loop))
        return "only sizes are asked for, which the host knows";
    if (round_reads(check, loop))
        return NULL;
    if (launches_nothing(check, loop))
        return "taking a row is a view, and nothing is launched in a round";
    if (round_cuts(check, loop))
        return "each round cuts out a part of another size";
    return round_hands_on(check, loop) ? "taking a row is a view, and what works on it takes one row" : NULL;
}

static bool tell_access(const struct check *check, uint32_t loop, uint32_t node, struct match *match,
                        const char *format)
{
    const str text = ask_text(check, node);
    match->node = node;
    match->captures[match->capture_count++] = loop;
    match->message = str_printf(check->arena, format, (int)text.len, text.at);
    match->fix = FIX_UNSAFE;
    const struct site site = check_site(check, loop);
    if (!loop_counts_data(check, loop))
        match_break(match, LINK_GAIN, "a setting counts its rounds, which may be few", site);
    if (loop_is_recurrence(check, loop))
        match_break(match, LINK_GAIN, "a round needs what the round before made", site);
    if (loop_is_ragged(check, loop))
        match_break(match, LINK_GAIN, "each round has another size", site);
    const char *view = view_of_row(check, loop);
    if (view)
        match_break(match, LINK_GAIN, view, site);
    return ask_matters(check, loop) && level_at(check, loop, GPU_SURE, match);
}

/* `isinstance(x, ...)` somewhere in the function: x is at times a tensor, and here perhaps a tuple of them. */
static bool has_its_type_tested(const struct check *check, uint32_t name)
{
    const uint32_t function = syntax_function(check->tree, name);
    if (function == SYNTAX_NONE || !syntax_is(check->tree, name, SYN_NAME))
        return false;
    const uint32_t last = syntax_last(check->tree, function);
    uint32_t from = function, call;
    while ((call = syntax_call_from(check->tree, S("isinstance"), &from, last)) != SYNTAX_NONE) {
        const uint32_t what = syntax_argument(check->tree, call, 0, NULL);
        if (what != SYNTAX_NONE && syntax_same(check->tree, what, check->tree, name))
            return true;
    }
    return false;
}

/* `for key in h: h[key] = ...`: what is gone over is indexed by its own items, as a dict is. */
static bool goes_over_keys(const struct check *check, uint32_t loop)
{
    const struct syntax *tree = check->tree;
    const uint32_t target = syntax_is(tree, loop, SYN_FOR) ? syntax_first(tree, loop) : SYNTAX_NONE;
    const uint32_t source = loop_source(check, loop);
    enum { LARGEST = 20000 };
    static const struct limit large = {"loop-over-keys",
                                       "a loop has more than 20,000 nodes; whether it goes over keys is not looked at"};
    if (!syntax_is(tree, target, SYN_NAME) || source == SYNTAX_NONE)
        return false;
    if (tree->size[loop] > LARGEST) {
        check_limit(check, &large, loop);
        return false;
    }
    for (uint32_t at = loop; at < syntax_last(tree, loop); at++)
        if (syntax_is(tree, at, SYN_SUBSCRIPT) && syntax_same(tree, syntax_child(tree, at, 1), tree, target) &&
            syntax_same(tree, syntax_first(tree, at), tree, source))
            return true;
    return false;
}

/* losses.values(): what has such a method is a dict. */
static bool is_view_of_dict(const struct check *check, uint32_t source)
{
    return calls_one_of(check->tree, source, WORDS_VIEWS_OF_DICT);
}

static bool iterates_tensor(const struct check *check, uint32_t loop)
{
    const uint32_t source = loop_source(check, loop);
    if (source != SYNTAX_NONE && is_view_of_dict(check, source))
        return false;
    const struct value *value = ask_value(check, source);
    return source != SYNTAX_NONE && value_gpu_tensor(value) && value->rank != RANK_0 &&
           !has_its_type_tested(check, source);
}

/* An argument of zip that is a tensor on the device. */
static uint32_t zipped_tensor(const struct check *check, uint32_t loop)
{
    const uint32_t source = loop_source(check, loop);
    if (source == SYNTAX_NONE || !syntax_calls(check->tree, source, S("zip")))
        return SYNTAX_NONE;
    const uint32_t arguments = syntax_child(check->tree, source, 1);
    for (uint32_t at = syntax_first(check->tree, arguments); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (ask_gpu_tensor(check, at))
            return at;
    return SYNTAX_NONE;
}

static bool tests_membership(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_COMPARE) &&
           (check->tree->op[node] == OP_IN || check->tree->op[node] == OP_NOT_IN) &&
           ask_gpu_tensor(check, syntax_last_child(check->tree, node));
}

/* t[i] of `t[i] = x`, where x is not taken out of a tensor in turn. */
static bool is_only_stored_to(const struct check *check, uint32_t node, uint32_t loop)
{
    const uint32_t statement = check->tree->parent[node];
    if (!syntax_is(check->tree, statement, SYN_ASSIGN))
        return false;
    const uint32_t value = syntax_last_child(check->tree, statement);
    return value != node && !stack_takes_element(check, value, loop);
}

/* The first access of the loop's own code that reads an element, else the first that stores one; SYNTAX_NONE. */
static uint32_t first_access(const struct check *check, uint32_t loop)
{
    uint32_t store = SYNTAX_NONE;
    for (uint32_t at = loop; at != SYNTAX_NONE; at = loop_next(check->tree, loop, at)) {
        if (!loop_takes_element(check, at, loop) && !tests_membership(check, at))
            continue;
        if (!is_only_stored_to(check, at, loop))
            return at;
        store = store == SYNTAX_NONE ? at : store;
    }
    return store;
}

/* Nothing is read where rows are only stored: each is a kernel, but nobody waits. */
static bool tell_store(const struct check *check, uint32_t loop, uint32_t store, struct match *match)
{
    match_break(match, LINK_GAIN, "nobody waits where rows are only stored", check_site(check, store));
    return tell_access(check, loop, store, match,
                       "`%.*s` stores one row a round, a kernel each; compute all rows at once where they are alike");
}

static bool check_loop(const struct check *check, uint32_t loop, struct match *match)
{
    if (!loop_over_elements(check, loop) || loop_runs_module(check, loop) || stack_of(check, loop).is ||
        goes_over_keys(check, loop))
        return false;
    if (iterates_tensor(check, loop))
        return tell_access(check, loop, loop_iterable(check->tree, loop), match,
                           "the loop over `%.*s` takes a device tensor apart element by element, a kernel each and a "
                           "wait where the value is used; use one tensor operation, or one .tolist() before it");
    const uint32_t zipped = zipped_tensor(check, loop);
    if (zipped != SYNTAX_NONE)
        return tell_access(check, loop, zipped, match,
                           "the loop takes the device tensor `%.*s` apart element by element, a kernel each; use one "
                           "tensor operation, or one .tolist() before it");
    const uint32_t access = first_access(check, loop);
    if (access != SYNTAX_NONE && is_only_stored_to(check, access, loop))
        return tell_store(check, loop, access, match);
    return access != SYNTAX_NONE &&
           tell_access(check, loop, access, match,
                       "`%.*s` touches a device tensor one element a round, a kernel each and a wait where the value "
                       "is used; index all of them at once, or call .tolist() once before the loop");
}

/* list(t), sum(t): Python iterates. */
static bool check_conversion(const struct check *check, uint32_t call, struct match *match)
{
    const uint32_t callee = syntax_first(check->tree, call);
    const uint32_t what = syntax_argument(check->tree, call, 0, NULL);
    if (!syntax_is(check->tree, callee, SYN_NAME) || what == SYNTAX_NONE || !ask_gpu_tensor(check, what) ||
        ask_value(check, what)->rank == RANK_0 || has_its_type_tested(check, what) || is_view_of_dict(check, what))
        return false;
    const str text = ask_text(check, call);
    match->fix = FIX_NONE;
    match->message = str_printf(check->arena,
                                "`%.*s` iterates a device tensor in Python, a kernel an element; use the tensor's own "
                                "method (.sum(), .sort(), .unbind()), or .tolist()",
                                (int)text.len, text.at);
    return ask_matters(check, call) && level_at(check, call, GPU_SURE, match);
}

static bool check_element_access(const struct check *check, uint32_t node, struct match *match)
{
    return check->tree->kind[node] == SYN_CALL ? check_conversion(check, node, match) : check_loop(check, node, match);
}

const struct rule rule_element_access = {
    .id = "ST101",
    .name = "element-access",
    .entry = "A6",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_FOR, SYN_WHILE, SYN_LIST_COMP, SYN_SET_COMP, SYN_DICT_COMP, SYN_GENERATOR, SYN_CALL},
              .tails = {"list", "tuple", "set", "sum", "sorted", "any", "all"}},
    .check = check_element_access,
    .fix = fix_element_access,
    .fix_kind = FIX_UNSAFE,
    .words = &words_element_access,
};

/* ---- E1: a gather a sample ---- */

static bool check_per_sample_stack(const struct check *check, uint32_t call, struct match *match)
{
    const uint32_t rows = syntax_argument(check->tree, call, 0, "tensors");
    if (rows == SYNTAX_NONE)
        return false;
    const struct stack stack = stack_of(check, rows);
    if (!stack.is)
        return false;
    match->captures[match->capture_count++] = rows;
    match->captures[match->capture_count++] = stack.element;
    if (stack.of_its_own)
        match_break(match, LINK_GAIN,
                    "each round takes something of its own beside the row, so one index does not do it",
                    check_site(check, stack.element));
    const str text = ask_text(check, stack.element);
    return tell(check, call, match,
                str_printf(check->arena,
                           "`%.*s` computes one row a round and stacks them: kernels a row, and in backward a "
                           "gradient of full size a row; gather all rows with one index",
                           (int)text.len, text.at));
}

const struct rule rule_per_sample_stack = {
    .id = "ST102",
    .name = "per-sample-stack",
    .entry = "E1",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}, .tails = {"stack", "cat", "concat", "vstack", "hstack", "pad_sequence"}},
    .check = check_per_sample_stack,
    .fix = fix_per_sample_stack,
    .fix_kind = FIX_UNSAFE,
    .words = &words_per_sample_stack,
};

/* ---- E2: a tensor that grows ---- */

/* The statement that binds the result of the call to one name; SYNTAX_NONE. */
static uint32_t binding_of(const struct syntax *tree, uint32_t call)
{
    const uint32_t statement = tree->parent[call];
    if (!syntax_is(tree, statement, SYN_ASSIGN) || syntax_last_child(tree, statement) != call ||
        !syntax_is(tree, syntax_first(tree, statement), SYN_NAME))
        return SYNTAX_NONE;
    return statement;
}

/* The part of `[x, new]` that is what the result is bound to; SYNTAX_NONE. */
static uint32_t own_part(const struct syntax *tree, uint32_t parts, uint32_t name)
{
    if (!syntax_is(tree, parts, SYN_LIST) && !syntax_is(tree, parts, SYN_TUPLE))
        return SYNTAX_NONE;
    for (uint32_t at = syntax_first(tree, parts); at != SYNTAX_NONE; at = syntax_next(tree, at))
        if (syntax_same(tree, at, tree, name))
            return at;
    return SYNTAX_NONE;
}

/* Whether the read sees what an earlier round has bound here. */
static bool sees_earlier_round(const struct check *check, uint32_t read, uint32_t statement)
{
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(check->project, check_site(check, read), found, FLOW_MOST_DEFINITIONS);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_DEFINITIONS; i++)
        if (found[i]->statement == statement)
            return true;
    return false;
}

/* The innermost loop statement around a node in its function; SYNTAX_NONE. */
static uint32_t loop_statement(const struct syntax *tree, uint32_t node)
{
    for (uint32_t at = node; at; at = tree->parent[at]) {
        if (tree->kind[at] == SYN_FUNCTION || tree->kind[at] == SYN_LAMBDA || tree->kind[at] == SYN_CLASS)
            break;
        if (tree->kind[at] == SYN_FOR || tree->kind[at] == SYN_WHILE)
            return at;
    }
    return SYNTAX_NONE;
}

/* Whether the loop reads the growing tensor for anything but growing it: then each round needs it whole. */
static bool read_in_loop(const struct syntax *tree, uint32_t loop, uint32_t statement, uint32_t name)
{
    for (uint32_t at = loop; at < syntax_last(tree, loop); at++)
        if (tree->kind[at] == SYN_NAME && !syntax_inside(tree, at, statement) && syntax_same(tree, at, tree, name) &&
            !(syntax_is(tree, tree->parent[at], SYN_ASSIGN) && syntax_first(tree, tree->parent[at]) == at))
            return true;
    return false;
}

static bool check_growing_cat(const struct check *check, uint32_t call, struct match *match)
{
    const uint32_t statement = binding_of(check->tree, call);
    const uint32_t loop = statement == SYNTAX_NONE ? SYNTAX_NONE : loop_statement(check->tree, statement);
    const uint32_t parts = syntax_argument(check->tree, call, 0, "tensors");
    if (loop == SYNTAX_NONE || parts == SYNTAX_NONE)
        return false;
    const uint32_t name = syntax_first(check->tree, statement);
    const uint32_t part = own_part(check->tree, parts, name);
    if (part == SYNTAX_NONE || !value_gpu_tensor(ask_value(check, call)) ||
        !sees_earlier_round(check, part, statement) || read_in_loop(check->tree, loop, statement, name))
        return false;
    match->builtin = ask_tail(check, call);
    match->captures[match->capture_count++] = loop;
    match->captures[match->capture_count++] = statement;
    if (loop_runs_module(check, loop))
        match_break(match, LINK_GAIN, "a round runs a network, beside which the copy of what it gives is nothing",
                    check_site(check, loop));
    const str text = ask_text(check, name);
    match->message = str_printf(check->arena,
                                "`%.*s` grows by a copy of all of it each round; collect the parts in a list and "
                                "concatenate once behind the loop",
                                (int)text.len, text.at);
    return level_at(check, call, GPU_SURE, match);
}

const struct rule rule_growing_cat = {
    .id = "ST103",
    .name = "growing-cat",
    .entry = "E2",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}, .tails = {"cat", "concat", "vstack", "hstack"}},
    .check = check_growing_cat,
    .fix = fix_growing_cat,
    .fix_kind = FIX_SAFE,
    .words = &words_growing_cat,
};

/* ---- E3: one sample at a time ---- */

/* x.unsqueeze(0), x[None], torch.tensor([x]): a batch of one. */
static bool makes_batch_of_one(const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    if (syntax_is(tree, node, SYN_SUBSCRIPT))
        return syntax_is(tree, index_first(tree, syntax_child(tree, node, 1)), SYN_NONE);
    if (!syntax_is(tree, node, SYN_CALL))
        return false;
    const uint32_t first = syntax_argument(tree, node, 0, "dim");
    if (first == SYNTAX_NONE)
        return false;
    if (syntax_calls(tree, node, S("unsqueeze")))
        return str_eq(syntax_text(tree, first), S("0"));
    return calls_one_of(tree, node, WORDS_MAKE_OF_LIST) && syntax_is(tree, first, SYN_LIST) &&
           syntax_child_count(tree, first) == 1;
}

static bool runs_network(const struct check *check, uint32_t call)
{
    const struct value *callee = ask_value(check, syntax_first(check->tree, call));
    return callee->kind == VALUE_MODULE && callee->device != DEVICE_CPU;
}

/* Whether it takes in what the call itself has given a round before: a step of time of a recurrent network. */
static bool goes_on(const struct check *check, uint32_t call)
{
    const uint32_t statement = syntax_statement(check->tree, call);
    for (uint32_t at = syntax_child(check->tree, call, 1); at < syntax_last(check->tree, call); at++)
        if (syntax_is(check->tree, at, SYN_NAME) && sees_earlier_round(check, at, statement))
            return true;
    return false;
}

static bool check_one_sample(const struct check *check, uint32_t call, struct match *match)
{
    const uint32_t arguments = syntax_child(check->tree, call, 1);
    if (!runs_network(check, call) || !ask_any(check, arguments, makes_batch_of_one))
        return false;
    const uint32_t loop = loop_statement(check->tree, call);
    if (!syntax_is(check->tree, loop, SYN_FOR) || !loop_varies(check, arguments, loop) || goes_on(check, call))
        return false;
    const struct context context = context_of(check->project, check_site(check, call));
    if (context.in_forward || (context.pace != PACE_EVALUATION && context.pace != PACE_STEP))
        return false; /* within a network the one may be a step of time, not a sample */
    match->captures[match->capture_count++] = loop;
    const str text = ask_text(check, call);
    match->message = str_printf(check->arena,
                                "`%.*s` runs the network on one sample a round, at the cost of a batch; gather the "
                                "samples and run it once a batch",
                                (int)text.len, text.at);
    return level_at(check, call, gpu_certainty(ask_value(check, call)), match);
}

const struct rule rule_one_sample_evaluation = {
    .id = "ST104",
    .name = "one-sample-evaluation",
    .entry = "E3",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_one_sample,
    .words = &words_one_sample_evaluation,
};
