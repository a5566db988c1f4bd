/* SPDX-License-Identifier: Apache-2.0 */
/* Family 2: device tensors that are made of Python objects on the training thread. */
#include "rules/rewrite/fix.h"
#include "rules/loaders/worker_lists.h"
#include "rules/loops/loop.h"
#include "rules/loops/padding.h"
#include "rules/uploads/upload.h"
#include "words.h"

/* ---- what it is made of ---- */

/* torch.tensor and the constructors by type, of the host or of the device. */
static bool is_constructor(const struct check *check, uint32_t call)
{
    const str name = name_of(check->project, check_site(check, call));
    return str_starts(name, S("torch.")) && !str_starts(name, S("torch.nn."));
}

static bool is_python_container(const struct value *value)
{
    return value->kind == VALUE_LIST || value->kind == VALUE_TUPLE || value->kind == VALUE_SET ||
           value->kind == VALUE_ITERATOR;
}

/* torch.Tensor(n, m) makes room. */
static bool takes_sizes(const struct check *check, uint32_t what)
{
    return syntax_next(check->tree, what) != SYNTAX_NONE &&
           !syntax_is(check->tree, syntax_next(check->tree, what), SYN_KEYWORD);
}

/* A torch.Size is a short tuple of numbers that makes room, not data. */
static enum certainty certainty_of_list(const struct check *check, uint32_t what, str tail)
{
    const struct value *value = ask_value(check, what);
    const enum syntax_kind kind = check->tree->kind[what];
    const bool literal = kind == SYN_LIST || kind == SYN_TUPLE;
    const bool empty = (literal && syntax_first(check->tree, what) == SYNTAX_NONE) ||
                       (kind == SYN_CALL && (ask_named(check, what, "tuple") || ask_named(check, what, "list")) &&
                        syntax_argument(check->tree, what, 0, NULL) == SYNTAX_NONE);
    if (takes_sizes(check, what) || empty)
        return GPU_NO;
    if (is_python_container(value) || kind == SYN_LIST || kind == SYN_LIST_COMP)
        return GPU_SURE;
    const bool by_type = str_ends(tail, S("Tensor")); /* torch.Tensor(x): of an array it would be from_numpy */
    return value->kind == VALUE_UNKNOWN && by_type && kind != SYN_STARRED ? GPU_GUESSED : GPU_NO;
}

/* The expression behind a name that is bound once. */
static uint32_t behind_name(const struct check *check, uint32_t what)
{
    const struct definition *definition =
        syntax_is(check->tree, what, SYN_NAME) ? flow_definition(check->project, check_site(check, what)) : NULL;
    return definition && definition->kind == DEFINED_ASSIGN && !definition->unpacked && definition->value != SYNTAX_NONE
               ? definition->value
               : what;
}

/* [n] of `[n] * count` */
static bool is_one_number(const struct check *check, uint32_t list)
{
    if (!syntax_is(check->tree, list, SYN_LIST) || syntax_child_count(check->tree, list) != 1)
        return false;
    const uint32_t item = syntax_first(check->tree, list);
    return syntax_is(check->tree, item, SYN_INTEGER) || syntax_is(check->tree, item, SYN_FLOAT) ||
                   syntax_is(check->tree, item, SYN_NAME) || syntax_is(check->tree, item, SYN_ATTRIBUTE)
               ? !value_is_container(ask_value(check, item)) && !value_is_tensor(ask_value(check, item))
               : false;
}

/*
 * `[row.reward for row in rows]`, `[n] * count`, random.choices(times, k=n): a number a sample. So few take the host less than the
 * detour through NumPy (measured: it pays from about 16 on).
 */
static bool is_number_a_sample(const struct check *check, uint32_t what)
{
    const uint32_t node = behind_name(check, what);
    if (syntax_is(check->tree, node, SYN_BINARY) && check->tree->op[node] == OP_MUL)
        return is_one_number(check, syntax_first(check->tree, node));
    if (ask_named(check, node, "random.choices") || ask_named(check, node, "random.sample"))
        return true;
    if (!syntax_is(check->tree, node, SYN_LIST_COMP))
        return false;
    const uint32_t element = syntax_first(check->tree, node);
    return syntax_is(check->tree, element, SYN_ATTRIBUTE) && value_is_number(ask_value(check, element)) &&
           loop_varies(check, element, node);
}

/* A literal list of constants is the same each step: ST501 tells of it. */
static bool is_constant(const struct check *check, uint32_t what)
{
    return value_has(ask_value(check, what), VALUE_CONSTANT);
}

/* ---- that it goes to the device ---- */

/* Whether the value of the node is moved on the spot: torch.Tensor(x).long().to(d), to_gpu(torch.Tensor(x)). */
static uint32_t moved_on_the_spot(const struct check *check, uint32_t node)
{
    for (;;) {
        node = check->tree->parent[node];
        if (!node || syntax_is_statement(check->tree->kind[node]) || check->tree->kind[node] == SYN_LAMBDA)
            break;
        if (check->tree->kind[node] != SYN_CALL)
            continue;
        if (value_move(check->project, check_site(check, node)).move == MOVE_UPLOAD)
            return node;
        if (ask_receiver(check, node) == SYNTAX_NONE)
            break; /* an argument of something else */
    }
    return SYNTAX_NONE;
}

/* Whether a use of the name that the statement binds moves it. */
static uint32_t moved_by_name(const struct check *check, uint32_t node)
{
    const uint32_t statement = syntax_statement(check->tree, node);
    if (!syntax_is(check->tree, statement, SYN_ASSIGN) || !syntax_is(check->tree, statement + 1, SYN_NAME))
        return SYNTAX_NONE;
    if (ask_root(check, syntax_last_child(check->tree, statement)) != node)
        return SYNTAX_NONE;
    const struct definition *definition = flow_bound(check->project, check_site(check, statement + 1));
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = definition ? flow_uses(check->project, check->file, definition, uses, FLOW_MOST_USES) : 0;
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++) {
        const uint32_t moved = moved_on_the_spot(check, uses[i]);
        if (moved != SYNTAX_NONE)
            return moved;
    }
    return SYNTAX_NONE;
}

struct way {
    bool is;
    uint32_t move; /* the call that moves it; SYNTAX_NONE where the constructor does */
};

static struct way way_to_device(const struct check *check, uint32_t call)
{
    if (value_gpu_tensor(ask_value(check, call)))
        return (struct way){true, SYNTAX_NONE};
    uint32_t move = moved_on_the_spot(check, call);
    if (move == SYNTAX_NONE)
        move = moved_by_name(check, call);
    return (struct way){move != SYNTAX_NONE, move};
}

/* ---- the rule ---- */

static bool goes_through_float(const struct check *check, str tail, uint32_t call)
{
    const uint32_t parent = check->tree->parent[call];
    return (str_eq(tail, S("Tensor")) || str_eq(tail, S("FloatTensor"))) &&
           syntax_is(check->tree, parent, SYN_ATTRIBUTE) && str_eq(syntax_tail(check->tree, parent), S("long"));
}

static str message_of(const struct check *check, uint32_t call, uint32_t what, str tail)
{
    const str text = ask_text(check, what);
    const struct value *item = value_item(ask_value(check, what));
    const char *of = item->kind == VALUE_ARRAY    ? "a list of arrays"
                     : item->kind == VALUE_TENSOR ? "a list of tensors"
                                                  : "Python objects";
    return str_printf(check->arena,
                      "`%.*s` is %s that the training thread turns into a tensor %s%s; build one array where the batch "
                      "is collated, then torch.from_numpy",
                      (int)text.len, text.at, of, ask_often(check, call),
                      goes_through_float(check, tail, call) ? ", through float32" : "");
}

static bool check_tensor_from_list(const struct check *check, uint32_t call, struct match *match)
{
    const uint32_t what = syntax_argument(check->tree, call, 0, "data");
    if (what == SYNTAX_NONE || !is_constructor(check, call) || !ask_matters(check, call))
        return false;
    const str tail = ask_tail(check, call);
    const enum certainty certainty = certainty_of_list(check, what, tail);
    if (certainty == GPU_NO || is_constant(check, what))
        return false;
    const struct way way = way_to_device(check, call);
    if (!way.is)
        return false;
    if (ask_few_numbers(check, what))
        match_break(match, LINK_GAIN, "it is a row of a few numbers", check_site(check, what));
    if (is_number_a_sample(check, what))
        match_break(match, LINK_GAIN, "it has a number a sample, too few for NumPy to pay", check_site(check, what));
    match->builtin = tail;
    match->captures[match->capture_count++] = what;
    match->captures[match->capture_count++] = way.move;
    match->upload = way.move == SYNTAX_NONE ? call : way.move;
    match->message = message_of(check, call, what, tail);
    return level_at(check, call, certainty, match);
}

const struct rule rule_tensor_from_list = {
    .id = "ST201",
    .name = "tensor-from-list",
    .entry = "B1",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL},
              .tails = {"tensor", "as_tensor", "new_tensor", "Tensor", "FloatTensor", "DoubleTensor", "HalfTensor",
                        "LongTensor", "IntTensor", "ShortTensor", "ByteTensor", "BoolTensor"}},
    .check = check_tensor_from_list,
    .fix = fix_tensor_from_list,
    .fix_kind = FIX_SAFE,
    .words = &words_tensor_from_list,
};

/* ---- B8 ---- */

static bool check_worker_lists(const struct check *check, uint32_t statement, struct match *match)
{
    struct worker_lists lists;
    if (!project_uses_device(check->project, check->file) || !worker_lists_find(check, statement, &lists))
        return false;
    const str name = ask_text(check, lists.nodes[0]);
    const str others = lists.count > 1 ? str_printf(check->arena, " and %u more", lists.count - 1) : S("");
    match->message = str_printf(check->arena,
                                "`%.*s`%.*s goes from worker to training thread as a list, number by number, and is a "
                                "tensor there each step; return an array",
                                (int)name.len, name.at, (int)others.len, others.at);
    return level_of_data(check, statement, match);
}

const struct rule rule_lists_from_workers = {
    .id = "ST202",
    .name = "lists-from-workers",
    .entry = "B8",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_RETURN}},
    .check = check_worker_lists,
    .fix = fix_worker_lists,
    .fix_kind = FIX_SAFE,
    .words = &words_lists_from_workers,
};

/* ---- B9 ---- */

static bool check_padding(const struct check *check, uint32_t statement, struct match *match)
{
    struct padding padding;
    if (!project_uses_device(check->project, check->file) || !padding_find(check, statement, &padding))
        return false;
    const str mask = syntax_text(check->tree, padding.mask);
    match->message = str_printf(check->arena,
                                "each batch is as wide as the longest row of all data; what is behind its own longest "
                                "row `%.*s` masks, so cut it off there",
                                (int)mask.len, mask.at);
    return level_of_data(check, statement, match);
}

const struct rule rule_padded_to_all = {
    .id = "ST203",
    .name = "padded-to-all",
    .entry = "B9",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_ASSIGN}},
    .check = check_padding,
    .fix = fix_padding,
    .fix_kind = FIX_UNSAFE,
    .words = &words_padded_to_all,
};
