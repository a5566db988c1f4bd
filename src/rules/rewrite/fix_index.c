/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites of indices and gathers: the index is made where the tensor lies, and one index takes all rows. */
#include "fix.h"
#include "patch.h"
#include "rules/uploads/upload.h"

/* ---- ST503 ---- */

/* Something that can be evaluated again without effect or cost: x, self.x, a.b.c */
static bool is_plain(const struct syntax *tree, uint32_t node)
{
    while (syntax_is(tree, node, SYN_ATTRIBUTE))
        node = syntax_first(tree, node);
    return syntax_is(tree, node, SYN_NAME);
}

/* Whether the block that binds the tensor holds the statement too, further down: it is bound there, and the same. */
static bool is_bound_before(const struct check *check, uint32_t tensor, uint32_t statement)
{
    const struct definition *definition =
        syntax_is(check->tree, tensor, SYN_NAME) ? flow_definition(check->project, check_site(check, tensor)) : NULL;
    if (!definition)
        return false;
    if (definition->kind == DEFINED_PARAMETER)
        return true;
    return definition->kind == DEFINED_ASSIGN && definition->statement < statement &&
           syntax_inside(check->tree, statement, check->tree->parent[definition->statement]);
}

/* Of `rows = torch.arange(n)` that only indexes this tensor the creation; else the index itself. */
static uint32_t made_as(const struct check *check, uint32_t tensor, uint32_t index)
{
    const uint32_t root = ask_root(check, index);
    if (!syntax_is(check->tree, root, SYN_NAME))
        return root;
    const struct definition *definition = flow_definition(check->project, check_site(check, root));
    if (!definition || definition->kind != DEFINED_ASSIGN || definition->unpacked ||
        flow_escapes(check->project, check->file, definition) ||
        flow_uses(check->project, check->file, definition, NULL, 0) != 1 ||
        !is_bound_before(check, tensor, definition->statement))
        return SYNTAX_NONE;
    return ask_root(check, definition->value);
}

/* `torch.arange(n)` of `torch.arange(n) + n`, with a number: what decides where the sum lies. */
static uint32_t without_number(const struct check *check, uint32_t node)
{
    if (!syntax_is(check->tree, node, SYN_BINARY))
        return node;
    const uint32_t left = syntax_child(check->tree, node, 0), right = syntax_child(check->tree, node, 1);
    if (!value_is_tensor(ask_value(check, right)))
        return left;
    return value_is_tensor(ask_value(check, left)) ? node : right;
}

static bool is_on_host(const struct check *check, uint32_t index)
{
    const struct value *value = ask_value(check, index);
    return value_is_tensor(value) && value_on_cpu(value) && value->rank != RANK_0;
}

static bool has_device(const struct syntax *tree, uint32_t creation)
{
    return syntax_arguments_hidden(tree, creation) ||
           syntax_argument(tree, creation, UINT32_MAX, "device") != SYNTAX_NONE;
}

/* The one index, and those that stand beside it: h[torch.arange(n), torch.arange(n) + 1] waits for each of them. */
static void make_on_device(struct patch *patch, uint32_t tensor, uint32_t index)
{
    const struct check *check = patch->check;
    const uint32_t creation = made_as(check, tensor, without_number(check, index));
    if (creation == SYNTAX_NONE || !upload_is_creation(check, creation) || has_device(check->tree, creation) ||
        str_ends(ask_tail(check, creation), S("Tensor"))) {
        patch_refuse(patch);
        return;
    }
    const str text = syntax_text(check->tree, tensor);
    patch_argument(patch, creation, patch_printf(patch, "device=%.*s.device", (int)text.len, text.at));
}

bool fix_host_index(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t tensor = match->captures[0];
    if (match->capture_count < 2 || !is_plain(check->tree, tensor))
        return false;
    const uint32_t index = match->captures[1], tuple = check->tree->parent[index];
    make_on_device(&patch, tensor, index);
    for (uint32_t at = syntax_is(check->tree, tuple, SYN_TUPLE) ? syntax_first(check->tree, tuple) : SYNTAX_NONE;
         at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (at != index && is_on_host(check, at))
            make_on_device(&patch, tensor, at);
    return patch_hand_over(&patch, edits);
}

/* ---- ST102: torch.stack([h[i][index[i]] for i in range(n)]) ---- */

struct gather {
    uint32_t tensor, index, count; /* nodes of h, index and n */
    uint32_t lambda;               /* statement `get = lambda i: ...`; SYNTAX_NONE */
};

static bool reads_name(const struct syntax *tree, uint32_t node, str name)
{
    return syntax_is(tree, node, SYN_NAME) && str_eq(syntax_text(tree, node), name);
}

/* x of `x[i]`; SYNTAX_NONE. */
static uint32_t row_of(const struct syntax *tree, uint32_t node, str i)
{
    return syntax_is(tree, node, SYN_SUBSCRIPT) && reads_name(tree, syntax_child(tree, node, 1), i)
               ? syntax_first(tree, node)
               : SYNTAX_NONE;
}

/* h[i][index[i]] and h[i, index[i]]. */
static bool is_gather(const struct syntax *tree, uint32_t element, str i, struct gather *gather)
{
    if (!syntax_is(tree, element, SYN_SUBSCRIPT))
        return false;
    const uint32_t object = syntax_first(tree, element), by = syntax_child(tree, element, 1);
    if (syntax_is(tree, by, SYN_TUPLE)) {
        if (syntax_child_count(tree, by) != 2 || !reads_name(tree, syntax_first(tree, by), i))
            return false;
        gather->tensor = object;
        gather->index = row_of(tree, syntax_child(tree, by, 1), i);
    } else {
        gather->tensor = row_of(tree, object, i);
        gather->index = row_of(tree, by, i);
    }
    return gather->tensor != SYNTAX_NONE && gather->index != SYNTAX_NONE && is_plain(tree, gather->tensor) &&
           is_plain(tree, gather->index);
}

/* n of range(n) and torch.arange(n), with casts behind it. */
static uint32_t count_of(const struct check *check, uint32_t iterable)
{
    const uint32_t call = ask_root(check, iterable);
    const bool counts = ask_named(check, call, "range") || ask_named(check, call, "torch.arange") ||
                        ask_named(check, call, "numpy.arange");
    if (!counts || syntax_child_count(check->tree, syntax_child(check->tree, call, 1)) != 1)
        return SYNTAX_NONE;
    return syntax_argument(check->tree, call, 0, NULL);
}

/* `get(i)` with `get = lambda j: h[j][index[j]]` bound once and called nowhere else. */
static uint32_t lambda_of(const struct check *check, uint32_t call, str i)
{
    const uint32_t callee = syntax_first(check->tree, call);
    if (!syntax_is(check->tree, call, SYN_CALL) || !syntax_is(check->tree, callee, SYN_NAME) ||
        !reads_name(check->tree, syntax_argument(check->tree, call, 0, NULL), i) ||
        syntax_child_count(check->tree, syntax_child(check->tree, call, 1)) != 1)
        return SYNTAX_NONE;
    const struct definition *definition = flow_definition(check->project, check_site(check, callee));
    if (!definition || definition->kind != DEFINED_ASSIGN || !syntax_is(check->tree, definition->value, SYN_LAMBDA) ||
        syntax_child_count(check->tree, definition->statement) != 2)
        return SYNTAX_NONE;
    return definition->value;
}

/* h and index must be the same when the stack is made as when the lambda was: no other binding between. */
static bool bound_between(const struct check *check, uint32_t name, uint32_t from, uint32_t to)
{
    while (syntax_is(check->tree, name, SYN_ATTRIBUTE))
        name = syntax_first(check->tree, name);
    for (uint32_t node = from; node < to; node++)
        if (reads_name(check->tree, node, syntax_text(check->tree, name)) &&
            flow_bound(check->project, check_site(check, node)))
            return true;
    return false;
}

static bool through_lambda(const struct check *check, uint32_t element, str i, uint32_t call, struct gather *gather)
{
    const uint32_t lambda = lambda_of(check, element, i);
    if (lambda == SYNTAX_NONE)
        return false;
    const uint32_t parameters = syntax_first(check->tree, lambda);
    if (syntax_child_count(check->tree, parameters) != 1)
        return false;
    const str name = syntax_text(check->tree, syntax_first(check->tree, syntax_first(check->tree, parameters)));
    const uint32_t body = syntax_child(check->tree, lambda, 1);
    if (!is_gather(check->tree, body, name, gather) || bound_between(check, gather->tensor, body, call) ||
        bound_between(check, gather->index, body, call))
        return false;
    const uint32_t statement = check->tree->parent[lambda];
    const struct definition *definition =
        flow_bound(check->project, check_site(check, syntax_first(check->tree, statement)));
    uint32_t use;
    gather->lambda = definition && !flow_escapes(check->project, check->file, definition) &&
                             flow_uses(check->project, check->file, definition, &use, 1) == 1
                         ? statement
                         : SYNTAX_NONE;
    return true;
}

static bool find_gather(const struct check *check, uint32_t stack, uint32_t comprehension, struct gather *gather)
{
    const struct syntax *tree = check->tree;
    const uint32_t each = syntax_child(tree, comprehension, 1);
    if ((tree->kind[comprehension] != SYN_LIST_COMP && tree->kind[comprehension] != SYN_GENERATOR) ||
        syntax_child_count(tree, comprehension) != 2 || !syntax_is(tree, syntax_first(tree, each), SYN_NAME))
        return false;
    gather->lambda = SYNTAX_NONE;
    gather->count = count_of(check, syntax_child(tree, each, 1));
    if (gather->count == SYNTAX_NONE)
        return false;
    const str i = syntax_text(tree, syntax_first(tree, each));
    const uint32_t element = syntax_first(tree, comprehension);
    return is_gather(tree, element, i, gather) || through_lambda(check, element, i, stack, gather);
}

/* len(index), index.shape[0], index.size(0): all rows of it. */
static bool counts_rows_of(const struct syntax *tree, uint32_t count, uint32_t index)
{
    const uint32_t first = syntax_first(tree, count);
    if (tree->kind[count] == SYN_CALL && str_eq(syntax_tail(tree, first), S("len")))
        return syntax_same(tree, syntax_argument(tree, count, 0, NULL), tree, index);
    if (tree->kind[count] == SYN_CALL && str_eq(syntax_tail(tree, first), S("size")) &&
        tree->kind[first] == SYN_ATTRIBUTE)
        return syntax_same(tree, syntax_first(tree, first), tree, index) &&
               str_eq(syntax_text(tree, syntax_argument(tree, count, 0, "dim")), S("0"));
    return tree->kind[count] == SYN_SUBSCRIPT && str_eq(syntax_tail(tree, first), S("shape")) &&
           str_eq(syntax_text(tree, syntax_child(tree, count, 1)), S("0")) &&
           syntax_same(tree, syntax_first(tree, first), tree, index);
}

static bool is_integer(const struct value *value)
{
    return value_is_tensor(value) && (value->dtype == DTYPE_INT64 || value->dtype == DTYPE_INT32);
}

/* Of a name bound to an upload also what was uploaded may tell: a copy keeps the type. */
static bool is_integer_tensor(const struct check *check, uint32_t node)
{
    if (is_integer(ask_value(check, node)))
        return true;
    const struct definition *definition =
        syntax_is(check->tree, node, SYN_NAME) ? flow_definition(check->project, check_site(check, node)) : NULL;
    if (!definition || definition->kind != DEFINED_ASSIGN || definition->unpacked)
        return false;
    const struct move_info move = value_move(check->project, check_site(check, definition->value));
    return move.move == MOVE_UPLOAD && move.what != SYNTAX_NONE && is_integer(ask_value(check, move.what));
}

/* torch.stack(list) and torch.stack(list, 0) */
static bool stacks_first(const struct check *check, uint32_t call)
{
    const uint32_t dim = syntax_argument(check->tree, call, 1, "dim");
    return ask_named(check, call, "torch.stack") && !syntax_arguments_hidden(check->tree, call) &&
           (dim == SYNTAX_NONE || str_eq(syntax_text(check->tree, dim), S("0"))) &&
           syntax_argument(check->tree, call, 2, "out") == SYNTAX_NONE;
}

bool fix_per_sample_stack(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const struct syntax *tree = check->tree;
    struct gather gather;
    uint32_t stack = match->captures[0];
    while (stack && !syntax_is(tree, stack, SYN_CALL))
        stack = tree->parent[stack];
    if (!stack || !stacks_first(check, stack) || syntax_argument(tree, stack, 0, "tensors") != match->captures[0] ||
        !find_gather(check, stack, match->captures[0], &gather) || !is_integer_tensor(check, gather.index))
        return false;
    const str torch = patch_module(&patch, "torch"), count = patch_text(&patch, gather.count);
    const str tensor = syntax_text(tree, gather.tensor), index = syntax_text(tree, gather.index);
    str rows = index;
    if (!counts_rows_of(tree, gather.count, gather.index))
        rows = patch_printf(&patch, "%.*s[:%.*s]", (int)index.len, index.at, (int)count.len, count.at);
    patch_replace(&patch, tree->begin[stack], tree->end[stack],
                  patch_printf(&patch,
                               "%.*s[%.*s.arange(%.*s, device=%.*s.device).reshape(-1, *[1] * (%.*s.dim() - 1)), %.*s]",
                               (int)tensor.len, tensor.at, (int)torch.len, torch.at, (int)count.len, count.at,
                               (int)tensor.len, tensor.at, (int)index.len, index.at, (int)rows.len, rows.at));
    if (gather.lambda != SYNTAX_NONE)
        patch_delete(&patch, gather.lambda);
    return patch_hand_over(&patch, edits);
}

/* ---- ST101 ---- */

/* `for v in x:` over a device tensor of numbers: one read before the loop instead of one a round. */
bool fix_element_access(const struct check *check, const struct match *match, struct edits *edits)
{
    (void)check, (void)match, (void)edits;
    return false;
}
