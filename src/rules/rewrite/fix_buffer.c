/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uploads that give the same each time, in a method of a module: the tensor becomes
 * a buffer of the module, which is moved with it. Unsafe: a buffer follows the
 * module's .half(), is copied and broadcast with it, and who lists buffers sees it.
 */
#include "fix.h"
#include "patch.h"
#include "rules/uploads/upload.h"

/* The class of the method around the node, where it is an nn.Module that stands in this file; SYNTAX_NONE. */
static uint32_t module_around(const struct check *check, uint32_t node)
{
    const uint32_t function = project_function_at(check->project, check_site(check, node));
    const uint32_t class_id =
        function == SYNTAX_NONE ? SYNTAX_NONE : project_function(check->project, function)->class_id;
    if (class_id == SYNTAX_NONE)
        return SYNTAX_NONE;
    const struct class_info *class_info = project_class(check->project, class_id);
    return class_info->is_module && class_info->file == check->file ? class_id : SYNTAX_NONE;
}

/* `super().__init__()` as a statement of the constructor itself: only behind it a module takes buffers. */
static uint32_t super_call(const struct check *check, uint32_t class_id)
{
    const uint32_t init = project_method(check->project, class_id, S("__init__"));
    if (init == SYNTAX_NONE || project_function(check->project, init)->class_id != class_id)
        return SYNTAX_NONE;
    const struct syntax *tree = check->tree;
    const uint32_t block = syntax_last_child(tree, project_function(check->project, init)->node);
    for (uint32_t at = syntax_first(tree, block); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        const uint32_t call = syntax_is(tree, at, SYN_EXPR) ? syntax_first(tree, at) : SYNTAX_NONE;
        if (call != SYNTAX_NONE && syntax_calls(tree, call, S("__init__")) &&
            syntax_calls(tree, ask_receiver(check, call), S("super")))
            return at;
    }
    return SYNTAX_NONE;
}

/* ---- a tensor that the constructor keeps: self.x = ...; self.x.cuda() ---- */

static bool is_upload_of(const struct check *check, uint32_t node)
{
    const uint32_t attribute = check->tree->parent[node], call = check->tree->parent[attribute];
    return syntax_is(check->tree, attribute, SYN_ATTRIBUTE) && syntax_is(check->tree, call, SYN_CALL) &&
           upload_of(check, call).what == node;
}

/* The statement `self.x = value` of the constructor, where x is bound there alone and only read to be uploaded. */
static uint32_t only_binding(const struct check *check, uint32_t class_id, uint32_t attribute)
{
    struct site bound[2];
    const struct syntax *tree = check->tree;
    if (attribute_bindings(check->project, class_id, syntax_tail(tree, attribute), bound, 2) != 1 ||
        bound[0].file != check->file)
        return SYNTAX_NONE;
    const uint32_t statement = tree->parent[bound[0].node], node = project_class(check->project, class_id)->node;
    if (!syntax_is(tree, statement, SYN_ASSIGN) || syntax_child_count(tree, statement) != 2)
        return SYNTAX_NONE;
    for (uint32_t at = node; at < syntax_last(tree, node); at++)
        if (at != bound[0].node && tree->kind[at] == SYN_ATTRIBUTE && syntax_same(tree, at, tree, attribute) &&
            !is_upload_of(check, at))
            return SYNTAX_NONE;
    return statement;
}

static bool make_attribute_a_buffer(struct patch *patch, uint32_t call, uint32_t what, uint32_t class_id,
                                    uint32_t super)
{
    const struct check *check = patch->check;
    const uint32_t statement = only_binding(check, class_id, what);
    if (statement == SYNTAX_NONE || check->tree->parent[statement] != check->tree->parent[super] || statement < super)
        return false;
    const uint32_t value = syntax_last_child(check->tree, statement);
    if (!value_is_tensor(ask_value(check, value)) || value_has(ask_value(check, value), VALUE_PARAMETER))
        return false;
    const str name = syntax_tail(check->tree, what), text = patch_text(patch, value);
    patch_replace(patch, check->tree->begin[statement], check->tree->end[statement],
                  patch_printf(patch, "self.register_buffer(\"%.*s\", %.*s, persistent=False)", (int)name.len, name.at,
                               (int)text.len, text.at));
    patch_node(patch, call, patch_text(patch, what));
    return true;
}

/* ---- a constant that the method makes: torch.tensor([1.0, 2.0]).to(x.device) ---- */

/* What the host makes: the constructor without its device=, or what is moved. */
static str made_on_the_host(const struct patch *patch, uint32_t call, uint32_t what)
{
    const struct syntax *tree = patch->check->tree;
    const uint32_t device = syntax_argument(tree, call, UINT32_MAX, "device");
    if (device == SYNTAX_NONE)
        return patch_text(patch, what);
    const uint32_t keyword = tree->parent[device];
    uint32_t before = SYNTAX_NONE;
    for (uint32_t at = syntax_first(tree, tree->parent[keyword]); at != keyword; at = syntax_next(tree, at))
        before = at;
    if (before == SYNTAX_NONE)
        return S("");
    uint32_t begin, end;
    syntax_outer(tree, before, &begin, &end); /* the comma goes with it */
    const str head = {tree->text.at + tree->begin[call], end - tree->begin[call]};
    const str tail = {tree->text.at + tree->end[keyword], tree->end[call] - tree->end[keyword]};
    return patch_printf(patch, "%.*s%.*s", (int)head.len, head.at, (int)tail.len, tail.at);
}

static bool binds(const struct check *check, uint32_t function, str name)
{
    const uint32_t last = syntax_last(check->tree, function);
    for (uint32_t node = syntax_name_from(check->tree, name, function, last); node != SYNTAX_NONE;
         node = syntax_name_from(check->tree, name, node + 1, last))
        if (flow_bound(check->project, check_site(check, node)))
            return true;
    return false;
}

/* Whether it reads, but for its device, what the method around has of its own and the constructor has not. */
static bool reads_own_names(const struct check *check, uint32_t expression)
{
    const struct syntax *tree = check->tree;
    const uint32_t function = syntax_function(tree, expression);
    const uint32_t device = syntax_argument(tree, expression, UINT32_MAX, "device");
    for (uint32_t at = expression; at < syntax_last(tree, expression); at++)
        if (syntax_is(tree, at, SYN_NAME) && !syntax_is_member_name(tree, at) &&
            (device == SYNTAX_NONE || !syntax_inside(tree, at, device)) &&
            binds(check, function, syntax_text(tree, at)))
            return true;
    return false;
}

/* `w = ...` gives its name; nobody may change what is shared from now on. */
static bool name_of_constant(const struct patch *patch, uint32_t call, str *name)
{
    const struct check *check = patch->check;
    const uint32_t statement = check->tree->parent[call];
    *name = S("constant");
    if (!syntax_is(check->tree, statement, SYN_ASSIGN))
        return true;
    const uint32_t target = syntax_first(check->tree, statement);
    const struct definition *bound = flow_bound(check->project, check_site(check, target));
    if (!syntax_is(check->tree, target, SYN_NAME) || syntax_child_count(check->tree, statement) != 2 || !bound ||
        ask_changed(check, bound, 0, UINT32_MAX))
        return false;
    *name = syntax_text(check->tree, target);
    return true;
}

static bool make_constant_a_buffer(struct patch *patch, uint32_t call, uint32_t what, uint32_t super)
{
    str wanted;
    const str made = made_on_the_host(patch, call, what);
    const bool placed = syntax_argument(patch->check->tree, call, UINT32_MAX, "device") != SYNTAX_NONE;
    if (!made.len || memchr(made.at, '\n', made.len) || reads_own_names(patch->check, placed ? call : what) ||
        !name_of_constant(patch, call, &wanted))
        return false;
    const str name = patch_fresh_name(patch, patch_printf(patch, "%.*s_buffer", (int)wanted.len, wanted.at));
    patch_line_after(patch, super,
                     patch_printf(patch, "self.register_buffer(\"%.*s\", %.*s, persistent=False)", (int)name.len,
                                  name.at, (int)made.len, made.at));
    patch_node(patch, call, patch_printf(patch, "self.%.*s", (int)name.len, name.at));
    return true;
}

bool fix_into_buffer(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t call = match->node, what = match->captures[0];
    const uint32_t class_id = module_around(check, call);
    const uint32_t super = class_id == SYNTAX_NONE ? SYNTAX_NONE : super_call(check, class_id);
    if (super == SYNTAX_NONE || syntax_inside(check->tree, call, check->tree->parent[super]))
        return false;
    if (ask_own_attribute(check->tree, what))
        return make_attribute_a_buffer(&patch, call, what, class_id, super) && patch_hand_over(&patch, edits);
    return value_has(ask_value(check, what), VALUE_CONSTANT) && make_constant_a_buffer(&patch, call, what, super) &&
           patch_hand_over(&patch, edits);
}
