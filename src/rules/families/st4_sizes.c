/* SPDX-License-Identifier: Apache-2.0 */
/* Family 4, second half: sizes and indices that only the device knows, and calls of libraries that wait. */
#include "source/known/frameworks.h"
#include "rules/ask/indexed.h"
#include "rules/waits/tell.h"
#include "rules/waits/waits.h"
#include "source/known/known_words.h"
#include "words.h"

/* ---- A7: the size of the result is known to the device alone ---- */

static bool sizes_its_result(const struct check *check, uint32_t call)
{
    const str tail = ask_tail(check, call);
    if (known_word(WORDS_SIZED_BY_DATA, tail))
        return true;
    if (str_eq(tail, S("where")))
        return syntax_child_count(check->tree, syntax_child(check->tree, call, 1)) == 1 &&
               !syntax_arguments_hidden(check->tree, call);
    return str_eq(tail, S("repeat_interleave")) && !syntax_arguments_hidden(check->tree, call) &&
           syntax_argument(check->tree, call, UINT32_MAX, "output_size") == SYNTAX_NONE;
}

static bool is_torch_call(const struct check *check, uint32_t call)
{
    return name_under(check->project, check_site(check, call), "torch.");
}

/* The tensor whose values say how much comes out. */
static uint32_t sizing_tensor(const struct check *check, uint32_t call)
{
    const uint32_t receiver = ask_receiver(check, call);
    const bool method = ask_gpu_tensor(check, receiver);
    if (!str_eq(ask_tail(check, call), S("repeat_interleave")))
        return method ? receiver : syntax_argument(check->tree, call, 0, NULL);
    return syntax_argument(check->tree, call, method ? 0 : 1, "repeats");
}

static bool tell_size(const struct check *check, uint32_t node, struct match *match)
{
    const str text = ask_text(check, node);
    return tell(check, node, match,
                str_printf(check->arena,
                           "the size of `%.*s` depends on values on the device, so the host waits for it %s; keep the "
                           "shape fixed (torch.where, a product with the mask), or compute the indices on the host",
                           (int)text.len, text.at, ask_often(check, node)));
}

static bool is_boolean_mask(const struct check *check, uint32_t index)
{
    const struct value *value = ask_value(check, index);
    return (value_gpu_tensor(value) && value->dtype == DTYPE_BOOL) || indexed_by_comparison(check, index);
}

/* `x[mask, columns]`: the rows that the mask chooses have to be told to pair them with others. */
static bool pairs_mask(const struct check *check, uint32_t index)
{
    uint32_t tensors = 0;
    if (!syntax_is(check->tree, index, SYN_TUPLE))
        return false;
    for (uint32_t at = syntax_first(check->tree, index); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        tensors += ask_gpu_tensor(check, at) && ask_value(check, at)->rank != RANK_0;
    return tensors > 1;
}

/* `x[mask] = number` needs no size: it is a masked_fill. */
static bool fills_by_mask(const struct check *check, uint32_t subscript)
{
    const uint32_t parent = check->tree->parent[subscript];
    if (!syntax_is(check->tree, parent, SYN_ASSIGN) || syntax_last_child(check->tree, parent) == subscript ||
        pairs_mask(check, syntax_child(check->tree, subscript, 1)))
        return false;
    const struct value *value = ask_value(check, syntax_last_child(check->tree, parent));
    return value->kind != VALUE_TENSOR || value->rank == RANK_0;
}

static bool check_dynamic_shape(const struct check *check, uint32_t node, struct match *match)
{
    if (check->tree->kind[node] == SYN_CALL)
        return sizes_its_result(check, node) && ask_gpu_tensor(check, sizing_tensor(check, node)) &&
               (is_torch_call(check, node) || ask_gpu_tensor(check, ask_receiver(check, node))) &&
               tell_size(check, node, match);
    if (!indexed_on_device(check, node) || fills_by_mask(check, node))
        return false;
    const uint32_t index = syntax_child(check->tree, node, 1);
    if (check->tree->kind[index] != SYN_TUPLE)
        return is_boolean_mask(check, index) && tell_size(check, node, match);
    for (uint32_t at = syntax_first(check->tree, index); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (is_boolean_mask(check, at))
            return tell_size(check, node, match);
    return false;
}

const struct rule rule_dynamic_shape = {
    .id = "ST406",
    .name = "dynamic-shape",
    .entry = "A7",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_SUBSCRIPT, SYN_CALL},
              .tails = {"nonzero", "unique", "unique_consecutive", "masked_select", "bincount", "argwhere", "where",
                        "repeat_interleave"}},
    .check = check_dynamic_shape,
    .words = &words_dynamic_shape,
};

/* ---- A8: a number that lives on the device says how much, or which ---- */

static bool takes_sizes(const struct check *check, uint32_t call)
{
    return known_word(WORDS_TAKE_SIZES, name_of(check->project, check_site(check, call)));
}

static uint32_t size_on_device(const struct check *check, uint32_t call)
{
    const uint32_t arguments = syntax_child(check->tree, call, 1);
    const bool one = ask_named(check, call, "torch.full");
    for (uint32_t at = syntax_first(check->tree, arguments); at != SYNTAX_NONE; at = syntax_next(check->tree, at)) {
        if (check->tree->kind[at] == SYN_KEYWORD)
            continue;
        if (check->tree->kind[at] == SYN_TUPLE || check->tree->kind[at] == SYN_LIST) {
            for (uint32_t in = syntax_first(check->tree, at); in != SYNTAX_NONE; in = syntax_next(check->tree, in))
                if (ask_gpu_tensor(check, in))
                    return in;
        } else if (ask_gpu_tensor(check, at))
            return at;
        if (one)
            break;
    }
    return SYNTAX_NONE;
}

/* A tensor as the bound of a slice, a scalar tensor as the index of a tensor, any tensor as the index of a list. */
static uint32_t index_on_device(const struct check *check, uint32_t subscript)
{
    const uint32_t index = syntax_child(check->tree, subscript, 1);
    const struct value *object = ask_value(check, syntax_first(check->tree, subscript));
    const uint32_t begin = check->tree->kind[index] == SYN_TUPLE ? syntax_first(check->tree, index) : index;
    for (uint32_t at = begin; at != SYNTAX_NONE; at = at == index ? SYNTAX_NONE : syntax_next(check->tree, at)) {
        if (check->tree->kind[at] == SYN_SLICE) {
            for (uint32_t k = 0; k < 3; k++)
                if (ask_gpu_tensor(check, syntax_child(check->tree, at, k)))
                    return syntax_child(check->tree, at, k);
            continue;
        }
        const struct value *value = ask_value(check, at);
        const bool by_number = value->rank == RANK_0 && value->dtype != DTYPE_BOOL && value_is_tensor(object);
        const bool of_unknown = object->kind == VALUE_UNKNOWN && value->rank == RANK_0 && value->dtype != DTYPE_BOOL;
        if (value_gpu_tensor(value) &&
            (by_number || of_unknown || object->kind == VALUE_LIST || object->kind == VALUE_TUPLE))
            return at;
    }
    return SYNTAX_NONE;
}

static bool check_device_size(const struct check *check, uint32_t node, struct match *match)
{
    const bool call = check->tree->kind[node] == SYN_CALL;
    if (call && !takes_sizes(check, node))
        return false;
    const uint32_t what = call ? size_on_device(check, node) : index_on_device(check, node);
    if (what == SYNTAX_NONE)
        return false;
    const str text = ask_text(check, what);
    match->captures[match->capture_count++] = what;
    return tell(check, node, match,
                str_printf(check->arena,
                           "`%.*s` lives on the device and Python needs it as a number: the host waits %s; keep the "
                           "number on the host from the start, or compare with torch.arange on the device",
                           (int)text.len, text.at, ask_often(check, node)));
}

const struct rule rule_device_scalar_as_size = {
    .id = "ST407",
    .name = "device-scalar-as-size",
    .entry = "A8",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_SUBSCRIPT, SYN_CALL},
              .tails = {"range", "zeros", "ones", "empty", "full", "eye", "rand", "randn", "arange"}},
    .check = check_device_size,
    .words = &words_device_scalar_as_size,
};

/* ---- D5: libraries that wait ---- */

static bool shows_in_bar(const struct class_info *class_info)
{
    const struct contract *contract = frameworks_contract(class_info->framework, S("on_train_batch_end"));
    return contract && contract->waited == WAITED_BY_SHOWN_BAR;
}

/* self.log(.., prog_bar=True) of a LightningModule, each step: the bar reads the value. */
static bool feeds_progress_bar(const struct check *check, uint32_t call)
{
    const uint32_t function = project_function_at(check->project, check_site(check, call));
    const str tail = ask_tail(check, call);
    if ((!str_eq(tail, S("log")) && !str_eq(tail, S("log_dict"))) || function == SYNTAX_NONE ||
        !syntax_is(check->tree, syntax_argument(check->tree, call, UINT32_MAX, "prog_bar"), SYN_TRUE))
        return false;
    const uint32_t class_id = project_function(check->project, function)->class_id;
    return class_id != SYNTAX_NONE && shows_in_bar(project_class(check->project, class_id)) &&
           !syntax_is(check->tree, syntax_argument(check->tree, call, UINT32_MAX, "on_step"), SYN_FALSE);
}

static str wait_message(const struct check *check, uint32_t call, const char *because, const char *often,
                        const char *instead)
{
    const str text = ask_text(check, call);
    return str_printf(check->arena, "`%.*s` %s, so the host waits for the device %s; %s", (int)text.len, text.at,
                      because, often, instead);
}

/* What a name or typing.cast(T, x) hands on; the node itself where it is none. */
static uint32_t handed_on(const struct check *check, uint32_t value)
{
    if (syntax_is(check->tree, value, SYN_CALL) && ask_named(check, value, "typing.cast"))
        return syntax_argument(check->tree, value, 1, "val");
    if (!syntax_is(check->tree, value, SYN_NAME))
        return value;
    const struct definition *definition = flow_definition(check->project, check_site(check, value));
    const bool whole = definition && definition->kind == DEFINED_ASSIGN && !definition->unpacked;
    return whole && definition->value != SYNTAX_NONE ? definition->value : value;
}

/* The same, as far as names hand on; one that leads back to itself hands nothing on. */
static uint32_t handed_from(const struct check *check, uint32_t value)
{
    uint32_t behind = value; /* goes half as fast, and meets the other only in a circle */
    for (bool odd = false; value != SYNTAX_NONE; odd = !odd) {
        const uint32_t next = handed_on(check, value);
        if (next == value || next == behind)
            return value;
        value = next;
        behind = odd ? handed_on(check, behind) : behind;
    }
    return value;
}

/* self.x that the run binds to things of the host, or not at all: who sets it else may keep it there. */
static bool is_kept_on_host(const struct check *check, uint32_t value)
{
    value = handed_from(check, value);
    const uint32_t function = project_function_at(check->project, check_site(check, value));
    if (value == SYNTAX_NONE || !ask_own_attribute(check->tree, value) || function == SYNTAX_NONE)
        return false;
    struct site found[ASK_MOST_BINDINGS];
    const uint32_t count = attribute_bindings(check->project, project_function(check->project, function)->class_id,
                                              syntax_tail(check->tree, value), found, ASK_MOST_BINDINGS);
    if (count > ASK_MOST_BINDINGS) {
        check_limit(check, &ask_many_bindings, value);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct syntax *tree = project_tree(check->project, found[i].file);
        const uint32_t statement = tree->parent[found[i].node];
        const struct value *bound =
            syntax_is(tree, statement, SYN_ASSIGN)
                ? value_at(check->project, (struct site){found[i].file, syntax_last_child(tree, statement)})
                : &value_unknown;
        if (!value_is_number(bound) && !(value_is_tensor(bound) && value_on_cpu(bound)))
            return false;
    }
    return true;
}

/* The framework leaves a value where it lies: the bar waits only for what lies on the device. */
static bool tell_shown(const struct check *check, uint32_t call, struct match *match)
{
    const bool several = syntax_calls(check->tree, call, S("log_dict"));
    match->shown_later = true;
    const uint32_t shown = syntax_argument(check->tree, call, several ? 0 : 1, several ? "dictionary" : "value");
    if (shown != SYNTAX_NONE && !syntax_arguments_hidden(check->tree, call)) {
        const struct value *value = ask_value(check, shown);
        match->captures[match->capture_count++] = shown;
        if (value_is_number(value) || (value_is_tensor(value) && value_on_cpu(value)))
            match_break(match, LINK_DEVICE, "what is shown lies on the host", check_site(check, shown));
        else if (!value_holds_gpu(value) && is_kept_on_host(check, shown))
            match->broken[LINK_DEVICE] = (struct broken){"nobody knows whether what is shown lies on the device",
                                                         check_site(check, shown), true, false};
    }
    return tell(check, call, match,
                wait_message(check, call, "has the progress bar read the value", ask_often(check, call),
                             "leave prog_bar=True out, or log every few steps"));
}

static bool tell_wait(const struct check *check, uint32_t call, struct match *match, const struct wait *wait)
{
    const bool of_run = wait->waits == WAITS_EACH_STEP;
    const char *often = of_run ? "each training step" : ask_often(check, call);
    const str message = wait_message(check, call, wait->because, often, wait->instead);
    return (of_run ? tell_of_run : tell)(check, call, match, message);
}

static bool check_framework_sync(const struct check *check, uint32_t call, struct match *match)
{
    match->not_needed = true;
    if (!project_uses_device(check->project, check->file))
        return false;
    if (feeds_progress_bar(check, call))
        return tell_shown(check, call, match);
    const struct wait *wait = waits_of(check, call);
    return wait && tell_wait(check, call, match, wait);
}

const struct rule rule_framework_sync = {
    .id = "ST410",
    .name = "framework-sync",
    .entry = "D5",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_framework_sync,
    .words = &words_framework_sync,
};
