/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include "source/flow/asks.h"

bool loop_is(enum syntax_kind kind)
{
    switch (kind) {
    case SYN_FOR:
    case SYN_WHILE:
    case SYN_LIST_COMP:
    case SYN_SET_COMP:
    case SYN_DICT_COMP:
    case SYN_GENERATOR:
        return true;
    default:
        return false;
    }
}

bool loop_over_elements(const struct check *check, uint32_t loop)
{
    const enum loop_kind kind = context_loop(check->project, check_site(check, loop));
    if (kind != LOOP_OTHER)
        return kind == LOOP_ELEMENT;
    const struct context context = context_of(check->project, check_site(check, loop));
    return context.pace == PACE_UNKNOWN || context.inner > 0;
}

uint32_t loop_iterable(const struct syntax *tree, uint32_t loop)
{
    if (tree->kind[loop] == SYN_FOR)
        return syntax_child(tree, loop, 1);
    if (tree->kind[loop] == SYN_WHILE)
        return SYNTAX_NONE;
    const uint32_t clause = syntax_child(tree, loop, 1);
    return syntax_is(tree, clause, SYN_COMP_FOR) ? syntax_child(tree, clause, 1) : SYNTAX_NONE;
}

bool loop_hands_on(const struct check *check, uint32_t call)
{
    return calls_one_of(check->tree, call, WORDS_HAND_ON);
}

uint32_t loop_source(const struct check *check, uint32_t loop)
{
    uint32_t at = loop_iterable(check->tree, loop);
    while (at != SYNTAX_NONE && loop_hands_on(check, at)) {
        const uint32_t inner = syntax_argument(check->tree, at, 0, NULL);
        if (inner == SYNTAX_NONE)
            break;
        at = inner;
    }
    return at;
}

/* ---- what counts the rounds ---- */

static bool is_size_of_data(const struct check *check, uint32_t node)
{
    if (calls_one_of(check->tree, node, WORDS_SIZE_OF_DATA))
        return true;
    if (syntax_is(check->tree, node, SYN_ATTRIBUTE) && str_eq(syntax_tail(check->tree, node), S("shape")))
        return true;
    return ask_value(check, node)->kind == VALUE_TENSOR;
}

/* The right side of a name's definitions, one step back. */
static bool defined_by_data(const struct check *check, uint32_t node)
{
    if (!syntax_is(check->tree, node, SYN_NAME))
        return false;
    const struct definition *definition = flow_definition(check->project, check_site(check, node));
    return definition && definition->value != SYNTAX_NONE && definition->kind == DEFINED_ASSIGN &&
           ask_any(check, definition->value, is_size_of_data);
}

static bool names_data(const struct check *check, uint32_t node)
{
    return is_size_of_data(check, node) || defined_by_data(check, node);
}

bool loop_counts_data(const struct check *check, uint32_t loop)
{
    if (check->tree->kind[loop] == SYN_WHILE)
        return ask_any(check, syntax_first(check->tree, loop), names_data);
    const uint32_t source = loop_source(check, loop);
    if (source == SYNTAX_NONE)
        return false;
    if (calls_one_of(check->tree, source, WORDS_NAMED_ITEMS))
        return false; /* what has a name each is no data */
    const struct value *value = ask_value(check, source);
    const bool is_range = syntax_calls(check->tree, source, S("range"));
    if (value->kind == VALUE_MODULE)
        return false; /* the layers of a network */
    return is_range ? ask_any(check, syntax_child(check->tree, source, 1), names_data)
                    : value->item_count == 0 || value->item_count > 8;
}

/* ---- what happens in a round ---- */

bool loop_varies(const struct check *check, uint32_t node, uint32_t loop)
{
    for (uint32_t at = node; at < syntax_last(check->tree, node); at++)
        if (check->tree->kind[at] == SYN_NAME && flow_changes(check->project, check_site(check, at), loop))
            return true;
    return false;
}

static bool is_scope(enum syntax_kind kind)
{
    return kind == SYN_FUNCTION || kind == SYN_CLASS || kind == SYN_LAMBDA;
}

uint32_t loop_next(const struct syntax *tree, uint32_t loop, uint32_t at)
{
    const bool skip = at != loop && (loop_is(tree->kind[at]) || is_scope(tree->kind[at]));
    const uint32_t next = skip ? syntax_last(tree, at) : at + 1;
    return next < syntax_last(tree, loop) ? next : SYNTAX_NONE;
}

static bool is_module_call(const struct project *project, struct site call)
{
    const struct syntax *tree = project_tree(project, call.file);
    if (!syntax_is(tree, call.node, SYN_CALL))
        return false;
    const struct value *callee = value_at(project, (struct site){call.file, syntax_first(tree, call.node)});
    return callee->kind == VALUE_MODULE || callee->kind == VALUE_LOSS;
}

/* A function of the run that calls a network or one of its layers itself: self.update_memory(x, h). */
static bool wraps_module(const struct project *project, uint32_t function)
{
    enum { FAR_ENOUGH = 20000 };
    static const struct limit long_function = {
        "called-function",
        "a function that a loop calls has more than 20,000 nodes; those behind are not looked at for "
        "calls of a network"};
    const struct function *about = project_function(project, function);
    const struct syntax *tree = project_tree(project, about->file);
    if (str_eq(about->name, S("forward")))
        return true;
    const uint32_t size = tree->size[about->node] < FAR_ENOUGH ? tree->size[about->node] : FAR_ENOUGH;
    for (uint32_t at = about->node; at < about->node + size; at++)
        if (is_module_call(project, (struct site){about->file, at}))
            return true;
    if (size < tree->size[about->node])
        project_limit(project, &long_function, (struct site){about->file, about->node});
    return false;
}

/* `layer(x)` of `for layer in layers`: what a loop hands out to be called. */
static bool calls_what_it_goes_over(const struct check *check, uint32_t call)
{
    const struct site callee = check_site(check, syntax_first(check->tree, call));
    const struct definition *definition =
        syntax_is(check->tree, callee.node, SYN_NAME) ? flow_definition(check->project, callee) : NULL;
    return definition && definition->kind == DEFINED_FOR;
}

/* `self.part(x)` in a network, where what is bound to it came from outside: a part of the network. */
static bool calls_own_part(const struct check *check, uint32_t call)
{
    struct site bound[1];
    const uint32_t callee = syntax_first(check->tree, call);
    const uint32_t f = project_function_at(check->project, check_site(check, call));
    const uint32_t class_id = f == SYNTAX_NONE ? SYNTAX_NONE : project_function(check->project, f)->class_id;
    return class_id != SYNTAX_NONE && ask_own_attribute(check->tree, callee) &&
           project_class(check->project, class_id)->is_module && ask_value(check, callee)->kind == VALUE_UNKNOWN &&
           project_method(check->project, class_id, syntax_tail(check->tree, callee)) == SYNTAX_NONE &&
           attribute_bindings(check->project, class_id, syntax_tail(check->tree, callee), bound, 1) > 0;
}

/* Calls of a network or one of its layers, perhaps through a method; a loss function is one too. */
static bool calls_module(const struct check *check, uint32_t node)
{
    if (!syntax_is(check->tree, node, SYN_CALL))
        return false;
    if (calls_what_it_goes_over(check, node))
        return true;
    if (is_module_call(check->project, check_site(check, node)) || calls_own_part(check, node))
        return true;
    const uint32_t target = name_target(check->project, check_site(check, node));
    return target != SYNTAX_NONE && wraps_module(check->project, target);
}

bool loop_runs_module(const struct check *check, uint32_t loop)
{
    return ask_any(check, loop, calls_module);
}

/* ---- rounds that cannot be done at once ---- */

/* `total = total + x`, `rows = torch.cat([rows, x])`: rounds can be gathered, and added or joined once. */
static bool only_gathers(const struct check *check, uint32_t read, uint32_t value)
{
    const struct syntax *tree = check->tree;
    if (syntax_is(tree, value, SYN_CALL))
        return known_word(WORDS_JOIN, ask_tail(check, value));
    return syntax_is(tree, value, SYN_BINARY) && tree->op[value] == OP_ADD && tree->parent[read] == value;
}

static bool may_be_tensor(const struct check *check, uint32_t node)
{
    const struct value *value = ask_value(check, node);
    return value_is_tensor(value) || value->kind == VALUE_UNKNOWN;
}

/* Whether the read sees what a statement of the loop has bound a round before. */
static bool reads_round_before(const struct check *check, uint32_t read, uint32_t loop)
{
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(check->project, check_site(check, read), found, FLOW_MOST_DEFINITIONS);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_DEFINITIONS; i++) {
        const bool in_it = syntax_inside(check->tree, read, found[i]->statement);
        const bool changed = found[i]->kind == DEFINED_CHANGE && !in_it;
        const bool part = found[i]->unpacked && value_is_container(ask_value(check, found[i]->value));
        const bool bound = found[i]->kind == DEFINED_ASSIGN && (part || may_be_tensor(check, found[i]->value));
        if ((!changed && !bound) || !syntax_inside(check->tree, found[i]->statement, loop))
            continue;
        if (in_it ? !only_gathers(check, read, found[i]->value) : found[i]->statement > read)
            return true;
    }
    return false;
}

bool loop_is_recurrence(const struct check *check, uint32_t loop)
{
    enum { LARGEST = 20000 };
    static const struct limit large = {
        "loop-size", "a loop has more than 20,000 nodes; whether a round needs the one before is not looked at"};
    if (check->tree->kind[loop] != SYN_FOR)
        return false;
    if (check->tree->size[loop] > LARGEST) {
        check_limit(check, &large, loop);
        return false;
    }
    for (uint32_t at = loop; at != SYNTAX_NONE; at = loop_next(check->tree, loop, at))
        if (syntax_is(check->tree, at, SYN_NAME) && may_be_tensor(check, at) && reads_round_before(check, at, loop))
            return true;
    return false;
}

bool loop_is_ragged(const struct check *check, uint32_t loop)
{
    for (uint32_t at = loop; at != SYNTAX_NONE; at = loop_next(check->tree, loop, at)) {
        if (calls_one_of(check->tree, at, WORDS_RAGGED))
            return true;
        const uint32_t index =
            syntax_is(check->tree, at, SYN_SUBSCRIPT) ? syntax_child(check->tree, at, 1) : SYNTAX_NONE;
        const uint32_t parent = check->tree->parent[at];
        const bool stored = syntax_is(check->tree, parent, SYN_ASSIGN) && syntax_last_child(check->tree, parent) != at;
        if (index != SYNTAX_NONE && !stored && ask_gpu_tensor(check, index) &&
            ask_value(check, index)->dtype == DTYPE_BOOL)
            return true;
    }
    return false;
}

/* ---- elements ---- */

uint32_t index_first(const struct syntax *tree, uint32_t index)
{
    return syntax_is(tree, index, SYN_TUPLE) ? syntax_first(tree, index) : index;
}

uint32_t index_next(const struct syntax *tree, uint32_t index, uint32_t part)
{
    return part == index ? SYNTAX_NONE : syntax_next(tree, part);
}

/* The i of `for i in torch.arange(n)`: a row of a tensor, one number where that has one dimension. */
static bool is_row_of_tensor(const struct check *check, uint32_t name)
{
    const struct definition *definition =
        syntax_is(check->tree, name, SYN_NAME) ? flow_definition(check->project, check_site(check, name)) : NULL;
    return definition && definition->kind == DEFINED_FOR && definition->value != SYNTAX_NONE &&
           !syntax_is(check->tree, definition->value, SYN_LIST) &&
           !syntax_is(check->tree, definition->value, SYN_TUPLE);
}

/* A number: a Python one, or a tensor of one element. */
static bool is_number_index(const struct check *check, uint32_t part)
{
    const struct value *value = ask_value(check, part);
    switch (value->kind) {
    case VALUE_INT:
        return true;
    case VALUE_TENSOR:
        return value->rank == RANK_0 ||
               (value->rank == RANK_UNKNOWN && value->dtype != DTYPE_BOOL && is_row_of_tensor(check, part));
    case VALUE_ARRAY:
        return value_has(value, VALUE_SCALAR_NUMPY);
    default:
        return false;
    }
}

bool loop_takes_element(const struct check *check, uint32_t subscript, uint32_t loop)
{
    if (!syntax_is(check->tree, subscript, SYN_SUBSCRIPT) ||
        !ask_gpu_tensor(check, syntax_first(check->tree, subscript)))
        return false;
    const uint32_t index = syntax_child(check->tree, subscript, 1);
    for (uint32_t part = index_first(check->tree, index); part != SYNTAX_NONE;
         part = index_next(check->tree, index, part))
        if (is_number_index(check, part) && loop_varies(check, part, loop))
            return true;
    return false;
}
