/* SPDX-License-Identifier: Apache-2.0 */
#include "preparation.h"

#include "loop.h"
#include "staging.h"

#include "source/flow/asks.h"

static bool is_loop(enum syntax_kind kind)
{
    return kind == SYN_FOR || kind == SYN_LIST_COMP || kind == SYN_DICT_COMP || kind == SYN_SET_COMP ||
           kind == SYN_GENERATOR;
}

/* What runs each round of the loop: the block, or the element. */
static uint32_t body_of(const struct syntax *tree, uint32_t loop)
{
    return syntax_child(tree, loop, tree->kind[loop] == SYN_FOR ? 2 : 0);
}

static uint32_t iterable_of(const struct syntax *tree, uint32_t loop)
{
    return tree->kind[loop] == SYN_FOR ? syntax_child(tree, loop, 1)
                                       : syntax_child(tree, syntax_child(tree, loop, 1), 1);
}

/* `x.float()`, `x.to(device)` of something unknown: what has such a method is a tensor. */
static bool converts_tensor(const struct check *check, uint32_t call)
{
    return ask_receiver(check, call) != SYNTAX_NONE && known_word(WORDS_CONVERT, ask_tail(check, call));
}

/* What is of the model or the device, as far as the node itself shows. */
static bool is_of_model(const struct check *check, uint32_t node)
{
    const struct value *value = ask_value(check, node);
    switch (value->kind) {
    case VALUE_TENSOR:
    case VALUE_BATCH:
    case VALUE_MODULE:
    case VALUE_LOSS:
    case VALUE_OPTIMIZER:
    case VALUE_LOADER:
    case VALUE_WRITER:
        return true;
    default:
        return check->tree->kind[node] == SYN_CALL &&
               (ask_named(check, node, "print") || name_under(check->project, check_site(check, node), "torch.") ||
                converts_tensor(check, node));
    }
}

static const struct limit far_calls = {
    "calls-of-loop",
    "a loop calls functions through more than 3 others, or of more than 4,000 nodes in all; what is behind "
    "is not looked at for work of the model"};

/* A function of the run in which such a thing stands, or in what it calls; so many nodes are looked at in all. */
static bool calls_into_model(const struct check *check, uint32_t call, uint32_t *left, int depth)
{
    enum { DEEPEST = 3 };
    const uint32_t target =
        syntax_is(check->tree, call, SYN_CALL) ? name_target(check->project, check_site(check, call)) : SYNTAX_NONE;
    if (target == SYNTAX_NONE)
        return false;
    if (depth == DEEPEST) {
        check_limit(check, &far_calls, call);
        return false;
    }
    const struct function *function = project_function(check->project, target);
    const struct check there = {check->project, function->file, project_tree(check->project, function->file),
                                check->arena};
    for (uint32_t at = function->node; at < syntax_last(there.tree, function->node) && *left; at++, --*left)
        if (is_of_model(&there, at) || calls_into_model(&there, at, left, depth + 1))
            return true;
    if (!*left)
        check_limit(check, &far_calls, call);
    return false;
}

/* Then the loop is a part of the step's work, not its preparation. */
static bool touches_model(const struct check *check, uint32_t node)
{
    uint32_t nodes = 4000;
    return is_of_model(check, node) || calls_into_model(check, node, &nodes, 0);
}

static bool is_array_call(const struct check *check, uint32_t node)
{
    return check->tree->kind[node] == SYN_CALL && (name_under(check->project, check_site(check, node), "numpy.") ||
                                                   name_under(check->project, check_site(check, node), "scipy."));
}

/* A function of the run that loops itself, or an inner loop, or a call into NumPy: more than a look-up a round. */
static bool works(const struct check *check, uint32_t node)
{
    if (is_loop(check->tree->kind[node]) || is_array_call(check, node))
        return true;
    if (check->tree->kind[node] != SYN_CALL)
        return false;
    const uint32_t target = name_target(check->project, check_site(check, node));
    if (target == SYNTAX_NONE)
        return false;
    const struct function *function = project_function(check->project, target);
    const struct syntax *tree = project_tree(check->project, function->file);
    for (uint32_t at = function->node; at < syntax_last(tree, function->node); at++)
        if (is_loop(tree->kind[at]))
            return true;
    return false;
}

/* What only data of the host is used for: NumPy, sets, the random numbers of Python. */
static bool is_host_work(const struct check *check, uint32_t node)
{
    if (check->tree->kind[node] != SYN_CALL)
        return check->tree->kind[node] == SYN_LIST_COMP;
    return known_word(WORDS_HOST_ONLY, name_of(check->project, check_site(check, node))) ||
           is_array_call(check, node) || name_under(check->project, check_site(check, node), "random.");
}

static bool calls_host_work(const struct check *check, uint32_t node)
{
    const uint32_t target =
        syntax_is(check->tree, node, SYN_CALL) ? name_target(check->project, check_site(check, node)) : SYNTAX_NONE;
    if (target == SYNTAX_NONE)
        return is_host_work(check, node);
    const struct function *function = project_function(check->project, target);
    const struct check there = {check->project, function->file, project_tree(check->project, function->file),
                                check->arena};
    return ask_any(&there, function->node, is_host_work);
}

static uint32_t base_of(const struct syntax *tree, uint32_t node)
{
    while (syntax_is(tree, node, SYN_ATTRIBUTE) || syntax_is(tree, node, SYN_SUBSCRIPT) ||
           syntax_is(tree, node, SYN_CALL))
        node = syntax_first(tree, node);
    return node;
}

/* A name that is bound, a list or array of this function that takes something in: not what the object itself stores. */
static bool makes_something(const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    const bool assigns = tree->kind[node] == SYN_ASSIGN || tree->kind[node] == SYN_AUG_ASSIGN;
    if (!assigns && !calls_one_of(tree, node, WORDS_COLLECT))
        return false;
    const uint32_t base = base_of(tree, syntax_first(tree, node));
    return syntax_is(tree, base, SYN_NAME) && !str_eq(syntax_text(tree, base), S("self"));
}

/* What a sample could come in by: something is indexed, iterated over, or handed to a function. */
static bool takes_data(const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    uint32_t taken = SYNTAX_NONE;
    if (is_loop(tree->kind[node]))
        taken = iterable_of(tree, node);
    else if (tree->kind[node] == SYN_SUBSCRIPT)
        taken = syntax_first(tree, node);
    else if (tree->kind[node] == SYN_CALL && syntax_child_count(tree, syntax_child(tree, node, 1)) > 0 &&
             (is_array_call(check, node) || name_target(check->project, check_site(check, node)) != SYNTAX_NONE))
        return true;
    return taken != SYNTAX_NONE && !syntax_calls(tree, taken, S("range"));
}

/* Parts of a module, by the methods of torch.nn.Module that give them. */
static bool gives_parts(const struct check *check, uint32_t iterable)
{
    if (syntax_is(check->tree, iterable, SYN_CONDITIONAL))
        iterable = syntax_first(check->tree, iterable);
    return calls_one_of(check->tree, iterable, WORDS_MODULE_PARTS);
}

/* Parameters of a model, lists and groups of them, and what zip makes of these. */
static bool holds_parameters(const struct value *value)
{
    while (value->items) { /* values nest no deeper than they are told apart */
        value = value_item_at(value, 0);
        if (value_has(value, VALUE_PARAMETER))
            return true;
    }
    return false;
}

/* `for dy in [0, 1, 2]`: a few cases written down, no samples. */
static bool is_written_down(const struct check *check, uint32_t iterable)
{
    return (syntax_is(check->tree, iterable, SYN_LIST) || syntax_is(check->tree, iterable, SYN_TUPLE)) &&
           !syntax_is(check->tree, syntax_first(check->tree, iterable), SYN_STARRED);
}

/* Values read back were waited for already, and what is done with them is another rule's matter (ST404). */
static bool goes_over_data(const struct check *check, uint32_t iterable)
{
    const struct value *value = ask_value(check, iterable);
    if (gives_parts(check, iterable) || is_written_down(check, iterable))
        return false;
    if (value_has(value, VALUE_DOWNLOADED) || value_has(value_item(value), VALUE_DOWNLOADED) || holds_parameters(value))
        return false;
    switch (value->kind) {
    case VALUE_TENSOR:
    case VALUE_MODULE:
    case VALUE_LOADER:
    case VALUE_BATCH:
    case VALUE_OTHER:
    case VALUE_SHAPE:
    case VALUE_STR:
        return false;
    default:
        return true;
    }
}

static bool fits(const struct check *check, uint32_t loop)
{
    const uint32_t body = body_of(check->tree, loop), iterable = iterable_of(check->tree, loop);
    const bool counts = syntax_calls(check->tree, iterable, S("range"));
    const bool forward = context_of(check->project, check_site(check, loop)).in_forward;
    return goes_over_data(check, iterable) && (!counts || loop_counts_data(check, loop)) &&
           (check->tree->kind[loop] != SYN_FOR || ask_any(check, body, makes_something)) &&
           ask_any(check, body, works) && ask_any(check, body, forward ? is_array_call : calls_host_work) &&
           (!counts || ask_any(check, body, takes_data)) && !ask_any(check, body, touches_model);
}

/* A call into NumPy, here or in a function of the run that is called: some microseconds a round at least. */
static bool calls_arrays(const struct check *check, uint32_t node)
{
    const uint32_t target =
        syntax_is(check->tree, node, SYN_CALL) ? name_target(check->project, check_site(check, node)) : SYNTAX_NONE;
    if (target == SYNTAX_NONE)
        return is_array_call(check, node);
    const struct function *function = project_function(check->project, target);
    const struct check there = {check->project, function->file, project_tree(check->project, function->file),
                                check->arena};
    return ask_any(&there, function->node, is_array_call);
}

/* `for row in rows: for k in row`: as many steps as the samples have parts. */
static bool goes_over_parts(const struct check *check, uint32_t loop)
{
    const struct syntax *tree = check->tree;
    const uint32_t body = body_of(tree, loop);
    const uint32_t row = syntax_first(tree, tree->kind[loop] == SYN_FOR ? loop : syntax_child(tree, loop, 1));
    for (uint32_t node = body; node < syntax_last(tree, body); node++) {
        const uint32_t parts = is_loop(tree->kind[node]) ? iterable_of(tree, node) : SYNTAX_NONE;
        if (parts == SYNTAX_NONE || syntax_calls(tree, parts, S("range")))
            continue;
        for (uint32_t at = parts; at < syntax_last(tree, parts); at++)
            if (tree->kind[at] == SYN_NAME && syntax_same(tree, at, tree, row))
                return true;
    }
    return false;
}

bool preparation_is_brief(const struct check *check, uint32_t loop)
{
    const struct value *items = ask_value(check, iterable_of(check->tree, loop));
    return !value_has(items, VALUE_FROM_LOADER) && !goes_over_parts(check, loop) &&
           !ask_any(check, body_of(check->tree, loop), calls_arrays);
}

static bool inside_another(const struct check *check, uint32_t loop)
{
    for (uint32_t at = check->tree->parent[loop]; at; at = check->tree->parent[at]) {
        if (check->tree->kind[at] == SYN_FUNCTION || check->tree->kind[at] == SYN_CLASS)
            return false;
        if (is_loop(check->tree->kind[at]) && fits(check, at))
            return true;
    }
    return false;
}

bool preparation_is(const struct check *check, uint32_t loop)
{
    const struct context context = context_of(check->project, check_site(check, loop));
    if ((context.pace != PACE_STEP && context.pace != PACE_EVALUATION) || context.in_worker ||
        context.gate == GATE_INTERVAL)
        return false;
    const enum loop_kind kind = context_loop(check->project, check_site(check, loop));
    return (kind == LOOP_ELEMENT || kind == LOOP_OTHER) && fits(check, loop) && !inside_another(check, loop);
}

/* ---- preparation that workers could do ---- */

/* The batches of `xs`, `enumerate(xs)`, `tqdm(xs)`, and which part of the target is bound to them. */
static bool find_rows(const struct check *check, uint32_t target, uint32_t iterable, struct hand_off *hand_off)
{
    const struct syntax *tree = check->tree;
    while (syntax_is(tree, iterable, SYN_CALL)) {
        const bool counted = ask_named(check, iterable, "enumerate");
        const bool shown = name_under(check->project, check_site(check, iterable), "tqdm.");
        if (!counted && !shown)
            break;
        if (counted) {
            if (!syntax_is(tree, target, SYN_TUPLE) || syntax_child_count(tree, target) != 2)
                return false;
            target = syntax_child(tree, target, 1);
        }
        iterable = syntax_argument(tree, iterable, 0, NULL);
    }
    const uint8_t kind = ask_value(check, iterable)->kind;
    hand_off->batches = iterable;
    hand_off->row_name = target;
    return syntax_is(tree, target, SYN_NAME) && (kind == VALUE_LIST || kind == VALUE_TUPLE);
}

/* prepare(rows) and nothing else: a function, or a method of something that can be named again. */
static bool is_call_on_rows(const struct check *check, uint32_t call, uint32_t row_name)
{
    const struct syntax *tree = check->tree;
    const uint32_t arguments = syntax_child(tree, call, 1), argument = syntax_first(tree, arguments);
    uint32_t callee = syntax_first(tree, call);
    while (syntax_is(tree, callee, SYN_ATTRIBUTE))
        callee = syntax_first(tree, callee);
    return syntax_is(tree, callee, SYN_NAME) && syntax_child_count(tree, arguments) == 1 &&
           syntax_is(tree, argument, SYN_NAME) && syntax_same(tree, argument, tree, row_name);
}

/* Whether a function of the run loops over data in Python or NumPy. */
static bool prepares(const struct check *check, uint32_t function)
{
    const struct function *found = project_function(check->project, function);
    const struct check there = {check->project, found->file, project_tree(check->project, found->file), check->arena};
    for (uint32_t node = found->node; node < syntax_last(there.tree, found->node); node++)
        if (is_loop(there.tree->kind[node]) && fits(&there, node))
            return true;
    return false;
}

/* Whether the loop changes what the method is called on: workers have a copy of it from before the loop. */
static bool changes_owner(const struct check *check, const struct hand_off *hand_off)
{
    const struct syntax *tree = check->tree;
    uint32_t owner = syntax_first(tree, hand_off->call);
    while (syntax_is(tree, owner, SYN_ATTRIBUTE))
        owner = syntax_first(tree, owner);
    for (uint32_t node = syntax_child(tree, hand_off->loop, 2); node < syntax_last(tree, hand_off->loop); node++) {
        if (!syntax_is(tree, node, SYN_NAME) || !syntax_same(tree, node, tree, owner) ||
            syntax_inside(tree, node, hand_off->call))
            continue;
        uint32_t parent = tree->parent[node];
        while (syntax_is(tree, parent, SYN_ATTRIBUTE))
            parent = tree->parent[parent];
        if (!syntax_is(tree, parent, SYN_CALL) && !syntax_is(tree, parent, SYN_SUBSCRIPT) &&
            !syntax_is(tree, parent, SYN_ARGUMENTS))
            continue;
        return true;
    }
    return false;
}

static bool is_safe(const struct check *check, const struct hand_off *hand_off)
{
    const struct definition *definition = flow_bound(check->project, check_site(check, hand_off->row_name));
    const uint32_t batch = syntax_first(check->tree, hand_off->statement);
    return definition && flow_uses(check->project, check->file, definition, NULL, 0) == 1 &&
           !flow_escapes(check->project, check->file, definition) &&
           summary_pure(summary_of(check->project, hand_off->function)) &&
           flow_pure(check->project, check_site(check, hand_off->call)) &&
           (syntax_is(check->tree, batch, SYN_NAME) || syntax_is(check->tree, batch, SYN_TUPLE)) &&
           syntax_same(check->tree, syntax_first(check->tree, syntax_child(check->tree, hand_off->loop, 2)),
                       check->tree, hand_off->statement) &&
           !changes_owner(check, hand_off);
}

bool preparation_hand_off(const struct check *check, uint32_t call, struct hand_off *hand_off)
{
    const struct syntax *tree = check->tree;
    const uint32_t statement = tree->parent[call];
    if (!syntax_is(tree, statement, SYN_ASSIGN) || syntax_child_count(tree, statement) != 2 ||
        syntax_first(tree, statement) == call)
        return false;
    const uint32_t loop = tree->parent[tree->parent[statement]];
    if (!syntax_is(tree, tree->parent[statement], SYN_BLOCK) || !syntax_is(tree, loop, SYN_FOR))
        return false;
    const enum loop_kind kind = context_loop(check->project, check_site(check, loop));
    if (kind != LOOP_STEP && kind != LOOP_EVALUATION)
        return false;
    *hand_off = (struct hand_off){.loop = loop, .statement = statement, .call = call};
    if (!find_rows(check, syntax_first(tree, loop), syntax_child(tree, loop, 1), hand_off) ||
        !is_call_on_rows(check, call, hand_off->row_name))
        return false;
    hand_off->function = name_target(check->project, check_site(check, call));
    if (hand_off->function == SYNTAX_NONE || !prepares(check, hand_off->function))
        return false;
    hand_off->safe = is_safe(check, hand_off);
    return true;
}

/* ---- preparation that could be kept ---- */

/* Whether all loops of steps that call the function could hand it to workers, which is better than keeping. */
static bool goes_to_workers(const struct check *check, uint32_t function)
{
    uint32_t count;
    const struct site *callers = name_callers(check->project, function, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct check there = {check->project, callers[i].file, project_tree(check->project, callers[i].file),
                                    check->arena};
        struct hand_off hand_off;
        if (!preparation_hand_off(&there, callers[i].node, &hand_off) || !hand_off.safe)
            return false;
    }
    return count > 0;
}

bool preparation_repeats(const struct check *check, uint32_t loop)
{
    struct staging staging;
    const uint32_t function = project_function_at(check->project, check_site(check, loop));
    return function != SYNTAX_NONE && !goes_to_workers(check, function) && staging_find(check, loop, &staging);
}
