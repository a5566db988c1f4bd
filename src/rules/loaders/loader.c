/* SPDX-License-Identifier: Apache-2.0 */
#include "loader.h"

#include "loader_use.h"
#include "rules/loops/loop.h"
#include "purpose.h"

#include "source/flow/asks.h"

bool loader_is(const struct check *check, uint32_t call)
{
    return ask_named(check, call, "torch.utils.data.DataLoader");
}

uint32_t loader_argument(const struct check *check, uint32_t call, enum loader_parameter parameter)
{
    static const char *const names[] = {"dataset",       "batch_size",  "shuffle",    "sampler",
                                        "batch_sampler", "num_workers", "collate_fn", "pin_memory"};
    return syntax_argument(check->tree, call, parameter, names[parameter]);
}

bool loader_feeds_device(const struct check *check, uint32_t call)
{
    return project_uses_device(check->project, check->file) &&
           !context_of(check->project, check_site(check, call)).cpu_only;
}

static bool holds_device(const struct value *value)
{
    for (int depth = 0; depth <= VALUE_DEEPEST; depth++) {
        if (value_on_gpu(value))
            return true;
        if (!value_is_container(value) && value->kind != VALUE_LOADER && value->kind != VALUE_DATASET)
            return false;
        value = value_item(value);
    }
    return false;
}

/* Data that a TensorDataset or a list was given may lie on the device. */
static bool made_of_device_tensors(const struct check *check, uint32_t dataset)
{
    uint32_t node = dataset;
    if (syntax_is(check->tree, node, SYN_NAME)) {
        const struct definition *definition = flow_definition(check->project, check_site(check, node));
        node = definition && definition->kind == DEFINED_ASSIGN ? definition->value : SYNTAX_NONE;
    }
    if (!syntax_is(check->tree, node, SYN_CALL))
        return false;
    const uint32_t arguments = syntax_child(check->tree, node, 1);
    for (uint32_t at = syntax_first(check->tree, arguments); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (holds_device(ask_value(check, at)))
            return true;
    return false;
}

static bool collates_on_device(const struct check *check, uint32_t call)
{
    const uint32_t collate = loader_argument(check, call, LOADER_COLLATE_FN);
    if (collate == SYNTAX_NONE)
        return false;
    const struct value *value = ask_value(check, collate);
    return value->kind == VALUE_FUNCTION && value->detail != SYNTAX_NONE &&
           summary_of(check->project, value->detail)->effects & EFFECT_UPLOAD;
}

/* Whether the class of the dataset moves samples to the device. */
static bool samples_on_device(const struct check *check, uint32_t dataset)
{
    const struct value *value = ask_value(check, dataset);
    if (value->detail == SYNTAX_NONE || (value->kind != VALUE_DATASET && value->kind != VALUE_INSTANCE))
        return false;
    const uint32_t get = project_method(check->project, value->detail, S("__getitem__"));
    if (get == SYNTAX_NONE)
        return false;
    const struct summary *summary = summary_of(check->project, get);
    return summary->effects & EFFECT_UPLOAD || (summary->result && holds_device(summary->result));
}

static bool moves_itself(const struct check *check, uint32_t id)
{
    const struct function *function = project_function(check->project, id);
    const struct syntax *tree = project_tree(check->project, function->file);
    for (uint32_t at = function->node; at < syntax_last(tree, function->node); at++) {
        if (!calls_one_of(tree, at, WORDS_MOVE_TO_DEVICE))
            continue;
        const enum move move = value_move(check->project, (struct site){function->file, at}).move;
        if (move == MOVE_UPLOAD || (move == MOVE_UNKNOWN && syntax_calls(tree, at, S("cuda"))))
            return true;
    }
    return false;
}

/* `transforms.append(ToDevice())` beside the loader: an object of the run that moves what it is called with. */
static bool transforms_on_device(const struct check *check, uint32_t call)
{
    enum { FARTHEST = 20000 };
    static const struct limit far = {
        "loader-function",
        "a loader is made more than 20,000 nodes behind the head of its function; what stands before "
        "it is not looked at for transforms that move samples to the device"};
    const uint32_t function = syntax_function(check->tree, call);
    if (function != SYNTAX_NONE && call - function > FARTHEST)
        check_limit(check, &far, call);
    for (uint32_t at = function == SYNTAX_NONE || call - function > FARTHEST ? call : function; at < call; at++) {
        const struct value *made = syntax_is(check->tree, at, SYN_CALL) ? ask_value(check, at) : &value_unknown;
        const uint32_t runs = made->kind == VALUE_INSTANCE && made->detail != SYNTAX_NONE
                                  ? project_method(check->project, made->detail, S("__call__"))
                                  : SYNTAX_NONE;
        if (runs != SYNTAX_NONE && moves_itself(check, runs))
            return true;
    }
    return false;
}

static bool may_hold_tensor(const struct value *value, int depth)
{
    if (value->kind == VALUE_TENSOR || value->kind == VALUE_BATCH)
        return true;
    if (!value_is_container(value) || depth == 0)
        return false;
    for (uint32_t i = 0; i < value->item_count; i++)
        if (may_hold_tensor(value_item_at(value, i), depth - 1))
            return true;
    return value->item_count == 0 && may_hold_tensor(value_item(value), depth - 1);
}

bool loader_gives_tensors(const struct check *check, uint32_t call)
{
    const uint32_t collate = loader_argument(check, call, LOADER_COLLATE_FN);
    if (collate == SYNTAX_NONE)
        return true;
    const struct value *value = ask_value(check, collate);
    if (ask_named(check, collate, "list") || ask_named(check, collate, "tuple")) /* samples as they are */
        return false;
    if (value->kind != VALUE_FUNCTION || value->detail == SYNTAX_NONE)
        return true;
    const struct value *result = summary_of(check->project, value->detail)->result;
    return !result || result->kind == VALUE_UNKNOWN || may_hold_tensor(result, VALUE_DEEPEST);
}

bool loader_on_device(const struct check *check, uint32_t call)
{
    const uint32_t dataset = loader_argument(check, call, LOADER_DATASET);
    return holds_device(ask_value(check, call)) || holds_device(ask_value(check, dataset)) ||
           made_of_device_tensors(check, dataset) || samples_on_device(check, dataset) ||
           collates_on_device(check, call) || transforms_on_device(check, call);
}

bool loader_of_indices(const struct check *check, uint32_t call)
{
    const uint32_t dataset = loader_argument(check, call, LOADER_DATASET);
    return dataset != SYNTAX_NONE &&
           (ask_named(check, dataset, "range") || ask_value(check, dataset)->kind == VALUE_TENSOR);
}

/* shuffle=False; beside a sampler it says nothing: that one has the order. */
static bool keeps_order(const struct check *check, uint32_t call)
{
    return syntax_is(check->tree, loader_argument(check, call, LOADER_SHUFFLE), SYN_FALSE) &&
           loader_argument(check, call, LOADER_SAMPLER) == SYNTAX_NONE &&
           loader_argument(check, call, LOADER_BATCH_SAMPLER) == SYNTAX_NONE;
}

/* The loop that trains on it stands in the function that makes it. */
static bool is_trained_here(const struct check *check, uint32_t call, const struct loader_use *use)
{
    return use->trains && !site_is_none(use->trained_at) && use->trained_at.file == check->file &&
           project_function_at(check->project, use->trained_at) ==
               project_function_at(check->project, check_site(check, call));
}

static bool is_measured_alone(const struct loader_use *use)
{
    return use->measured && !use->inner && !use->trains && !use->evaluates && !use->unknown && !use->handed_out &&
           !use->given_away;
}

const char *loader_untrained(const struct check *check, uint32_t call)
{
    if (ask_is_test_file(check))
        return "the loader is made in a file of tests";
    const struct loader_use use = loader_use_of(check, call);
    if (is_trained_here(check, call, &use))
        return NULL;
    if (is_measured_alone(&use))
        return "no loop goes over this loader: only its length is asked for";
    if (keeps_order(check, call))
        return "the loader keeps the order of its data (shuffle=False, no sampler), as one for an evaluation does";
    if (purpose_is_evaluation(check, call, loader_argument(check, call, LOADER_DATASET),
                              loader_argument(check, call, LOADER_BATCH_SIZE)))
        return "its name, its data set or its size says that the loader is for an evaluation";
    const bool nearby = context_program_trains(check->project, check->file);
    const bool trains = use.trains || use.given_away || (nearby && (use.unknown || !use.evaluates)) ||
                        (use.handed_out && context_any_trains(check->project));
    if (trains)
        return NULL;
    return use.evaluates ? "only loops that evaluate go over this loader"
                         : "no loop that trains is known to go over this loader";
}

bool loader_generates(const struct check *check, uint32_t call)
{
    return loader_use_of(check, call).generates;
}

/* Calls that a dataset may make of what it holds without working for it. */
static bool is_cheap(const struct check *there, uint32_t call)
{
    return known_word(WORDS_CHEAP, name_of(there->project, check_site(there, call))) ||
           known_word(WORDS_CHEAP_METHODS, ask_tail(there, call));
}

/* A dataset of the run that hands out parts of what it holds: no reading, no decoding, no loop. */
static bool only_indexes(const struct check *check, uint32_t class_id)
{
    const uint32_t get = project_method(check->project, class_id, S("__getitem__"));
    if (get == SYNTAX_NONE)
        return false;
    const struct function *function = project_function(check->project, get);
    const struct check there = {check->project, function->file, project_tree(check->project, function->file),
                                check->arena};
    for (uint32_t node = function->node; node < syntax_last(there.tree, function->node); node++)
        if (loop_is(there.tree->kind[node]) || there.tree->kind[node] == SYN_WITH ||
            (there.tree->kind[node] == SYN_CALL && !is_cheap(&there, node)))
            return false;
    return true;
}

/* datasets["train"] where `datasets[name] = TensorDataset(..)` stands before it in the function. */
static bool is_kept_in_memory(const struct check *check, uint32_t dataset)
{
    const uint32_t function = syntax_function(check->tree, dataset);
    for (uint32_t at = function == SYNTAX_NONE ? 0 : function; at < dataset; at++)
        if (syntax_is(check->tree, at, SYN_ASSIGN) && syntax_is(check->tree, at + 1, SYN_SUBSCRIPT) &&
            syntax_same(check->tree, at + 2, check->tree, dataset + 1) &&
            (ask_named(check, syntax_last_child(check->tree, at), "torch.utils.data.TensorDataset") ||
             ask_value(check, syntax_last_child(check->tree, at))->kind == VALUE_TENSOR))
            return true;
    return false;
}

bool loader_in_memory(const struct check *check, uint32_t call)
{
    const uint32_t dataset = loader_argument(check, call, LOADER_DATASET);
    if (dataset == SYNTAX_NONE)
        return false;
    const struct value *value = ask_value(check, dataset);
    if (ask_named(check, dataset, "torch.utils.data.TensorDataset") || value->kind == VALUE_TENSOR)
        return true;
    if (value->kind == VALUE_DATASET && value->detail != SYNTAX_NONE && only_indexes(check, value->detail))
        return true;
    if (syntax_is(check->tree, dataset, SYN_SUBSCRIPT) && is_kept_in_memory(check, dataset))
        return true;
    const struct definition *definition =
        syntax_is(check->tree, dataset, SYN_NAME) ? flow_definition(check->project, check_site(check, dataset)) : NULL;
    return definition && definition->kind == DEFINED_ASSIGN && definition->value != SYNTAX_NONE &&
           ask_named(check, definition->value, "torch.utils.data.TensorDataset");
}
