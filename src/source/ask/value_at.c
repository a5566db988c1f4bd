/* SPDX-License-Identifier: Apache-2.0 */
/* Values as they are handed out: devices settled for the run. And what a call moves. */
#include "value_at.h"

#include "source/known/known.h"
#include "name.h"
#include "rounds.h"

static const struct value *settled(const struct project *project, uint32_t function, const struct value *value)
{
    if (value->kind != VALUE_NOTHING && !value_symbolic(value))
        return value;
    struct value out = *value;
    const struct value *room[64];
    uint16_t flags = 0;
    if (out.kind == VALUE_NOTHING)
        out.kind = VALUE_UNKNOWN;
    if (out.device == DEVICE_PARAMETER)
        out.device = (uint8_t)resolve_parameter(&project->cells, function, value->parameter, &flags);
    out.flags |= flags;
    out.parameter = 0;
    const uint32_t count = !value->items ? 0 : value->item_count ? value->item_count : 1;
    for (uint32_t i = 0; i < count; i++)
        room[i] = settled(project, function, value->items[i]);
    out.items = value->items ? room : NULL;
    return values_get(project->cells.values, &out);
}

/* ---- what tests around a name say ---- */

enum { DEEPEST_TEST = 24, FARTHEST_TEST = 64 };

/* 1: where the test holds the name is no tensor; -1: where it does not hold; 0: it says nothing of that. */
static int denies_tensor(const struct syntax *tree, uint32_t test, str name, int depth, bool *deep)
{
    if (depth == DEEPEST_TEST) {
        *deep = true;
        return 0;
    }
    if (tree->kind[test] == SYN_NOT)
        return -denies_tensor(tree, test + 1, name, depth + 1, deep);
    if (tree->kind[test] == SYN_BOOL) { /* all parts of an `and` hold, none of an `or` holds where it does not */
        const int a = denies_tensor(tree, syntax_child(tree, test, 0), name, depth + 1, deep);
        const int b = denies_tensor(tree, syntax_child(tree, test, 1), name, depth + 1, deep);
        const int sign = tree->op[test] == OP_AND ? 1 : -1;
        return a == sign || b == sign ? sign : 0;
    }
    const uint32_t what = syntax_is(tree, test, SYN_CALL) ? syntax_argument(tree, test, 0, NULL) : NONE;
    if (syntax_calls(tree, test, S("is_tensor")))
        return what != NONE && str_eq(syntax_text(tree, what), name) ? -1 : 0;
    if (!syntax_calls(tree, test, S("isinstance")))
        return 0;
    const uint32_t type = syntax_argument(tree, test, 1, NULL);
    if (what == NONE || type == NONE || !str_eq(syntax_text(tree, what), name))
        return 0;
    return str_has(syntax_text(tree, type), S("Tensor")) ? -1 : 1;
}

static bool is_denied(const struct project *project, struct site site)
{
    static const struct limit far = {
        "tests-around", "a name stands in more than 64 expressions and blocks; tests around them are not looked at"};
    static const struct limit deep = {
        "test-depth", "a test nests deeper than 24; what it says of a name deeper than that is not looked at"};
    const struct syntax *tree = project_tree(project, site.file);
    const uint32_t node = site.node;
    const str name = syntax_text(tree, node);
    int links = 0;
    for (uint32_t at = node, parent = tree->parent[at]; at; at = parent, parent = tree->parent[at]) {
        if (links++ == FARTHEST_TEST) {
            project_limit(project, &far, site);
            return false;
        }
        const enum syntax_kind kind = tree->kind[parent];
        if (kind == SYN_FUNCTION || kind == SYN_MODULE)
            return false;
        const bool choice = kind == SYN_IF || kind == SYN_CONDITIONAL || kind == SYN_BOOL;
        const uint32_t test = !choice ? NONE : syntax_child(tree, parent, kind == SYN_CONDITIONAL ? 1 : 0);
        if (!choice || at == test)
            continue;
        bool holds = at == syntax_child(tree, parent, kind == SYN_IF ? 1 : 0);
        if (kind == SYN_BOOL)
            holds = tree->op[parent] == OP_AND;
        bool too_deep = false;
        const int denies = denies_tensor(tree, test, name, 0, &too_deep);
        if (too_deep)
            project_limit(project, &deep, site);
        if (denies == (holds ? 1 : -1))
            return true;
    }
    return false;
}

const struct value *value_at(const struct project *project, struct site site)
{
    if (site_is_none(site))
        return &value_unknown;
    const struct file *file = &project->files.at[site.file];
    const struct value *value = node_value(project, file, site.node);
    const uint32_t def = file->flow.def_of[site.node];
    if (file->shown.tree->kind[site.node] == SYN_NAME && def != NONE && file->flow.defs[def].shown.name == site.node)
        value = values_by_id(
            project->cells.values,
            project->cells.of_file[site.file].value_of_def[flow_resolve(&file->flow, def)]); /* a name that is bound */
    const bool perhaps = value->kind == VALUE_TENSOR || value->kind == VALUE_UNKNOWN || value->kind == VALUE_NOTHING;
    if (perhaps && file->shown.tree->kind[site.node] == SYN_NAME && is_denied(project, site))
        return &value_unknown;
    if (value->kind != VALUE_NOTHING && !value_symbolic(value))
        return value;
    uint32_t f = project_function_at(project, site);
    while (syntax_is(file->shown.tree, project->files.functions[f].node, SYN_LAMBDA)) /* evaluated where it stands */
        f = project->files.functions[f].outer;
    return settled(project, f, value);
}

/* ---- moves ---- */

static bool is_true(const struct syntax *tree, uint32_t node)
{
    return syntax_is(tree, node, SYN_TRUE);
}

static void read_non_blocking(const struct syntax *tree, uint32_t call, struct move_info *info)
{
    uint32_t node = syntax_argument(tree, call, NONE, "non_blocking");
    if (node == NONE)
        node = syntax_argument(tree, call, NONE, "async");
    if (node == NONE && (syntax_calls(tree, call, S("cuda")) || syntax_calls(tree, call, S("copy_"))))
        node = syntax_argument(tree, call, 1, NULL);
    info->non_blocking = is_true(tree, node);
    info->non_blocking_hidden = (node != NONE && !is_true(tree, node) && !syntax_is(tree, node, SYN_FALSE)) ||
                                syntax_arguments_hidden(tree, call);
}

static enum move move_between(const struct value *before, const struct value *after)
{
    if (after->device == DEVICE_GPU && before->device != DEVICE_GPU)
        return MOVE_UPLOAD;
    if (after->device == DEVICE_CPU && before->device == DEVICE_GPU)
        return MOVE_DOWNLOAD;
    if (after->device == DEVICE_CPU && before->device == DEVICE_CPU)
        return MOVE_NONE;
    return after->device == before->device && after->device != DEVICE_UNKNOWN ? MOVE_NONE : MOVE_UNKNOWN;
}

static struct move_info move_of_method(const struct project *project, struct site call, const struct known *known)
{
    const struct syntax *tree = project_tree(project, call.file);
    struct move_info info = {.what = syntax_first(tree, syntax_first(tree, call.node)), .explicit_ = true};
    const struct value *before = value_at(project, (struct site){call.file, info.what});
    const struct value *after = value_at(project, call);
    info.is_module = before->kind == VALUE_MODULE || before->kind == VALUE_LOSS;
    switch (known->special) {
    case SPECIAL_TO: {
        uint32_t node = syntax_argument(tree, call.node, 0, NULL);
        node = node == NONE ? syntax_argument(tree, call.node, NONE, "device") : node;
        const enum value_kind kind =
            node == NONE ? VALUE_UNKNOWN : value_at(project, (struct site){call.file, node})->kind;
        const bool device =
            kind == VALUE_DEVICE || kind == VALUE_STR || kind == VALUE_INT || after->device != before->device;
        info.move = device ? move_between(before, after) : MOVE_NONE;
        read_non_blocking(tree, call.node, &info);
        break;
    }
    case SPECIAL_CUDA:
        info.move = move_between(before, after);
        read_non_blocking(tree, call.node, &info);
        break;
    case SPECIAL_CPU:
        info.move = move_between(before, after);
        break;
    case SPECIAL_ITEM:
    case SPECIAL_TOLIST:
    case SPECIAL_NUMPY:
        info.move = before->device == DEVICE_GPU   ? MOVE_DOWNLOAD
                    : before->device == DEVICE_CPU ? MOVE_NONE
                                                   : MOVE_UNKNOWN;
        info.wrapper = info.library = is_true(tree, syntax_argument(tree, call.node, NONE, "force"));
        break;
    case SPECIAL_TYPE_AS: { /* the argument's data moves, or the receiver */
        const bool tensor = str_eq(syntax_tail(tree, syntax_first(tree, call.node)), S("new_tensor"));
        info.what = tensor ? syntax_argument(tree, call.node, 0, "data") : info.what;
        info.move = tensor && after->device == DEVICE_GPU ? MOVE_UPLOAD
                    : tensor                              ? MOVE_NONE
                                                          : move_between(before, after);
        break;
    }
    case SPECIAL_PUT: { /* what is known to lie elsewhere */
        info.what = syntax_argument(tree, call.node, 0, "src");
        const struct value *put = value_at(project, (struct site){call.file, info.what});
        info.move = put->device == DEVICE_UNKNOWN ? MOVE_NONE : move_between(put, before);
        read_non_blocking(tree, call.node, &info);
        break;
    }
    default:
        info.what = NONE;
    }
    return info;
}

/* torch.tensor(data, device=...), float(tensor) */
static struct move_info move_of_function(const struct project *project, struct site call, const struct known *known)
{
    const struct syntax *tree = project_tree(project, call.file);
    struct move_info info = {.what = syntax_argument(tree, call.node, 0, NULL)};
    if (info.what == NONE)
        return info;
    const struct value *before = value_at(project, (struct site){call.file, info.what});
    const bool size = value_is_number(before) && str_ends(name_of(project, call), S("Tensor"));
    if (known->special == SPECIAL_TENSOR && value_on_gpu(value_at(project, call)) && !value_on_gpu(before) && !size) {
        info.move = MOVE_UPLOAD;
        info.explicit_ = true;
    } else if (known->special == SPECIAL_NUMPY && value_on_gpu(before)) {
        info.move = MOVE_DOWNLOAD;
        info.wrapper = info.library = true;
    } else if (known->special == SPECIAL_NUMBER && value_gpu_tensor(before)) {
        info.move = MOVE_DOWNLOAD;
    } else {
        info.what = NONE;
    }
    return info;
}

/* A function of the run whose result is what it was given, on another device. */
static struct move_info move_of_wrapper(const struct project *project, struct site call, uint32_t target)
{
    struct move_info info = {.what = NONE, .wrapper = true};
    const struct summary *summary = summary_of(project, target);
    if (!summary->upload_wrapper && !summary->download_wrapper)
        return info;
    const struct function *f = project_function(project, target);
    const uint32_t k = f->class_id != NONE && !f->is_static ? 1 : 0;
    info.what = name_argument(project, call, k);
    if (info.what == NONE)
        return info;
    const struct value *before = value_at(project, (struct site){call.file, info.what});
    info.is_module = before->kind == VALUE_MODULE;
    info.move = move_between(before, value_at(project, call));
    info.explicit_ = true;
    return info;
}

struct move_info value_move(const struct project *project, struct site call)
{
    const struct syntax *tree = project_tree(project, call.file);
    if (!syntax_is(tree, call.node, SYN_CALL))
        return (struct move_info){.what = NONE};
    const uint32_t target = name_target(project, call);
    if (target != NONE)
        return move_of_wrapper(project, call, target);
    const struct value *callee = node_value(project, &project->files.at[call.file], syntax_first(tree, call.node));
    const struct known *known = callee->name ? callee->name->known : NULL;
    if (!known)
        return (struct move_info){.what = NONE};
    const bool method =
        str_starts(callee->name->text, S("torch.Tensor.")) || str_starts(callee->name->text, S("torch.nn.Module."));
    return method ? move_of_method(project, call, known) : move_of_function(project, call, known);
}
