/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include "rules/waits/read_back.h"
#include "source/flow/asks.h"
#include "source/known/known_words.h"

/* ---- does the device get work there ---- */

static bool is_on_device(const struct check *check, uint32_t node)
{
    const struct value *value = ask_value(check, node);
    return value->device == DEVICE_GPU && (value->kind == VALUE_TENSOR || value->kind == VALUE_UNKNOWN);
}

static bool is_host_value(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_BOOL:
    case VALUE_STR:
    case VALUE_NONE:
    case VALUE_ARRAY:
        return true;
    default:
        return false;
    }
}

/* No argument lies on the device; `all_host`: each is known to be a thing of the host, and there is one. */
static bool takes_nothing_there(const struct check *check, uint32_t call, bool *all_host)
{
    const uint32_t list = syntax_child(check->tree, call, 1);
    *all_host = syntax_first(check->tree, list) != SYNTAX_NONE;
    for (uint32_t a = syntax_first(check->tree, list); a != SYNTAX_NONE; a = syntax_next(check->tree, a)) {
        const uint32_t given = syntax_is(check->tree, a, SYN_KEYWORD) ? syntax_child(check->tree, a, 1) : a;
        if (is_on_device(check, given))
            return false;
        *all_host &= is_host_value(ask_value(check, given));
    }
    return true;
}

/* A tensor is made of what the host has; what lies on the device already is taken as it is. */
static bool takes_from_host(const struct check *check, uint32_t call)
{
    static const char names[] = "as_tensor from_numpy tensor";
    return str_is_among(names, ask_tail(check, call)) &&
           name_under(check->project, check_site(check, call), "torch.") &&
           syntax_argument(check->tree, call, UINT32_MAX, "device") == SYNTAX_NONE &&
           !syntax_arguments_hidden(check->tree, call);
}

/* Functions of Python, and methods of a tensor of the device, that ask what a thing is or how large. */
static bool asks_what_it_is(const struct check *check, uint32_t call)
{
    static const char names[] = "len isinstance issubclass type id hasattr callable zip enumerate super";
    static const char of_tensors[] = "size dim numel nelement ndimension stride get_device data_ptr element_size "
                                     "is_contiguous is_floating_point register_hook retain_grad requires_grad_";
    if (str_eq(ask_tail(check, call), S("__init__")) &&
        syntax_calls(check->tree, ask_receiver(check, call), S("super")))
        return name_target(check->project, check_site(check, call)) == SYNTAX_NONE; /* of a library's class */
    if (is_on_device(check, ask_receiver(check, call)) && str_is_among(of_tensors, ask_tail(check, call)))
        return true;
    return ask_receiver(check, call) == SYNTAX_NONE && str_is_among(names, ask_tail(check, call)) &&
           name_target(check->project, check_site(check, call)) == SYNTAX_NONE;
}

/* A generator of the run: what it does between two of its values is done by `next`. */
static bool is_generator_of_run(const struct check *check, uint32_t iterator)
{
    const struct definition *definition = syntax_is(check->tree, iterator, SYN_NAME)
                                              ? flow_definition(check->project, check_site(check, iterator))
                                              : NULL;
    const uint32_t made = definition && definition->kind == DEFINED_ASSIGN ? definition->value : iterator;
    const uint32_t target =
        syntax_is(check->tree, made, SYN_CALL) ? name_target(check->project, check_site(check, made)) : SYNTAX_NONE;
    return target != SYNTAX_NONE;
}

/* `next(batches)`: the host loads; not where a generator of the run gives it, nor what lies on the device. */
static bool takes_next(const struct check *check, uint32_t call)
{
    const uint32_t iterator = syntax_argument(check->tree, call, 0, NULL);
    return iterator != SYNTAX_NONE && ask_named(check, call, "next") && !is_on_device(check, call) &&
           !is_generator_of_run(check, iterator);
}

/* `model.train()`, `model.parameters()`: the network itself is asked or told something, and nothing is computed. */
static bool sets_module(const struct check *check, uint32_t call)
{
    static const char names[] = "train eval requires_grad_ parameters named_parameters modules named_modules children "
                                "named_children buffers state_dict";
    return str_is_among(names, ask_tail(check, call)) &&
           ask_value(check, ask_receiver(check, call))->kind == VALUE_MODULE &&
           name_target(check->project, check_site(check, call)) == SYNTAX_NONE;
}

/* Calls that give the device nothing to do: of libraries for the host, of things that keep or show, the reads themselves. */
static bool is_host_call(const struct check *check, uint32_t call)
{
    static const char methods[] =
        "append extend update add add_scalar add_scalars log info debug warning print write set_postfix "
        "set_postfix_str set_description train eval zero_grad time perf_counter format join keys values items get "
        "get_last_lr state_dict len size dim numel cpu item tolist numpy detach";
    static const char *const modules[] = {"time.",   "logging.", "warnings.", "numpy.", "math.",
                                          "random.", "os.",      "sys.",      "json.",  "tqdm."};
    const struct site site = check_site(check, call);
    bool all_host;
    if (read_back_what(check, call) != SYNTAX_NONE || ask_step(check, call) != call || asks_what_it_is(check, call) ||
        takes_next(check, call) || sets_module(check, call) ||
        known_word(WORDS_WITHOUT_GRADIENTS, name_of(check->project, site)))
        return true;
    const struct value *made = ask_value(check, call);
    if (is_on_device(check, call) || made->kind == VALUE_MODULE || !takes_nothing_there(check, call, &all_host))
        return false;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (name_under(check->project, site, modules[i]))
            return true;
    const bool own = name_target(check->project, site) != SYNTAX_NONE;
    if (!own && ask_receiver(check, call) == SYNTAX_NONE && known_word(WORDS_HOST_FUNCTIONS, ask_tail(check, call)))
        return true;
    const struct value *object = ask_value(check, ask_receiver(check, call));
    if (own || is_on_device(check, ask_receiver(check, call)))
        return false;
    return all_host || value_on_cpu(made) || object->kind == VALUE_SCHEDULER || is_host_value(made) ||
           str_is_among(methods, ask_tail(check, call)) || takes_from_host(check, call);
}

/* Arithmetic on one number of the device: a kernel of microseconds. */
static bool is_small(const struct check *check, uint32_t node)
{
    return !is_on_device(check, node) || ask_value(check, node)->rank == RANK_0;
}

/* `loss is not None` */
static bool asks_for_none(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_COMPARE && syntax_is(tree, syntax_last_child(tree, node), SYN_NONE);
}

/* `if torch.isnan(loss):` asks one number, or it would be a mistake: a kernel of microseconds. */
static bool asks_one_number(const struct check *check, uint32_t call)
{
    const struct syntax *tree = check->tree;
    if (!calls_one_of(tree, call, WORDS_TROUBLE) && !calls_one_of(tree, call, WORDS_NO_TROUBLE))
        return false;
    uint32_t asked = call;
    while (syntax_is(tree, tree->parent[asked], SYN_BOOL) || syntax_is(tree, tree->parent[asked], SYN_NOT))
        asked = tree->parent[asked];
    const uint32_t statement = tree->parent[asked];
    return syntax_is(tree, statement, SYN_IF) && syntax_first(tree, statement) == asked;
}

/* `for key, value in metrics.items()`: what goes round is in its body, and is asked by itself. */
static bool goes_over_names(const struct check *check, uint32_t loop)
{
    return calls_one_of(check->tree, syntax_child(check->tree, loop, 1), WORDS_NAMED_ITEMS);
}

bool launch_possible(const struct check *check, uint32_t node)
{
    switch (check->tree->kind[node]) {
    case SYN_CALL:
        return !is_host_call(check, node) && !asks_one_number(check, node);
    case SYN_BINARY:
    case SYN_UNARY:
    case SYN_COMPARE:
    case SYN_AUG_ASSIGN:
        return !asks_for_none(check->tree, node) &&
               (!is_small(check, node) || !is_small(check, syntax_first(check->tree, node)) ||
                !is_small(check, syntax_last_child(check->tree, node)));
    case SYN_SUBSCRIPT:
        return is_on_device(check, node) && is_on_device(check, syntax_child(check->tree, node, 1));
    case SYN_FOR: /* what a loop goes over may be anything */
        return !goes_over_names(check, node);
    case SYN_WHILE:
    case SYN_FUNCTION:
    case SYN_YIELD:
    case SYN_AWAIT:
        return true;
    default:
        return false;
    }
}

/* ---- and which is known to be work ---- */

static bool trains(const struct check *check, uint32_t call)
{
    const uint32_t target = name_target(check->project, check_site(check, call));
    return target != SYNTAX_NONE && summary_of(check->project, target)->effects & (EFFECT_BACKWARD | EFFECT_STEP);
}

static bool is_known_call(const struct check *check, uint32_t call)
{
    const uint32_t receiver = ask_receiver(check, call);
    const enum value_kind object = receiver == SYNTAX_NONE ? VALUE_UNKNOWN : ask_value(check, receiver)->kind;
    if (object == VALUE_OPTIMIZER || str_eq(ask_tail(check, call), S("backward")))
        return !is_host_call(check, call);
    if (trains(check, call))
        return true;
    return !is_host_call(check, call) && is_on_device(check, call);
}

bool launch_certain(const struct check *check, uint32_t node)
{
    switch (check->tree->kind[node]) {
    case SYN_CALL:
        return is_known_call(check, node);
    case SYN_BINARY:
    case SYN_UNARY:
    case SYN_COMPARE:
        return ask_gpu_tensor(check, node);
    default:
        return false;
    }
}
