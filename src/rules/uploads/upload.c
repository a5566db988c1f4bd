/* SPDX-License-Identifier: Apache-2.0 */
#include "upload.h"

#include "handed.h"
#include "moved_before.h"

#include "source/flow/asks.h"

static bool is_call_of(const struct check *check, uint32_t node, enum words names)
{
    return syntax_is(check->tree, node, SYN_CALL) &&
           known_word(names, name_of(check->project, check_site(check, node)));
}

/* torch.Tensor(n, m) and the like make room, with two arguments in any case; torch.Tensor(list) copies data. */
static bool is_sized_constructor(const struct check *check, uint32_t node)
{
    if (!is_call_of(check, node, WORDS_TYPES_OF_TENSORS))
        return false;
    const uint32_t arguments = syntax_child(check->tree, node, 1), first = syntax_first(check->tree, arguments);
    if (first == SYNTAX_NONE || syntax_arguments_hidden(check->tree, node))
        return false;
    return syntax_child_count(check->tree, arguments) > 1 || ask_value(check, first)->kind == VALUE_INT ||
           syntax_is(check->tree, first, SYN_INTEGER);
}

static bool tree_has_number(const struct syntax *tree, uint32_t node)
{
    for (uint32_t at = node; at < syntax_last(tree, node); at++)
        if (tree->kind[at] == SYN_INTEGER || tree->kind[at] == SYN_FLOAT)
            return true;
    return false;
}

/* Numbers written down: `[1, 0, 0]`, `np.array([[1, 0], [0, 1]])`, `[[1]] * n + [[0]] * n`. */
static bool is_written_down(const struct check *check, uint32_t node)
{
    if (syntax_calls(check->tree, node, S("array")) && ask_named(check, node, "numpy.array"))
        node = syntax_argument(check->tree, node, 0, NULL);
    if (node == SYNTAX_NONE || ask_value(check, node)->kind == VALUE_ARRAY)
        return false;
    bool lists = false;
    for (uint32_t at = node; at < syntax_last(check->tree, node); at++)
        switch (check->tree->kind[at]) {
        case SYN_LIST:
        case SYN_TUPLE:
            lists = true;
            break;
        case SYN_UNARY:
        case SYN_BINARY:
        case SYN_INTEGER:
        case SYN_FLOAT:
            break;
        case SYN_NAME: /* how many of them */
            if (check->tree->kind[check->tree->parent[at]] != SYN_BINARY ||
                check->tree->op[check->tree->parent[at]] != OP_MUL || value_is_container(ask_value(check, at)))
                return false;
            break;
        default:
            return false;
        }
    return lists && tree_has_number(check->tree, node);
}

/* The array behind `a.astype(t).flatten()`. */
static uint32_t behind_casts(const struct check *check, uint32_t node)
{
    for (uint32_t receiver; known_word(WORDS_CASTS, ask_tail(check, node)); node = receiver)
        if ((receiver = ask_receiver(check, node)) == SYNTAX_NONE)
            break;
    return node;
}

/* torch.from_numpy(np.eye(3)), torch.tensor(np.array([1, 0])): a creation in NumPy, or numbers written down. */
static bool wraps_creation(const struct check *check, uint32_t node)
{
    if (!is_call_of(check, node, WORDS_WRAP))
        return false;
    const uint32_t argument = syntax_argument(check->tree, node, 0, NULL);
    const uint32_t made = argument == SYNTAX_NONE ? SYNTAX_NONE : behind_casts(check, argument);
    return made != SYNTAX_NONE &&
           (is_call_of(check, made, WORDS_CREATIONS) || (made != argument && is_written_down(check, made)) ||
            (syntax_is(check->tree, made, SYN_CALL) && is_written_down(check, made)));
}

bool upload_is_random(const struct check *check, uint32_t origin)
{
    return is_call_of(check, origin, WORDS_RANDOM_CREATIONS);
}

bool upload_is_empty(const struct check *check, uint32_t origin)
{
    if (!syntax_is(check->tree, origin, SYN_CALL) || syntax_arguments_hidden(check->tree, origin))
        return false;
    const uint32_t list = syntax_child(check->tree, origin, 1), first = syntax_first(check->tree, list);
    if (first == SYNTAX_NONE || syntax_is(check->tree, first, SYN_KEYWORD))
        return false;
    const bool data =
        is_call_of(check, origin, WORDS_WRAP_DATA) || calls_one_of(check->tree, origin, WORDS_MAKE_OF_LIST);
    if (data) /* torch.tensor([]); of torch.tensor(0) the 0 is what it holds */
        return syntax_is(check->tree, first, SYN_LIST) && syntax_first(check->tree, first) == SYNTAX_NONE;
    const bool sizes = syntax_is(check->tree, first, SYN_TUPLE) || syntax_is(check->tree, first, SYN_LIST);
    const uint32_t parts = sizes ? first : list;
    if (!is_call_of(check, origin, WORDS_CREATIONS) || !str_is_among("zeros ones empty", ask_tail(check, origin)))
        return false;
    for (uint32_t at = syntax_first(check->tree, parts); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (syntax_is(check->tree, at, SYN_INTEGER) && str_eq(syntax_text(check->tree, at), S("0")))
            return true;
    return false;
}

bool upload_is_creation(const struct check *check, uint32_t origin)
{
    return is_call_of(check, origin, WORDS_CREATIONS) || is_sized_constructor(check, origin) ||
           wraps_creation(check, origin) || upload_is_random(check, origin);
}

/* Of `mask / 2` mask: the operand that is a tensor, where the other is a number. */
static uint32_t scaled(const struct check *check, uint32_t node)
{
    if (!syntax_is(check->tree, node, SYN_BINARY))
        return node;
    const uint32_t left = syntax_child(check->tree, node, 0), right = syntax_child(check->tree, node, 1);
    if (value_is_tensor(ask_value(check, left)) && !value_is_tensor(ask_value(check, right)))
        return ask_root(check, left);
    return value_is_tensor(ask_value(check, right)) && !value_is_tensor(ask_value(check, left)) ? ask_root(check, right)
                                                                                                : node;
}

/* Where the moved tensor was made; a name is followed where it is bound once in this function. */
static uint32_t origin_of(const struct check *check, uint32_t what)
{
    uint32_t origin = scaled(check, ask_root(check, what));
    for (int hops = 0; hops < 4 && syntax_is(check->tree, origin, SYN_NAME); hops++) {
        const struct definition *definition = flow_definition(check->project, check_site(check, origin));
        if (!definition || definition->kind != DEFINED_ASSIGN || definition->unpacked ||
            definition->value == SYNTAX_NONE || ask_changed(check, definition, 0, what))
            return what;
        origin = scaled(check, ask_root(check, definition->value));
    }
    return origin;
}

static bool in_wrapper(const struct check *check, uint32_t call)
{
    const struct summary *summary = ask_summary_around(check, call);
    return summary && summary->upload_wrapper;
}

/* Whether every move in the wrapper says non_blocking: then so does a call of it. */
static bool wrapper_never_blocks(const struct check *check, uint32_t call)
{
    const uint32_t target = name_target(check->project, check_site(check, call));
    if (target == SYNTAX_NONE)
        return false;
    const struct function *function = project_function(check->project, target);
    const struct syntax *tree = project_tree(check->project, function->file);
    uint32_t moves = 0;
    for (uint32_t node = function->node; node < syntax_last(tree, function->node); node++) {
        if (!calls_one_of(tree, node, WORDS_MOVE_TO_DEVICE))
            continue;
        if (syntax_argument(tree, node, UINT32_MAX, "non_blocking") == SYNTAX_NONE &&
            !syntax_arguments_hidden(tree, node))
            return false;
        moves++;
    }
    return moves > 0;
}

struct upload upload_of(const struct check *check, uint32_t call)
{
    struct upload upload = {.value = &value_unknown, .what = SYNTAX_NONE, .origin = SYNTAX_NONE};
    if (!syntax_is(check->tree, call, SYN_CALL))
        return upload;
    upload.move = value_move(check->project, check_site(check, call));
    if (upload.move.move != MOVE_UPLOAD || upload.move.is_module || upload.move.what == SYNTAX_NONE ||
        (!upload.move.explicit_ && !upload.move.wrapper) || in_wrapper(check, call))
        return upload;
    upload.what = upload.move.what;
    if (upload.move.wrapper && !upload.move.non_blocking)
        upload.move.non_blocking = wrapper_never_blocks(check, call);
    upload.value = ask_value(check, upload.what);
    upload.constructor = upload.what == syntax_argument(check->tree, call, 0, NULL) && !upload.move.wrapper &&
                         ask_receiver(check, call) != upload.what;
    upload.handed = upload.move.explicit_ && handed_each_step(check, upload.what);
    upload.is = upload.value->kind == VALUE_TENSOR || upload.value->kind == VALUE_BATCH || upload.handed ||
                (upload.constructor && upload.value->kind == VALUE_ARRAY);
    upload.is = upload.is && (upload.constructor || !moved_before(check, upload.what));
    upload.origin = upload.is ? origin_of(check, upload.what) : SYNTAX_NONE;
    return upload;
}

/* torch.from_numpy(array), torch.Tensor(rows): data of the step, though no loader brought it. */
static bool wraps_data(const struct check *check, uint32_t origin)
{
    if (!is_call_of(check, origin, WORDS_WRAP_DATA))
        return false;
    const uint32_t node = syntax_argument(check->tree, origin, 0, NULL);
    const struct value *data = ask_value(check, node);
    return !value_is_number(data) && node != SYNTAX_NONE && !ask_few_numbers(check, node) &&
           data->kind != VALUE_SHAPE && !value_has(data, VALUE_CONSTANT) && !is_sized_constructor(check, origin);
}

/* What the loop of steps hands out, or a caller: a tensor of the CPU, another one each time. */
static bool comes_each_step(const struct check *check, const struct upload *upload)
{
    const struct definition *definition = syntax_is(check->tree, upload->origin, SYN_NAME)
                                              ? flow_definition(check->project, check_site(check, upload->origin))
                                              : NULL;
    return definition && (definition->kind == DEFINED_FOR || definition->kind == DEFINED_PARAMETER) &&
           value_is_tensor(upload->value) && value_on_cpu(upload->value) && !value_has(upload->value, VALUE_CONSTANT);
}

bool upload_is_cast(const struct check *check, const struct upload *upload)
{
    static const char casts[] = "float double half bfloat16 long int bool byte short type";
    const uint32_t batch = ask_receiver(check, upload->what);
    if (batch == SYNTAX_NONE || !str_is_among(casts, ask_tail(check, upload->what)))
        return false;
    const uint8_t from = ask_value(check, batch)->dtype, to = upload->value->dtype;
    return from == DTYPE_UNKNOWN || from != to;
}

/* Bound in this function: not an attribute, a global, or what the function was given. */
static bool is_bound_here(const struct check *check, uint32_t name)
{
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(check->project, check_site(check, name), found, FLOW_MOST_DEFINITIONS);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_DEFINITIONS; i++)
        if (found[i]->kind != DEFINED_ASSIGN && found[i]->kind != DEFINED_AUGMENT)
            return false;
    return count;
}

bool upload_is_made_here(const struct check *check, const struct upload *upload)
{
    const struct value *value = upload->value;
    if (upload->constructor || value->kind != VALUE_TENSOR || !value_on_cpu(value) || value->rank == RANK_0 ||
        value->flags & (VALUE_CONSTANT | VALUE_ASSUMED | VALUE_PINNED | VALUE_GRAD | VALUE_PARAMETER | VALUE_BUFFER))
        return false;
    const uint32_t root = ask_root(check, upload->what);
    const bool called = syntax_is(check->tree, root, SYN_CALL);
    if (called && ask_value(check, syntax_first(check->tree, root))->kind == VALUE_MODULE)
        return false; /* a network: it lies where who trains it has put it */
    return called || (syntax_is(check->tree, root, SYN_NAME) && is_bound_here(check, root));
}

bool upload_is_batch(const struct check *check, const struct upload *upload)
{
    if (upload->constructor)
        return !value_has(upload->value, VALUE_CONSTANT);
    return upload->handed || comes_each_step(check, upload) || upload->value->kind == VALUE_BATCH ||
           value_has(upload->value, VALUE_FROM_LOADER) || wraps_data(check, upload->origin);
}
