/* SPDX-License-Identifier: Apache-2.0 */
/* From a line outward: the loop around it, or the call of its function, and so on until something says how often. */
#include "chain.h"

#include "rules/loaders/loader.h"
#include "rules/loaders/loader_use.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"

static const char not_run[] = "no loop of training steps in the files linted is seen to run it";
static const char not_made[] = "nothing in the files linted is seen to make one of its class for a framework to call";
static const char not_trained[] = "no training in the files linted is seen to make a network of this class";

static str first_word(const char *words)
{
    str rest = str_of(words), word = S("");
    str_cut(&rest, ' ', &word);
    return word;
}

static str around(const struct chain *chain, struct site site)
{
    const uint32_t f = project_function_at(chain->check->project, site);
    return f == SYNTAX_NONE ? S("") : project_function(chain->check->project, f)->name;
}

static void end_at_loop(struct chain *chain, struct site loop)
{
    const uint32_t trains = context_trains_in(chain->check->project, loop);
    const enum loop_kind kind = context_loop(chain->check->project, loop);
    if (trains == SYNTAX_NONE || kind == LOOP_EVALUATION) {
        chain_end(chain, loop, S("the loop of an evaluation: nothing in it trains"));
        return;
    }
    const str text = chain_text(chain, (struct site){loop.file, trains});
    chain_end(chain, loop,
              str_printf(chain->check->arena, "%s, in which %.*s trains",
                         kind == LOOP_EPOCH ? "a loop around training steps" : "the loop of training steps",
                         (int)text.len, text.at));
}

/* Who makes the object that the framework drives: the outermost place; what the link says stays what it was. */
static void add_maker(struct chain *chain, enum driven_by by, struct site made)
{
    if (by != DRIVEN_MADE || chain->count >= CHAIN_PLACES)
        return;
    const struct proof_place said = chain->places[chain->count - 1];
    const str text = chain_text(chain, made), name = around(chain, made);
    chain_add(chain, made, said.what);
    chain->places[chain->count - 1] = (struct proof_place){said.site, said.what};
    chain->places[chain->count - 2] =
        (struct proof_place){made, str_printf(chain->check->arena, "%.*s makes one, in %.*s", (int)text.len, text.at,
                                              (int)name.len, name.at)};
}

static void end_at_contract(struct chain *chain, struct site site, struct site class_at)
{
    const uint32_t f = project_function_at(chain->check->project, site);
    const struct class_info *about =
        project_class(chain->check->project, project_function(chain->check->project, f)->class_id);
    const str base = first_word(about->framework->bases), name = project_function(chain->check->project, f)->name;
    const struct contract *contract = frameworks_contract(about->framework, name);
    const char *often = contract && contract->pace == PACE_STEP         ? "each training step"
                        : contract && contract->pace == PACE_EVALUATION ? "each step of an evaluation"
                                                                        : "once, or once an epoch";
    const struct project *project = chain->check->project;
    struct site made;
    const enum driven_by by = context_driven(project, project_function(project, f)->class_id, &made);
    chain_end(chain, class_at,
              str_printf(chain->check->arena, "`%.*s` is a %.*s, which calls its %.*s %s", (int)about->name.len,
                         about->name.at, (int)base.len, base.at, (int)name.len, name.at, often));
    if (by == DRIVEN_NOT)
        chain_leave(chain, not_made);
    add_maker(chain, by, made);
}

static void end_at(struct chain *chain, struct site site, const struct way_in *way)
{
    const str name = around(chain, site);
    const char *format = NULL;
    switch (way->kind) {
    case WAY_LOOP:
        end_at_loop(chain, way->at);
        return;
    case WAY_CONTRACT:
        end_at_contract(chain, site, way->at);
        return;
    case WAY_HANDLER:
        format = "`%.*s` is registered here, and runs with the steps of the engine";
        break;
    case WAY_TRAINS:
        format = "a call of `%.*s` is a training step: this trains";
        chain->open = not_run; /* until a loop around a call is found */
        break;
    default:
        format = "`%.*s` runs once";
    }
    const struct site at = way->at.node == SYNTAX_NONE ? site : way->at;
    chain_end(chain, at, str_printf(chain->check->arena, format, (int)name.len, name.at));
}

static void add_call(struct chain *chain, struct site call)
{
    const str text = chain_text(chain, call), name = around(chain, call);
    chain_add(chain, call,
              str_printf(chain->check->arena, "%.*s, in %.*s", (int)text.len, text.at, (int)name.len, name.at));
}

static struct site body_of(const struct chain *chain, struct site call)
{
    const struct syntax *tree = project_tree(chain->check->project, call.file);
    return (struct site){call.file, syntax_child(tree, tree->parent[call.node], 2)};
}

enum { MOST_CALLS = 64, FARTHEST_CALL = 16 };

static bool to_loop(struct chain *chain, struct site site, uint32_t *left, int depth);

/* Of a function that is a step: the loop of steps around a call of it, where there is one. */
static bool to_loop_of_calls(struct chain *chain, struct site site, uint32_t *left, int depth)
{
    uint32_t count;
    const struct project *project = chain->check->project;
    const uint32_t function = project_function_at(project, site);
    const struct site *callers = name_callers(project, function, &count);
    if (context_steps_engine(project, function)) {
        const str name = project_function(project, function)->name;
        chain_end(chain, (struct site){site.file, project_function(project, function)->node},
                  str_printf(chain->check->arena, "`%.*s` is given to an engine, which calls it each training step",
                             (int)name.len, name.at));
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct chain before = {.count = chain->count};
        if (context_of(project, callers[i]).in_test)
            continue;
        add_call(chain, callers[i]);
        if (to_loop(chain, callers[i], left, depth + 1))
            return true;
        chain->count = before.count;
    }
    return false;
}

/* From a call that trains outward to the loop of steps, or to what a framework calls each step. */
static bool to_loop(struct chain *chain, struct site site, uint32_t *left, int depth)
{
    static const struct limit far = {"pace-calls",
                                     "a training step is called through more than 16 functions, or 64 calls lead to no "
                                     "loop; whether any loop of steps runs it is not known"};
    const struct project *project = chain->check->project;
    if (depth == FARTHEST_CALL || !*left) {
        project_limit(project, &far, site);
        return false;
    }
    --*left;
    const struct way_in way = context_way_in(project, site);
    switch (way.kind) {
    case WAY_LOOP:
        if (context_loop(project, way.at) == LOOP_EVALUATION)
            return false;
        end_at_loop(chain, way.at);
        return true;
    case WAY_CALL:
    case WAY_LEARNER:
    case WAY_ROUNDS:
        add_call(chain, way.at);
        return to_loop(chain, way.kind == WAY_ROUNDS ? body_of(chain, way.at) : way.at, left, depth + 1);
    case WAY_TRAINS:
        return to_loop_of_calls(chain, site, left, depth);
    case WAY_CONTRACT:
    case WAY_HANDLER:
        chain->open = NULL;
        end_at(chain, site, &way);
        return chain->origin;
    default:
        return false;
    }
}

static bool reaches_loop(struct chain *chain, struct site site)
{
    uint32_t left = MOST_CALLS;
    const uint32_t count = chain->count;
    if (to_loop(chain, site, &left, 0)) {
        chain->open = NULL;
        return true;
    }
    chain->count = count;
    return false;
}

static void end_at_door(struct chain *chain, str about, struct site at, bool open)
{
    const char *door =
        open ? "the network `%.*s` is registered, or a setting names it: the steps that train it run it"
        : context_trains_anything(chain->check->project)
            ? "the network `%.*s` runs in each step that trains it; which call that is nobody tells"
            : "the network `%.*s` runs in each step of who trains it: nothing in the files linted trains any";
    chain_end(chain, at, str_printf(chain->check->arena, door, (int)about.len, about.at));
}

static void add_named(struct chain *chain, struct site at)
{
    const bool is_call = project_tree(chain->check->project, at.file)->kind[at.node] == SYN_CALL;
    const str text = chain_text(chain, at), caller = around(chain, at);
    chain_add(chain, at,
              str_printf(chain->check->arena, is_call ? "%.*s, in %.*s" : "%.*s is named in %.*s", (int)text.len,
                         text.at, (int)caller.len, caller.at));
}

/* A method of the run that a framework calls. */
static void end_at_called(struct chain *chain, struct site at)
{
    const struct project *project = chain->check->project;
    const struct syntax *tree = project_tree(project, at.file);
    const str name = syntax_text(tree, at.node + 1), caller = around(chain, at);
    const uint32_t class_id =
        project_function(project, project_function_at(project, (struct site){at.file, at.node + 1}))->class_id;
    struct site made = site_none;
    const enum driven_by by = class_id == SYNTAX_NONE ? DRIVEN_NOT : context_driven(project, class_id, &made);
    chain_end(chain, at,
              str_printf(chain->check->arena, "a framework calls `%.*s` of `%.*s` each training step", (int)name.len,
                         name.at, (int)caller.len, caller.at));
    if (by == DRIVEN_NOT)
        chain_leave(chain, not_made);
    add_maker(chain, by, made);
}

/* Of a class of the run that is called a trainer: the loop of steps in one of its methods. */
static bool ends_in_method(struct chain *chain, struct site call)
{
    const struct project *project = chain->check->project;
    const struct value *made = value_at(project, call);
    if (made->detail == SYNTAX_NONE || (made->kind != VALUE_INSTANCE && made->kind != VALUE_MODULE))
        return false;
    const struct class_info *about = project_class(project, made->detail);
    const struct syntax *tree = project_tree(project, about->file);
    for (uint32_t node = about->node; node < syntax_last(tree, about->node); node++) {
        const struct site loop = {about->file, node};
        const bool is_loop = tree->kind[node] == SYN_FOR || tree->kind[node] == SYN_WHILE;
        if (!is_loop || context_loop(project, loop) != LOOP_STEP)
            continue;
        end_at_loop(chain, loop);
        return true;
    }
    return false;
}

/* The call that trains, or the method that a framework calls; from the call on to the loop in which it stands. */
static void end_at_training(struct chain *chain, struct site at)
{
    const struct project *project = chain->check->project;
    if (project_tree(project, at.file)->kind[at.node] == SYN_FUNCTION) {
        end_at_called(chain, at);
        return;
    }
    const str caller = around(chain, at), text = chain_text(chain, at);
    const str what =
        str_printf(chain->check->arena, "%.*s trains, in %.*s", (int)text.len, text.at, (int)caller.len, caller.at);
    chain_add(chain, at, what);
    if (reaches_loop(chain, at) || ends_in_method(chain, at))
        return;
    chain->count--;
    chain_end(chain, at, what);
    if (!known_word(WORDS_TRAINERS, name_of(project, at)))
        chain_leave(chain, not_run);
}

/* From the class over what names it, place by place, to a program that trains. */
static void end_at_maker(struct chain *chain, uint32_t class_id, str about, struct site forward)
{
    const struct project *project = chain->check->project;
    struct trained_step step = {site_none, SYNTAX_NONE, TRAINED_NOT, false};
    if (class_id != SYNTAX_NONE)
        step = context_trained(project, context_class_unit(project, class_id));
    if (step.kind != TRAINED_BY_NAME && step.kind != TRAINED_ITSELF) {
        end_at_door(chain, about, forward, step.kind == TRAINED_OPEN);
        return;
    }
    chain_add(chain, forward,
              str_printf(chain->check->arena, "the network `%.*s`, which is trained", (int)about.len, about.at));
    struct site last = forward;
    const bool sure = step.sure;
    for (; step.kind == TRAINED_BY_NAME; step = context_trained(project, step.next)) {
        if (site_is_none(step.at))
            continue;
        last = step.at;
        add_named(chain, last);
    }
    if (step.kind != TRAINED_ITSELF)
        end_at_door(chain, about, last, true);
    else
        end_at_training(chain, step.at);
    if (!sure)
        chain_leave(chain, not_trained);
}

/* Of a network that no call reaches by name: the call of a network in a training step, where that network is made. */
static struct site at_network(struct chain *chain, struct site site, struct site forward)
{
    const struct project *project = chain->check->project;
    const struct function *function = project_function(project, project_function_at(project, site));
    const bool method = function->class_id != SYNTAX_NONE;
    const struct site run = method ? context_network_runs(project, function->class_id) : site_none;
    const str about = method ? project_class(project, function->class_id)->name : function->name;
    if (site_is_none(run)) {
        end_at_maker(chain, method ? function->class_id : SYNTAX_NONE, about, forward);
        return site_none;
    }
    chain_add(chain, forward,
              str_printf(chain->check->arena, "`%.*s` of the network `%.*s`, which no call reaches by name",
                         (int)function->name.len, function->name.at, (int)about.len, about.at));
    const str text = chain_text(chain, run), caller = around(chain, run);
    chain_add(chain, run,
              str_printf(chain->check->arena, "%.*s runs a network, in %.*s", (int)text.len, text.at, (int)caller.len,
                         caller.at));
    return run;
}

void chain_pace_of_run(struct chain *chain, struct site loader)
{
    const struct check there = chain_check(chain, loader.file);
    if (!loader_is(&there, loader.node))
        return;
    const struct loader_use use = loader_use_of(&there, loader.node);
    if (!use.trains || site_is_none(use.trained_at))
        return;
    const struct syntax *tree = project_tree(there.project, use.trained_at.file);
    if (tree->kind[use.trained_at.node] == SYN_FOR)
        end_at_loop(chain, use.trained_at);
    else
        chain_pace(chain, use.trained_at);
}

void chain_pace(struct chain *chain, struct site site)
{
    for (;;) {
        const struct way_in way = context_way_in(chain->check->project, site);
        if (way.kind == WAY_NONE)
            return;
        if (way.kind == WAY_FORWARD) {
            site = at_network(chain, site, way.at);
            if (site_is_none(site))
                return;
            continue;
        }
        if (way.kind != WAY_CALL && way.kind != WAY_LEARNER && way.kind != WAY_ROUNDS) {
            end_at(chain, site, &way);
            if (way.kind == WAY_TRAINS)
                reaches_loop(chain, site);
            return;
        }
        add_call(chain, way.at);
        site = way.kind == WAY_ROUNDS ? body_of(chain, way.at) : way.at;
    }
}
