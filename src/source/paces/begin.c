/* SPDX-License-Identifier: Apache-2.0 */
/* Where functions begin: how often they run by what frameworks and networks promise, before any call is looked at. */
#include "run.h"

#include "base/search.h"
#include "around.h"
#include "handlers.h"
#include "loops.h"
#include "source/gates/once.h"
#include "source/known/frameworks.h"
#include "source/known/known.h"
#include "source/known/known_words.h"
#include "source/reach/unmade.h"

/* `def test_model(): ... assert model(x).sum() == 0`: what runners of tests call, wherever it stands. */
static bool is_test_function(const struct project *project, uint32_t f)
{
    const struct function *function = &project->files.functions[f];
    const struct syntax *tree = project_tree(project, function->file);
    if (!str_starts(function->name, S("test_")) || tree->kind[function->node] != SYN_FUNCTION ||
        project->summaries.first_caller[f] != project->summaries.first_caller[f + 1])
        return false;
    for (uint32_t n = function->node, last = syntax_last(tree, n); n < last; n++)
        if (tree->kind[n] == SYN_ASSERT)
            return true;
    return false;
}

/* A class of a library that is a network by itself: `transformers.PreTrainedModel`. */
static bool has_base_of_library(const struct project *project, const struct class_info *class_info)
{
    const struct syntax *tree = project_tree(project, class_info->file);
    const uint32_t bases = syntax_child(tree, class_info->node, 1);
    for (uint32_t base = syntax_first(tree, bases); base != NONE; base = syntax_next(tree, base)) {
        const struct value *value = node_value(project, &project->files.at[class_info->file], base);
        const bool of_run = value->kind == VALUE_CLASS && value->detail != NONE;
        if (!of_run && value->name && tree->kind[base] != SYN_KEYWORD &&
            !str_eq(value->name->text, S("torch.nn.Module")) &&
            (str_has(value->name->text, S("Model")) || str_starts(value->name->text, S("torch.nn."))))
            return true;
    }
    return false;
}

static bool makes_parameters(const struct project *project, uint32_t class_id)
{
    const struct class_info *class_info = &project->files.classes[class_id];
    const struct file *file = &project->files.at[class_info->file];
    for (uint32_t node = class_info->node, last = syntax_last(file->shown.tree, node); node < last; node++) {
        const struct value *value =
            file->shown.tree->kind[node] == SYN_CALL ? node_value(project, file, node) : &value_unknown;
        if (syntax_calls(file->shown.tree, node, S("super")))
            continue;
        if (value->kind == VALUE_MODULE || value->flags & VALUE_PARAMETER)
            return true;
    }
    return has_base_of_library(project, class_info);
}

/* Whether a module has anything that could be trained: parameters, or modules in it, or in those it inherits from. */
static bool has_parameters(const struct project *project, uint32_t class_id)
{
    const struct classes order = class_order(&project->cells, class_id);
    bool any = order.cut;
    for (uint32_t i = 0; i < order.count && !any; i++)
        any = makes_parameters(project, order.at[i]);
    return any;
}

/* The first function of the file at or behind a node: they lie in the order of their nodes. */
static uint32_t function_from(const struct project *project, const struct file *file, uint32_t node)
{
    const struct function *functions = project->files.functions + file->shown.first_function;
    return file->shown.first_function + (uint32_t)search_from(functions, file->function_count, sizeof *functions,
                                                              offsetof(struct function, node), node);
}

/* A module of the run that others use by another of its methods: a transform, which has a forward() too. */
static bool is_used_otherwise(const struct project *project, uint32_t forward)
{
    const uint32_t class_id = project->files.functions[forward].class_id;
    const struct file *file = &project->files.at[project->files.functions[forward].file];
    const uint32_t at = project->files.classes[class_id].node, last = syntax_last(file->shown.tree, at);
    const uint32_t end = file->shown.first_function + file->function_count;
    for (uint32_t f = function_from(project, file, at); f < end && project->files.functions[f].node < last; f++) {
        if (project->files.functions[f].class_id != class_id || str_eq(project->files.functions[f].name, S("__init__")))
            continue;
        for (uint32_t i = project->summaries.first_caller[f]; i < project->summaries.first_caller[f + 1]; i++)
            if (project->files.functions[project_function_at(project, project->summaries.callers[i])].class_id !=
                class_id)
                return !has_parameters(project, class_id);
    }
    return false;
}

/* A script that shows or checks something: from the code of a module down to here no call stands in a loop. */
static bool is_called_once(const struct project *project, uint32_t f, int depth)
{
    enum { DEEPEST_CALL = 4, MOST_CALLS = 8 };
    static const struct limit far = {
        "once-calls", "a function that trains is called in more than 8 places, or through more than 4 others; "
                      "a call of it is taken for a step"};
    uint32_t count;
    const struct site *callers = name_callers(project, f, &count);
    if (project->files.functions[f].class_id != NONE)
        return false;
    if (depth == DEEPEST_CALL || count > MOST_CALLS) {
        project_limit(project, &far, (struct site){project->files.functions[f].file, project->files.functions[f].node});
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t caller = run_function(project, project_function_at(project, callers[i]));
        if (around_node(project, callers[i], caller).depth > 0)
            return false;
        if (project->files.functions[caller].outer != NONE && !is_called_once(project, caller, depth + 1))
            return false;
    }
    return count > 0;
}

/* All calls of it do what the rounds of a loop beside them do: who calls it says how often. */
static bool stands_for_rounds(const struct project *project, uint32_t f)
{
    uint32_t count, beside = 0;
    const struct site *callers = name_callers(project, f, &count);
    while (beside < count && loops_beside(project, callers[beside]))
        beside++;
    return count && beside == count;
}

static void set_pace(struct run_context *c, enum pace pace, enum way_kind kind, struct site at)
{
    c->pace = (uint8_t)pace;
    c->way = (struct way_in){kind, at};
}

/* A network runs in the steps that train it; of one that nothing makes there are none. */
static void begin_forward(const struct project *project, uint32_t f, struct run_context *c)
{
    const uint32_t class_id = project->files.functions[f].class_id;
    set_pace(c, PACE_STEP, WAY_FORWARD, run_site(project, f));
    if (!unmade_is(project, class_id))
        return;
    c->gate = GATE_UNMADE;
    c->gate_at = (struct site){project->files.classes[class_id].file, project->files.classes[class_id].node};
}

static bool is_forward(const struct project *project, uint32_t f)
{
    const struct function *function = &project->files.functions[f];
    const struct class_info *class_info =
        function->class_id == NONE ? NULL : &project->files.classes[function->class_id];
    return class_info && class_info->is_module && str_eq(function->name, frameworks_forward(class_info->framework));
}

/* What a framework calls, by public convention. */
static void begin(const struct project *project, uint32_t f, struct run_context *c)
{
    const struct function *function = &project->files.functions[f];
    const struct class_info *class_info =
        function->class_id == NONE ? NULL : &project->files.classes[function->class_id];
    const bool uncalled = project->summaries.first_caller[f] == project->summaries.first_caller[f + 1];
    const struct site own = run_site(project, f);
    if (function->outer == NONE)
        set_pace(c, PACE_ONCE, WAY_ONCE, own);
    const bool steps = project->summaries.of_function[f].effects & EFFECT_STEP || !uncalled;
    if (function->outer != NONE && project->contexts->trains[f] & 1 && steps &&
        !stands_for_rounds(project, f)) /* one call is one step, whoever calls */
        set_pace(c, is_called_once(project, f, 0) ? PACE_ONCE : PACE_STEP, WAY_TRAINS,
                 (struct site){function->file, context_trains_in(project, own)});
    c->asserts = is_test_function(project, f);
    if (uncalled && loops_hold_training(project, f)) /* one call is the whole training */
        set_pace(c, PACE_ONCE, WAY_ONCE, own);
    if (!class_info)
        return;
    const str name = function->name;
    if (str_eq(name, S("__init__")) && uncalled)
        set_pace(c, PACE_ONCE, WAY_ONCE, own);
    if (is_forward(project, f)) {
        c->in_forward = true;
        set_pace(c, PACE_UNKNOWN, WAY_NONE, site_none);
        if (uncalled && !is_used_otherwise(project, f))
            begin_forward(project, f, c);
    }
    if (class_info->is_dataset && (str_eq(name, S("__getitem__")) || str_eq(name, S("__iter__"))))
        c->in_worker = true;
    const struct contract *contract = frameworks_contract(class_info->framework, name);
    if (contract)
        set_pace(c, contract->pace, WAY_CONTRACT, (struct site){class_info->file, class_info->node});
}

/* collate_fn=f, worker_init_fn=f, transform=f: run where the data is made. */
static void begin_workers(struct project *project, uint32_t id)
{
    const struct file *file = &project->files.at[id];
    const struct syntax *tree = file->shown.tree;
    for (uint32_t node = 0; node < tree->count; node++) {
        if (tree->kind[node] != SYN_KEYWORD || !known_word(WORDS_RUN_IN_WORKERS, syntax_text(tree, node + 1)))
            continue;
        const struct value *value = node_value(project, file, syntax_child(tree, node, 1));
        if (value->kind == VALUE_FUNCTION && value->detail != NONE)
            project->contexts->of_function[value->detail].in_worker = true;
        const uint32_t call =
            value->kind == VALUE_INSTANCE ? project_method(project, value->detail, S("__call__")) : NONE;
        if (call != NONE)
            project->contexts->of_function[call].in_worker = true;
    }
}

/* Functions that are registered with an object of a framework have the pace of the event. */
static void begin_handlers(struct project *project, uint32_t id)
{
    const struct syntax *tree = project->files.at[id].shown.tree;
    for (uint32_t call = 0; call < tree->count; call++) {
        const struct handler handler = handler_of(project, (struct site){id, call});
        if (handler.function != NONE)
            run_reach(&project->contexts->of_function[handler.function], handler.context, false,
                      (struct way_in){WAY_HANDLER, {id, call}});
    }
}

static void begin_function(struct project *project, uint32_t f)
{
    const struct function *function = &project->files.functions[f];
    struct run_context *context = &project->contexts->of_function[f];
    project->contexts->kept_from[f] = once_behind_return(project, function->file, function->node);
    begin(project, f, context);
    context->seen |= context->pace ? (uint8_t)(1u << context->pace) : 0;
}

void begin_all(struct project *project)
{
    for (uint32_t f = 0; f < project->files.function_count; f++)
        begin_function(project, f);
    for (uint32_t i = 0; i < project->files.count; i++)
        begin_workers(project, i);
    for (uint32_t i = 0; i < project->files.count; i++)
        begin_handlers(project, i);
}

bool begin_networks(struct project *project)
{
    bool any = false;
    for (uint32_t f = 0; f < project->files.function_count; f++) {
        struct run_context *c = &project->contexts->of_function[f];
        if (c->pace != PACE_UNKNOWN || !c->in_forward || !is_forward(project, f) ||
            !has_parameters(project, project->files.functions[f].class_id))
            continue;
        begin_forward(project, f, c);
        c->seen |= 1u << PACE_STEP;
        any = true;
    }
    return any;
}
