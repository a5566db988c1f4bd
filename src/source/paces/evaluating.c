/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluating.h"

#include "loops.h"
#include "source/flow/asks.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"

static bool calls_eval(const struct project *project, const struct file *file, uint32_t node)
{
    const struct syntax *tree = file->shown.tree;
    if (!syntax_calls(tree, node, S("eval")) || tree->kind[node + 1] != SYN_ATTRIBUTE)
        return false;
    const uint8_t kind = node_value(project, file, node + 2)->kind;
    return kind == VALUE_MODULE || kind == VALUE_UNKNOWN || kind == VALUE_NOTHING;
}

static bool is_no_grad(const struct project *project, const struct file *file, uint32_t node)
{
    const str name = name_of(project, (struct site){file->id, node});
    return known_word(WORDS_WITHOUT_GRADIENTS, name);
}

/* Tensors of the device with dimensions: targets, rewards, what the caller goes on with. Metrics are numbers. */
static bool gives_tensors(const struct value *result, int depth)
{
    const bool on_device = result->device == DEVICE_GPU || result->device == DEVICE_PARAMETER;
    if (result->kind == VALUE_TENSOR)
        return on_device && result->rank != RANK_0;
    for (uint32_t i = 0; depth && value_is_container(result) && i < result->item_count; i++)
        if (gives_tensors(value_item_at(result, i), depth - 1))
            return true;
    return false;
}

static bool is_without(const struct project *project, const struct file *file, uint32_t with)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t item = with + 1; syntax_is(tree, item, SYN_WITH_ITEM); item = syntax_next(tree, item))
        if (is_no_grad(project, file, item + 1))
            return true;
    return false;
}

/* A teacher runs without gradients, and beside it what learns from it: that is no evaluation. */
static bool runs_with_gradients(const struct project *project, const struct file *file, uint32_t function)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t n = function + 1, last = syntax_last(tree, function); n < last; n++) {
        if (tree->kind[n] == SYN_WITH && is_without(project, file, n))
            n = syntax_last(tree, n) - 1;
        else if (loops_runs_network_in(project, file, n))
            return true;
    }
    return false;
}

static bool calls_eval_in(const struct project *project, const struct file *file, uint32_t function)
{
    for (uint32_t n = function, last = syntax_last(file->shown.tree, n); n < last; n++)
        if (calls_eval(project, file, n))
            return true;
    return false;
}

static bool holds_without(const struct project *project, const struct file *file, uint32_t function)
{
    for (uint32_t n = function, last = syntax_last(file->shown.tree, n); n < last; n++)
        if (file->shown.tree->kind[n] == SYN_WITH && is_without(project, file, n))
            return true;
    return false;
}

static bool is_decorated_without(const struct project *project, const struct file *file, uint32_t function)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t around = tree->parent[function];
    for (uint32_t d = tree->kind[around] == SYN_DECORATED ? around + 1 : function; d < function;
         d = syntax_last(tree, d))
        if (is_no_grad(project, file, d))
            return true;
    return false;
}

/* `self.unet(x)`, `pipeline(x)`: an object that is called, of which nobody knows what it is. It may be a network. */
static bool calls_what_may_be_network(const struct project *project, const struct file *file, uint32_t function)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t n = function, last = syntax_last(tree, n); n < last; n++) {
        if (tree->kind[n] != SYN_CALL)
            continue;
        const bool plain = tree->kind[n + 1] == SYN_NAME ||
                           (tree->kind[n + 1] == SYN_ATTRIBUTE && str_eq(syntax_text(tree, n + 2), S("self")));
        const struct value *callee = node_value(project, file, n + 1);
        const bool open = callee->kind == VALUE_UNKNOWN || callee->kind == VALUE_NOTHING;
        if (plain && open && !callee->name && name_target(project, (struct site){file->id, n}) == NONE)
            return true;
    }
    return false;
}

/*
 * A network runs in it under no_grad and none beside that, or model.eval() is called in it; and no training. What runs
 * none (a moving average of weights, a queue of keys, an accuracy) is a part of what calls it, without gradients or not.
 */
static bool is_evaluation(const struct project *project, uint32_t f)
{
    const struct function *function = &project->files.functions[f];
    const struct file *file = &project->files.at[function->file];
    if (file->shown.tree->kind[function->node] != SYN_FUNCTION || loops_train(project, f))
        return false;
    const bool runs = loops_run_model(project, f);
    const bool called_so =
        known_word(WORDS_EVALUATION, function->name) || known_word(WORDS_TEST_FUNCTIONS, function->name);
    if (called_so && runs)
        return true;
    const bool forward = function->class_id != NONE && str_eq(function->name, S("forward"));
    if (!called_so && !forward && gives_tensors(project->cells.at[cell_of_result(f)].value, VALUE_DEEPEST))
        return false;
    if (calls_eval_in(project, file, function->node))
        return true;
    if (is_decorated_without(project, file, function->node))
        return runs || calls_what_may_be_network(project, file, function->node);
    return runs && holds_without(project, file, function->node) && !runs_with_gradients(project, file, function->node);
}

/* The `self.net` that `self.net.eval()` before the node was called on, without a .train() in between; NONE. */
static uint32_t put_to_evaluation(const struct syntax *tree, uint32_t node)
{
    for (uint32_t at = node; at && tree->kind[at] != SYN_FUNCTION; at = tree->parent[at]) {
        uint32_t last = NONE;
        for (uint32_t s = syntax_first(tree, tree->parent[at]); s < at; s = syntax_next(tree, s)) {
            const bool call = tree->kind[s] == SYN_EXPR && tree->kind[s + 1] == SYN_CALL;
            if (call && calls_one_of(tree, s + 1, WORDS_SET_MODE))
                last = s + 1;
        }
        if (last != NONE)
            return syntax_calls(tree, last, S("eval")) && tree->kind[last + 1] == SYN_ATTRIBUTE ? last + 2 : NONE;
    }
    return NONE;
}

static bool calls_object(const struct syntax *tree, uint32_t function, const struct syntax *there, uint32_t object)
{
    for (uint32_t n = function, last = syntax_last(tree, n); n < last; n++)
        if (tree->kind[n] == SYN_CALL && syntax_same(tree, n + 1, there, object))
            return true;
    return false;
}

/* A method that runs self.net, and is only called behind self.net.eval(). */
static bool is_called_to_evaluate(const struct project *project, uint32_t f)
{
    enum { MOST_CALLERS = 1000 };
    const struct function *function = &project->files.functions[f];
    const struct syntax *tree = project_tree(project, function->file);
    uint32_t count;
    const struct site *callers = name_callers(project, f, &count);
    static const struct limit many = {
        "evaluation-callers", "a method is called in more than 1,000 places; whether all evaluate is not looked at"};
    for (uint32_t i = 0; i < count; i++) {
        if (i == MOST_CALLERS) {
            project_limit(project, &many, (struct site){function->file, function->node});
            return false;
        }
        const struct syntax *there = project_tree(project, callers[i].file);
        const uint32_t object = put_to_evaluation(there, callers[i].node);
        const uint32_t caller = project_function_at(project, callers[i]);
        if (object == NONE || there->kind[object] != SYN_ATTRIBUTE ||
            project->files.functions[caller].class_id != function->class_id ||
            !calls_object(tree, function->node, there, object))
            return false;
    }
    return count && function->class_id != NONE;
}

/* A framework runs it in each step, whatever it does there. */
static bool is_promised_each_step(const struct project *project, uint32_t f)
{
    const struct function *function = &project->files.functions[f];
    const struct contract *contract =
        function->class_id == NONE
            ? NULL
            : frameworks_contract(project->files.classes[function->class_id].framework, function->name);
    return contract && contract->pace == PACE_STEP;
}

bool evaluating_is(const struct project *project, uint32_t function)
{
    return !is_promised_each_step(project, function) &&
           (is_evaluation(project, function) || is_called_to_evaluate(project, function));
}
