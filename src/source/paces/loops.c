/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call that trains once (backward, or a function that does so outside of loops
 * of its own) makes the innermost loop around it a step loop; a step loop, or a
 * call of a function that has one, makes the loops around it epoch loops.
 */
#include "loops.h"

#include "base/search.h"
#include "acting.h"
#include "evaluating.h"
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

bool loops_runs_network_in(const struct project *project, const struct file *file, uint32_t call)
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
            loops_runs_network_in(project, file, node))
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

static void mark_functions(struct project *project)
{
    struct contexts *contexts = project->contexts;
    const uint32_t functions = project->files.function_count;
    contexts->acts = arena_array(&contexts->arena, functions, sizeof *contexts->acts);
    contexts->evaluates = arena_array(&contexts->arena, functions, sizeof *contexts->evaluates);
    for (uint32_t f = 0; f < functions; f++)
        contexts->evaluates[f] = evaluating_is(project, f);
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

bool loops_run_model(const struct project *project, uint32_t function)
{
    return project->contexts->trains[function] & RUNS_MODEL;
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
