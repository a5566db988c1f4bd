/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call that trains once (backward, or a function that does so outside of loops
 * of its own) makes the innermost loop around it a step loop; a step loop, or a
 * call of a function that has one, makes the loops around it epoch loops.
 */
#include "loops.h"

#include "base/search.h"
#include "acting.h"
#include "source/contexts/contexts.h"
#include "learners.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"
#include "source/flow/asks.h"

enum trains { TRAINS_NOT, TRAINS_ONCE = 1, TRAINS_IN_LOOP = 2, RUNS_MODEL = 4 };

static bool is_loop(enum syntax_kind kind)
{
    return kind == SYN_FOR || kind == SYN_WHILE;
}

uint32_t loops_around(const struct syntax *tree, uint32_t node, uint32_t function)
{
    for (uint32_t at = tree->parent[node], below = node; at != function && at; below = at, at = tree->parent[at]) {
        at = syntax_if_head(tree, at);
        const uint32_t block =
            is_loop(tree->kind[at]) ? syntax_child(tree, at, tree->kind[at] == SYN_FOR ? 2 : 1) : NONE;
        if (below == block)
            return at;
    }
    return NONE;
}

static bool calls_backward(const struct project *project, const struct file *file, uint32_t call)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t callee = syntax_first(tree, call);
    const struct name *name = node_value(project, file, callee)->name;
    if (name && known_word(WORDS_GRADIENTS, name->text))
        return true;
    if (!syntax_is(tree, callee, SYN_ATTRIBUTE))
        return false;
    const str tail = syntax_tail(tree, callee);
    if (known_word(WORDS_TRAIN, tail))
        return true;
    const struct value *value = node_value(project, file, callee);
    if (!known_word(WORDS_STEP, tail))
        return false;
    return (value->name && known_word(WORDS_OPTIMIZER_STEP, value->name->text)) ||
           str_has_nocase(syntax_tail(tree, callee + 1), S("optim"));
}

/* A loop whose kind is known counts for what stands around it. */
static void mark_around(struct project *project, const struct file *file, uint32_t f, uint32_t node, uint8_t trains)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t function = project->files.functions[f].node;
    uint32_t loop = loops_around(tree, node, function);
    if (trains & TRAINS_ONCE) {
        if (loop == NONE) {
            project->contexts->trains[f] |= TRAINS_ONCE;
            return;
        }
        map_put(&placed_in(project, file)->loops, loop, LOOP_STEP);
        project->contexts->trains[f] |= TRAINS_IN_LOOP;
        loop = loops_around(tree, loop, function);
    } else {
        project->contexts->trains[f] |= TRAINS_IN_LOOP;
    }
    for (; loop != NONE; loop = loops_around(tree, loop, function))
        if (map_get(&placed_in(project, file)->loops, loop) != LOOP_STEP)
            map_put(&placed_in(project, file)->loops, loop, LOOP_EPOCH);
}

static uint32_t function_of(const struct project *project, const struct file *file, uint32_t node)
{
    uint32_t f = file->shown.first_function + scope_function_at(file, node);
    while (project->files.functions[f].outer != NONE &&
           file->shown.tree->kind[project->files.functions[f].node] != SYN_FUNCTION)
        f = project->files.functions[f].outer;
    return f;
}

bool loops_runs_network(const struct project *project, const struct file *file, uint32_t call)
{
    const struct value *callee = node_value(project, file, call + 1);
    const struct syntax *tree = file->shown.tree;
    const str tail = syntax_tail(tree, call + 1);
    const struct value *made = node_value(project, file, call);
    const bool method = tree->kind[call + 1] == SYN_ATTRIBUTE &&
                        node_value(project, file, call + 2)->kind == VALUE_MODULE &&
                        !str_eq(syntax_text(tree, call + 2), S("self"));
    if (method && value_tensor_like(made))
        return true;
    return callee->kind == VALUE_MODULE || known_word(WORDS_MODEL, tail);
}

static void mark_direct(struct project *project, const struct file *file)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t node = 0; node < tree->count; node++) {
        if (tree->kind[node] != SYN_CALL)
            continue;
        if (calls_backward(project, file, node))
            mark_around(project, file, function_of(project, file, node), node, TRAINS_ONCE);
        if (loops_runs_network(project, file, node))
            project->contexts->trains[function_of(project, file, node)] |= RUNS_MODEL;
    }
}

/* zip(out, y), enumerate(x): the rows of one batch, not batches. */
static bool takes_tensors(const struct project *project, const struct file *file, uint32_t call)
{
    const struct syntax *tree = file->shown.tree;
    if (tree->kind[call] != SYN_CALL)
        return false;
    const uint32_t argument = syntax_argument(tree, call, 0, NULL);
    return argument != NONE && node_value(project, file, argument)->kind == VALUE_TENSOR;
}

/* A step of an evaluation goes over a loader, or runs a model without gradients. */
static bool goes_over_loader(const struct project *project, const struct file *file, uint32_t loop)
{
    const struct syntax *tree = file->shown.tree;
    if (tree->kind[loop] != SYN_FOR)
        return false;
    const uint32_t iterable = syntax_child(tree, loop, 1);
    const struct value *value = node_value(project, file, iterable);
    if (value->kind == VALUE_LOADER)
        return true;
    return value->flags & VALUE_FROM_LOADER && value->kind == VALUE_ITERATOR && !takes_tensors(project, file, iterable);
}

static bool runs_network_in(const struct project *project, const struct file *file, uint32_t call)
{
    if (file->shown.tree->kind[call] != SYN_CALL)
        return false;
    const uint32_t target = name_target(project, (struct site){file->id, call});
    return loops_runs_network(project, file, call) ||
           (target != NONE && project->contexts->trains[target] & RUNS_MODEL);
}

static bool runs_model(const struct project *project, const struct file *file, uint32_t loop)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t node = loop, last = syntax_last(tree, loop); node < last; node++) {
        if (tree->kind[node] == SYN_CALL && loops_around(tree, node, loop) == NONE &&
            runs_network_in(project, file, node))
            return true;
    }
    return false;
}

static bool without_gradients(const struct project *project, const struct file *file, uint32_t loop)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t id = file->id;
    for (uint32_t node = loop, last = syntax_last(tree, loop); node < last; node++) {
        if (tree->kind[node] == SYN_WITH_ITEM &&
            str_eq(name_of(project, (struct site){id, node + 1}), S("torch.no_grad")))
            return true;
    }
    for (uint32_t at = tree->parent[loop]; at; at = tree->parent[at]) {
        if (tree->kind[at] == SYN_WITH && str_eq(name_of(project, (struct site){id, at + 2}), S("torch.no_grad")))
            return true;
        if (tree->kind[at] == SYN_DECORATED && str_has(syntax_text(tree, at + 1), S("no_grad")))
            return true;
        if (tree->kind[at] != SYN_FUNCTION && tree->kind[at] != SYN_MODULE)
            continue;
        for (uint32_t node = at; node < loop; node++)
            if (syntax_calls(tree, node, S("eval")) && syntax_is(tree, node + 1, SYN_ATTRIBUTE))
                return true;
        break;
    }
    return false;
}

/*
 * Acting without gradients is no evaluation where the loops around it train: what is gathered is trained on. Where
 * these go around loops that train, its rounds are steps of the training as much as theirs.
 */
static bool mark_rollout(struct project *project, const struct file *file, uint32_t loop)
{
    const struct syntax *tree = file->shown.tree;
    if (!acting_in(tree, loop))
        return false;
    for (uint32_t around = loops_around(tree, loop, 0); around != NONE; around = loops_around(tree, around, 0)) {
        const uint32_t kind = map_get(&placed_in(project, file)->loops, around);
        if (kind == LOOP_EPOCH)
            map_put(&placed_in(project, file)->loops, loop, LOOP_STEP);
        if (kind == LOOP_EPOCH || kind == LOOP_STEP)
            return true;
    }
    return false;
}

static void mark_evaluation(struct project *project, const struct file *file)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t node = 0; node < tree->count; node++) {
        if (!is_loop(tree->kind[node]) || map_get(&placed_in(project, file)->loops, node) != MAP_NONE ||
            mark_rollout(project, file, node))
            continue;
        const bool loader = goes_over_loader(project, file, node);
        if (loader || (runs_model(project, file, node) && without_gradients(project, file, node)))
            map_put(&placed_in(project, file)->loops, node, LOOP_EVALUATION);
    }
}

/* Whether the call is given what the loop goes over, itself or through `enumerate(x)` and its kin. */
static bool is_given_rounds(const struct syntax *tree, uint32_t call, uint32_t loop)
{
    if (tree->kind[loop] != SYN_FOR)
        return false;
    uint32_t rounds = syntax_child(tree, loop, 1);
    if (tree->kind[rounds] == SYN_CALL && syntax_argument(tree, rounds, 0, NULL) != NONE)
        rounds = syntax_argument(tree, rounds, 0, NULL);
    const uint32_t arguments = syntax_child(tree, call, 1);
    for (uint32_t a = syntax_first(tree, arguments); a != NONE; a = syntax_next(tree, a))
        if (syntax_same(tree, tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a, tree, rounds))
            return true;
    return false;
}

bool loops_beside(const struct project *project, struct site call)
{
    const struct syntax *tree = project_tree(project, call.file);
    for (uint32_t at = call.node, up = tree->parent[at];
         at && !is_loop(tree->kind[up]) && tree->kind[up] != SYN_FUNCTION;
         at = syntax_if_head(tree, up), up = tree->parent[at]) {
        if (tree->kind[up] != SYN_IF || at == up + 1)
            continue;
        const uint32_t other = syntax_child(tree, up, at == syntax_child(tree, up, 1) ? 2 : 1);
        for (uint32_t s = syntax_first(tree, other); tree->kind[other] == SYN_BLOCK && s != NONE;
             s = syntax_next(tree, s))
            if (is_given_rounds(tree, call.node, s))
                return true;
    }
    return false;
}

/* Around loops that evaluate, and within those that train, nothing else evaluates: the outermost over a loader counts. */
static struct site pass_on(struct project *project)
{
    struct site changed = site_none;
    for (uint32_t i = 0; i < project->files.count; i++)
        for (size_t c = 0; c < calls_of(project, i)->count; c++) {
            const struct call *call = &calls_of(project, i)->at[c];
            const uint8_t trains = project->contexts->trains[call->target] & (TRAINS_ONCE | TRAINS_IN_LOOP);
            const uint32_t caller = function_of(project, &project->files.at[i], call->node);
            const uint8_t before = project->contexts->trains[caller];
            const bool rounds =
                trains & TRAINS_IN_LOOP || (trains && loops_beside(project, (struct site){i, call->node}));
            project->contexts->trains[caller] |= project->contexts->trains[call->target] & RUNS_MODEL;
            if (trains && caller != call->target)
                mark_around(project, &project->files.at[i], caller, call->node, rounds ? TRAINS_IN_LOOP : TRAINS_ONCE);
            if (before != project->contexts->trains[caller])
                changed = (struct site){i, call->node};
        }
    return changed;
}

/* ---- functions that evaluate, and functions that act ---- */

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
        else if (runs_network_in(project, file, n))
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
    if (file->shown.tree->kind[function->node] != SYN_FUNCTION ||
        project->contexts->trains[f] & (TRAINS_ONCE | TRAINS_IN_LOOP))
        return false;
    const bool runs = project->contexts->trains[f] & RUNS_MODEL;
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

static void mark_functions(struct project *project)
{
    struct contexts *contexts = project->contexts;
    const uint32_t functions = project->files.function_count;
    contexts->acts = arena_array(&contexts->arena, functions, sizeof *contexts->acts);
    contexts->evaluates = arena_array(&contexts->arena, functions, sizeof *contexts->evaluates);
    for (uint32_t f = 0; f < functions; f++)
        contexts->evaluates[f] =
            !is_promised_each_step(project, f) && (is_evaluation(project, f) || is_called_to_evaluate(project, f));
    for (uint32_t i = 0; i < project->files.count; i++)
        acting_build(project, i);
}

/* ---- what trains, as nodes ---- */

static bool is_training_call(const struct project *project, const struct file *file, uint32_t node)
{
    if (file->shown.tree->kind[node] != SYN_CALL)
        return false;
    if (calls_backward(project, file, node))
        return true;
    const struct calls *calls = calls_of(project, file->id);
    size_t i = search_from(calls->at, calls->count, sizeof *calls->at, offsetof(struct call, node), node);
    for (; i < calls->count && calls->at[i].node == node; i++)
        if (project->contexts->trains[calls->at[i].target] & (TRAINS_ONCE | TRAINS_IN_LOOP))
            return true;
    return false;
}

static void note_training(struct project *project, const struct file *file)
{
    struct nodes *training = &placed_in(project, file)->training;
    for (uint32_t node = 0; node < file->shown.tree->count; node++)
        if (is_training_call(project, file, node))
            contexts_add_node(training, node);
    project->contexts->program_trains[file->program] |= training->count > 0;
}

/* A call that changed what is known of what it stands in; site_none. */
static struct site pass_on_learners(struct project *project)
{
    const struct learners *learners = &project->contexts->learners;
    struct site changed = site_none;
    for (size_t i = 0; i < learners->count; i++) {
        const struct site call = learners->at[i].call;
        const struct file *file = &project->files.at[call.file];
        const uint8_t trains = project->contexts->trains[learners->at[i].target] & (TRAINS_ONCE | TRAINS_IN_LOOP);
        const uint32_t caller = function_of(project, file, call.node);
        const uint8_t before = project->contexts->trains[caller];
        if (trains && caller != learners->at[i].target)
            mark_around(project, file, caller, call.node, trains & TRAINS_IN_LOOP ? TRAINS_IN_LOOP : TRAINS_ONCE);
        if (before != project->contexts->trains[caller])
            changed = call;
    }
    return changed;
}

void loops_build(struct project *project)
{
    enum { ROUNDS = 32 };
    struct contexts *contexts = project->contexts;
    contexts->trains = arena_array(&contexts->arena, project->files.function_count, sizeof *contexts->trains);
    for (uint32_t i = 0; i < project->files.count; i++)
        mark_direct(project, &project->files.at[i]);
    learners_find(project);
    struct site changed = pass_on(project);
    for (int round = 1; round < ROUNDS && !site_is_none(changed); round++) {
        const struct site through = pass_on_learners(project);
        changed = pass_on(project);
        changed = site_is_none(changed) ? through : changed;
    }
    if (!site_is_none(changed))
        project_limit(project, &limit_call_rounds, changed);
    mark_functions(project);
    for (uint32_t i = 0; i < project->files.count; i++)
        note_training(project, &project->files.at[i]);
    for (uint32_t i = 0; i < project->files.count; i++)
        mark_evaluation(project, &project->files.at[i]);
}

bool loops_train(const struct project *project, uint32_t function)
{
    return project->contexts->trains[function] & (TRAINS_ONCE | TRAINS_IN_LOOP);
}

bool loops_hold_training(const struct project *project, uint32_t function)
{
    return (project->contexts->trains[function] & (TRAINS_ONCE | TRAINS_IN_LOOP)) == TRAINS_IN_LOOP;
}

enum loop_kind loops_kind(const struct project *project, struct site loop)
{
    const uint32_t kind = map_get(&project->contexts->of_file[loop.file].loops, loop.node);
    return kind == MAP_NONE ? LOOP_OTHER : (enum loop_kind)kind;
}
