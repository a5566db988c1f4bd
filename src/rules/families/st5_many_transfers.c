/* SPDX-License-Identifier: Apache-2.0 */
/* Family 5: many transfers, or the same one again and again, where one or none would do. */
#include "rules/rewrite/fix.h"
#include "rules/ask/indexed.h"
#include "rules/loops/loop.h"
#include "rules/uploads/number.h"
#include "rules/waits/tell.h"
#include "rules/uploads/upload.h"
#include "source/flow/asks.h"
#include "words.h"

/* ---- B3: the same bytes each step ---- */

static bool is_self(const struct syntax *tree, uint32_t node)
{
    return syntax_is(tree, node, SYN_NAME) && str_eq(syntax_text(tree, node), S("self"));
}

/* A function that runs before training: __init__ and what only it calls. */
static bool is_setup(const struct check *check, struct site binding)
{
    const struct context context = context_of(check->project, binding);
    const uint32_t function = project_function_at(check->project, binding);
    const bool constructs =
        function != SYNTAX_NONE && str_eq(project_function(check->project, function)->name, S("__init__"));
    return constructs || context.pace == PACE_ONCE;
}

/* Whether all that is ever bound to self.x is bound before training. */
static bool is_bound_at_setup(const struct check *check, uint32_t attribute)
{
    const uint32_t around = project_function_at(check->project, check_site(check, attribute));
    const uint32_t class_id = around == SYNTAX_NONE ? SYNTAX_NONE : project_function(check->project, around)->class_id;
    if (class_id == SYNTAX_NONE)
        return false;
    struct site found[ASK_MOST_BINDINGS];
    const uint32_t count =
        attribute_bindings(check->project, class_id, syntax_tail(check->tree, attribute), found, ASK_MOST_BINDINGS);
    if (count > ASK_MOST_BINDINGS)
        check_limit(check, &ask_many_bindings, attribute);
    if (!count || count > ASK_MOST_BINDINGS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!is_setup(check, found[i]))
            return false;
    return true;
}

/* A name of a thing that is imported or defined once: torch, np.float32, a function. */
static bool is_name_of_code(const struct check *check, uint32_t name)
{
    switch (ask_value(check, name)->kind) {
    case VALUE_IMPORT:
    case VALUE_FUNCTION:
    case VALUE_CLASS:
    case VALUE_DTYPE:
    case VALUE_DEVICE:
        return true;
    default:
        return false;
    }
}

/* Whether nothing in the expression can change: literals and pure functions of them. */
static bool is_literal(const struct check *check, uint32_t node)
{
    for (uint32_t at = node; at < syntax_last(check->tree, node); at++) {
        const uint32_t parent = check->tree->parent[at];
        const bool keyword = syntax_is(check->tree, parent, SYN_KEYWORD) && at == syntax_first(check->tree, parent);
        const bool attribute = syntax_is(check->tree, parent, SYN_ATTRIBUTE) && at != syntax_first(check->tree, parent);
        if (syntax_is(check->tree, at, SYN_NAME) && !keyword && !attribute && !is_name_of_code(check, at))
            return false;
    }
    return flow_pure(check->project, check_site(check, node));
}

/* A view of an attribute of self: self.x.float(), self.x[:3]; of `self.x[i]` it is another part each time. */
static uint32_t own_attribute(const struct check *check, uint32_t what)
{
    const struct syntax *tree = check->tree;
    while (!ask_own_attribute(tree, what)) {
        const bool part = syntax_is(tree, what, SYN_SUBSCRIPT) && is_literal(check, syntax_child(tree, what, 1));
        const uint32_t receiver = ask_receiver(check, what);
        if (part)
            what = syntax_first(tree, what);
        else if (receiver != SYNTAX_NONE && is_literal(check, syntax_child(tree, what, 1)))
            what = receiver;
        else
            return SYNTAX_NONE;
    }
    return what;
}

/* Whether it is the same in all steps though no loop is to be seen: made of literals and of what set-up has bound. */
static bool is_same_each_call(const struct check *check, uint32_t what)
{
    if (is_literal(check, what))
        return true;
    const uint32_t own = own_attribute(check, what);
    return own != SYNTAX_NONE && is_bound_at_setup(check, own) && flow_pure(check->project, check_site(check, what));
}

/* The loop of the steps, where it stands in the same function and the value is none of its own. */
static uint32_t invariant_loop(const struct check *check, uint32_t what)
{
    const struct context context = context_of(check->project, check_site(check, what));
    const uint32_t loops[] = {context.loop, context.step_loop};
    for (size_t i = 0; i < 2; i++)
        if (loops[i] != SYNTAX_NONE && flow_invariant(check->project, check_site(check, what), loops[i]))
            return loops[i];
    return SYNTAX_NONE;
}

/* Whether all that a helper is given is the same each time: it may upload a part that the other arguments choose. */
static bool is_given_the_same(const struct check *check, uint32_t call, uint32_t loop)
{
    if (!value_move(check->project, check_site(check, call)).wrapper || loop == SYNTAX_NONE)
        return true;
    const uint32_t arguments = syntax_child(check->tree, call, 1);
    for (uint32_t at = syntax_first(check->tree, arguments); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (!flow_invariant(check->project, check_site(check, at), loop))
            return false;
    return true;
}

/* `[torch.tensor([0], device=d) for _ in ranks]`: room for something else each, not the same constant. */
static bool is_one_of_many(const struct syntax *tree, uint32_t call)
{
    const uint32_t parent = tree->parent[call];
    return syntax_is(tree, parent, SYN_LIST_COMP) && syntax_first(tree, parent) == call;
}

/* The list of torch.tensor([1.0, 2.0], device=d): constants that are uploaded as the tensor is made. */
static uint32_t constant_list(const struct check *check, uint32_t call)
{
    if (!calls_one_of(check->tree, call, WORDS_MAKE_OF_CONSTANTS))
        return SYNTAX_NONE;
    const uint32_t data = syntax_argument(check->tree, call, 0, "data");
    if (data == SYNTAX_NONE || !value_gpu_tensor(ask_value(check, call)) || !syntax_is(check->tree, data, SYN_LIST) ||
        !syntax_child_count(check->tree, data) || !is_literal(check, data) || is_one_of_many(check->tree, call))
        return SYNTAX_NONE;
    return data;
}

/* self.w = self.w.to(d): from the second time on it is there already. */
static bool is_bound_to_itself(const struct check *check, uint32_t call, uint32_t what)
{
    const uint32_t statement = syntax_statement(check->tree, call);
    return syntax_is(check->tree, statement, SYN_ASSIGN) && syntax_last_child(check->tree, statement) == call &&
           syntax_same(check->tree, syntax_first(check->tree, statement), check->tree, what);
}

/* What is moved; SYNTAX_NONE where the call moves nothing that could stay. */
static uint32_t uploaded_by(const struct check *check, uint32_t call)
{
    const uint32_t constants = constant_list(check, call);
    if (constants != SYNTAX_NONE)
        return constants;
    const struct upload upload = upload_of(check, call);
    if (!upload.is || upload.move.is_module || upload_is_creation(check, upload.origin) ||
        is_bound_to_itself(check, call, upload.what))
        return SYNTAX_NONE;
    return upload.what;
}

static bool check_repeated_upload(const struct check *check, uint32_t call, struct match *match)
{
    const uint32_t what = uploaded_by(check, call);
    if (what == SYNTAX_NONE || !ask_matters(check, call))
        return false;
    const uint32_t loop = invariant_loop(check, what);
    if ((loop == SYNTAX_NONE && !is_same_each_call(check, what)) || !is_given_the_same(check, call, loop))
        return false;
    match->upload = call;
    match->captures[match->capture_count++] = what;
    match->captures[match->capture_count++] = loop;
    match->fix = fix_kind_of_repeated_upload(check, match);
    if (number_made_tensor(check, ask_root(check, what)) != SYNTAX_NONE)
        number_break_aside(check, call, match);
    const str text = ask_text(check, what);
    return tell(check, call, match,
                str_printf(check->arena, "`%.*s` is the same each time and is uploaded %s; %s", (int)text.len, text.at,
                           ask_often(check, call),
                           loop == SYNTAX_NONE ? "make it a buffer (register_buffer), or keep it on the device"
                                               : "move it once, before the loop"));
}

const struct rule rule_repeated_upload = {
    .id = "ST501",
    .name = "repeated-upload",
    .entry = "B3",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_repeated_upload,
    .fix = fix_repeated_upload,
    .fix_kind = FIX_SAFE,
    .words = &words_repeated_upload,
};

/* ---- B4: many small ones ---- */

static uint32_t leftmost(const struct syntax *tree, uint32_t node)
{
    while (syntax_is(tree, node, SYN_ATTRIBUTE) || syntax_is(tree, node, SYN_CALL) ||
           syntax_is(tree, node, SYN_SUBSCRIPT))
        node = syntax_first(tree, node);
    return node;
}

/* Whether it is a part of self, by itself or through the loop's target. */
static bool is_part_of_self(const struct check *check, uint32_t what, uint32_t loop)
{
    const uint32_t first = leftmost(check->tree, what);
    if (is_self(check->tree, first))
        return true;
    const struct definition *definition =
        syntax_is(check->tree, first, SYN_NAME) ? flow_definition(check->project, check_site(check, first)) : NULL;
    const uint32_t source = loop_source(check, loop);
    return definition && definition->kind == DEFINED_FOR && source != SYNTAX_NONE &&
           is_self(check->tree, leftmost(check->tree, source));
}

/* A tensor; or nobody knows, but it comes from no list that the object keeps, which may be one of networks. */
static bool is_data(const struct check *check, uint32_t what, uint32_t loop)
{
    const struct value *value = ask_value(check, what);
    return value->kind == VALUE_TENSOR || value->kind == VALUE_BATCH ||
           (value->kind == VALUE_UNKNOWN && !is_part_of_self(check, what, loop));
}

/* A blocking upload in the loop's own code whose value changes with the round; SYNTAX_NONE. */
static uint32_t upload_of_round(const struct check *check, uint32_t loop)
{
    for (uint32_t at = loop; at != SYNTAX_NONE; at = loop_next(check->tree, loop, at)) {
        if (check->tree->kind[at] != SYN_CALL)
            continue;
        const struct move_info move = value_move(check->project, check_site(check, at));
        if (move.move != MOVE_UPLOAD || move.is_module || move.non_blocking || move.non_blocking_hidden)
            continue;
        if (move.what != SYNTAX_NONE && is_data(check, move.what, loop) && loop_varies(check, move.what, loop))
            return at;
    }
    return SYNTAX_NONE;
}

/* `{k: move(v, d) for k, v in batch.items()}` in move() itself: what calls it with the batch is the finding. */
static bool calls_itself(const struct check *check, uint32_t call)
{
    const struct site site = check_site(check, call);
    const uint32_t target = name_target(check->project, site);
    return target != SYNTAX_NONE && target == project_function_at(check->project, site);
}

static bool check_many_small_uploads(const struct check *check, uint32_t loop, struct match *match)
{
    if (!loop_over_elements(check, loop) || loop_runs_module(check, loop))
        return false;
    const uint32_t call = upload_of_round(check, loop);
    if (call == SYNTAX_NONE || calls_itself(check, call))
        return false;
    match->node = check->tree->kind[loop] == SYN_FOR || check->tree->kind[loop] == SYN_WHILE ? call : loop;
    match->upload = call;
    match->captures[match->capture_count++] = loop;
    match->captures[match->capture_count++] = call;
    match->fix = fix_can_unblock(check, call) ? FIX_SAFE : FIX_NONE;
    const str text = ask_text(check, call);
    return tell(check, call, match,
                str_printf(check->arena,
                           "`%.*s` copies one tensor a round and waits for each; pack them into one, or pin them "
                           "and copy with non_blocking=True",
                           (int)text.len, text.at));
}

const struct rule rule_many_small_uploads = {
    .id = "ST502",
    .name = "many-small-uploads",
    .entry = "B4",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_FOR, SYN_WHILE, SYN_LIST_COMP, SYN_SET_COMP, SYN_DICT_COMP, SYN_GENERATOR}},
    .check = check_many_small_uploads,
    .fix = fix_many_small_uploads,
    .fix_kind = FIX_SAFE,
    .words = &words_many_small_uploads,
};

/* ---- B6: an index of the host ---- */

/* Of `last - 1` last. */
static uint32_t shifted(const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    while (syntax_is(tree, node, SYN_UNARY) || syntax_is(tree, node, SYN_BINARY)) {
        const uint32_t left = syntax_first(tree, node), right = syntax_last_child(tree, node);
        if (left != right && !value_is_number(ask_value(check, left)) && !value_is_number(ask_value(check, right)))
            break;
        node = value_is_number(ask_value(check, left)) ? right : left;
    }
    return node;
}

/* i of `for i in torch.arange(n)`: one number, which an index takes for a Python one. */
static bool is_loop_target(const struct check *check, uint32_t node)
{
    const struct definition *definition =
        syntax_is(check->tree, node, SYN_NAME) ? flow_definition(check->project, check_site(check, node)) : NULL;
    return definition && definition->kind == DEFINED_FOR && ask_value(check, node)->rank != RANK_SOME;
}

/* `rows[i]` of an array or a tensor: a number, if it has one dimension, or a row; nobody knows. */
static bool is_one_of_array(const struct check *check, uint32_t node)
{
    const struct definition *definition =
        syntax_is(check->tree, node, SYN_NAME) ? flow_definition(check->project, check_site(check, node)) : NULL;
    if (definition && definition->kind == DEFINED_ASSIGN && !definition->unpacked)
        node = definition->value;
    return syntax_is(check->tree, node, SYN_SUBSCRIPT) &&
           value_is_number(ask_value(check, syntax_child(check->tree, node, 1))) &&
           ask_value(check, node)->rank != RANK_SOME;
}

/* `rows` of x[:, rows] */
static bool is_beside_others(const struct check *check, uint32_t index)
{
    const uint32_t tuple = check->tree->parent[index];
    return syntax_is(check->tree, tuple, SYN_TUPLE) &&
           syntax_is(check->tree, check->tree->parent[tuple], SYN_SUBSCRIPT);
}

/* Whether using it with a device tensor uploads it: a tensor of the CPU with dimensions, a list, an array. */
static bool is_host_data(const struct check *check, uint32_t index)
{
    const struct value *value = ask_value(check, index);
    const uint32_t node = shifted(check, index);
    switch (value->kind) {
    case VALUE_TENSOR:
        return value->device == DEVICE_CPU && value->rank != RANK_0 && !is_loop_target(check, node) &&
               !is_one_of_array(check, node);
    case VALUE_ARRAY:
        return !value_has(value, VALUE_SCALAR_NUMPY) && !is_one_of_array(check, node) && !is_loop_target(check, node);
    case VALUE_LIST: /* a list of slices stands for a tuple of them, and stands alone */
        return value_item(value)->kind != VALUE_TENSOR &&
               (value_item(value)->kind != VALUE_UNKNOWN || is_beside_others(check, index));
    default:
        return false;
    }
}

static uint32_t host_part(const struct check *check, uint32_t index)
{
    for (uint32_t part = index_first(check->tree, index); part != SYNTAX_NONE;
         part = index_next(check->tree, index, part))
        if (is_host_data(check, part))
            return part;
    return SYNTAX_NONE;
}

/* Of `gpu[...] = value` the value, where it comes from the host. */
static uint32_t host_value(const struct check *check, uint32_t subscript)
{
    const uint32_t statement = check->tree->parent[subscript];
    if (!syntax_is(check->tree, statement, SYN_ASSIGN))
        return SYNTAX_NONE;
    const uint32_t value = syntax_last_child(check->tree, statement);
    return value != subscript && is_host_data(check, value) ? value : SYNTAX_NONE;
}

static bool tell_host(const struct check *check, uint32_t subscript, uint32_t part, struct match *match,
                      const char *format)
{
    const str text = ask_text(check, part), object = ask_text(check, syntax_first(check->tree, subscript));
    match->captures[match->capture_count++] = syntax_first(check->tree, subscript);
    match->captures[match->capture_count++] = part;
    match->fix = value_has(ask_value(check, part), VALUE_RANDOM) ? FIX_UNSAFE : FIX_SAFE;
    return tell(check, subscript, match,
                str_printf(check->arena, format, (int)text.len, text.at, (int)object.len, object.at,
                           ask_often(check, subscript)));
}

static bool check_host_index(const struct check *check, uint32_t subscript, struct match *match)
{
    if (!indexed_on_device(check, subscript))
        return false;
    const uint32_t index = host_part(check, syntax_child(check->tree, subscript, 1));
    if (index != SYNTAX_NONE)
        return tell_host(check, subscript, index, match,
                         "the index `%.*s` lies on the host and is uploaded to index `%.*s`, with a wait, %s; make it "
                         "on the device");
    const uint32_t value = host_value(check, subscript);
    return value != SYNTAX_NONE && tell_host(check, subscript, value, match,
                                             "`%.*s` lies on the host and is uploaded to fill `%.*s`, with a wait, "
                                             "%s; make it on the device");
}

const struct rule rule_host_index = {
    .id = "ST503",
    .name = "host-index",
    .entry = "B6",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_SUBSCRIPT}},
    .check = check_host_index,
    .fix = fix_host_index,
    .fix_kind = FIX_SAFE,
    .words = &words_host_index,
};
