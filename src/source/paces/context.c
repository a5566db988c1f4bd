/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a run a line stands. Loops are told by what they call; functions by
 * who calls them, from the loops inward until nothing changes.
 */
#include "run.h"

#include "base/at_work.h"
#include "base/mem.h"
#include "base/search.h"
#include "acting.h"
#include "around.h"
#include "handlers.h"
#include "source/known/frameworks.h"
#include "source/gates/gate.h"
#include "source/gates/given.h"
#include "source/known/known.h"
#include "learners.h"
#include "loops.h"
#include "network.h"
#include "parallel/par.h"
#include "source/gates/once.h"
#include "source/reach/reach.h"
#include "source/reach/trained.h"
#include "source/reach/driven.h"
#include "source/reach/unmade.h"
#include "source/reach/unreached.h"
#include "source/known/known_words.h"

/* Calls in a circle would count loops for ever. */
enum { DEEPEST_INNER = 4 };

/* ---- with what is known of the function ---- */

static struct context with_callers(const struct project *project, const struct context *inside, uint32_t function)
{
    const struct run_context *f = &project->contexts->of_function[function];
    struct context c = *inside;
    const bool evaluates = project->contexts->evaluates[function];
    const bool untrained = c.evaluation_only || evaluates;
    if (evaluates && !c.evaluation_only)
        c.untrained_at = run_site(project, function);
    c.in_forward = f->in_forward;
    c.in_worker = f->in_worker;
    c.no_grad |= f->no_grad;
    c.several = (f->seen & (f->seen - 1)) != 0;
    if (c.pace == PACE_UNKNOWN) {
        c.pace = f->pace;
        c.inner += f->inner;
        c.inner -= f->by_rounds && c.inner > 0;
        if (gate_stronger(c.gate, f->gate) != c.gate) {
            c.gate = f->gate;
            c.gate_at = f->gate_at;
        }
    }
    if (untrained && c.pace == PACE_STEP)
        c.pace = PACE_EVALUATION;
    if (unreached_is(project, function) && gate_stronger(c.gate, GATE_UNREACHED) != c.gate) {
        c.gate = GATE_UNREACHED;
        c.gate_at = run_site(project, function);
    }
    return c;
}

uint32_t run_function(const struct project *project, uint32_t f)
{
    while (project->files.functions[f].outer != NONE) {
        const enum syntax_kind kind =
            project_tree(project, project->files.functions[f].file)->kind[project->files.functions[f].node];
        if (kind == SYN_FUNCTION)
            break;
        f = project->files.functions[f].outer;
    }
    return f;
}

struct context context_of(const struct project *project, struct site site)
{
    const uint32_t f = run_function(project, project_function_at(project, site));
    const struct context inside = around_node(project, site, f);
    struct context c = with_callers(project, &inside, f);
    c.in_test = project->files.at[site.file].is_test;
    c.asserts = project->contexts->of_function[f].asserts;
    c.acting = project->contexts->acts[f] || acting_at(project, site);
    return c;
}

struct way_in context_way_in(const struct project *project, struct site site)
{
    const uint32_t f = run_function(project, project_function_at(project, site));
    const struct context inside = around_node(project, site, f);
    if (inside.step_loop != NONE)
        return (struct way_in){WAY_LOOP, {site.file, inside.step_loop}};
    return project->contexts->of_function[f].way;
}

enum loop_kind context_loop(const struct project *project, struct site loop)
{
    const enum loop_kind kind = loops_kind(project, loop);
    if (kind != LOOP_OTHER)
        return kind;
    const struct context c = context_of(project, loop);
    const uint32_t f = run_function(project, project_function_at(project, loop));
    if (project->contexts->of_function[f].by_rounds && c.depth == 0)
        return c.pace == PACE_STEP ? LOOP_STEP : c.pace == PACE_EVALUATION ? LOOP_EVALUATION : LOOP_OTHER;
    return c.pace == PACE_STEP || c.pace == PACE_EVALUATION ? LOOP_ELEMENT : LOOP_OTHER;
}

bool context_program_trains(const struct project *project, uint32_t file)
{
    return project->contexts->program_trains[project->files.at[file].program];
}

bool context_any_trains(const struct project *project)
{
    for (uint32_t i = 0; i < project->files.count; i++)
        if (project->contexts->of_file[i].training.count)
            return true;
    return false;
}

/* ---- from callers to callees ---- */

bool run_reach(struct run_context *to, struct context from_here, bool evaluates, struct way_in way)
{
    const struct run_context before = *to;
    const struct context *from = &from_here;
    if (evaluates && from_here.pace == PACE_STEP)
        from_here.pace = PACE_EVALUATION;
    if (from->pace != PACE_UNKNOWN) {
        to->seen |= (uint8_t)(1u << from->pace);
        const uint8_t inner = from->inner > DEEPEST_INNER ? DEEPEST_INNER : (uint8_t)from->inner;
        if (from->pace > to->pace) {
            to->pace = (uint8_t)from->pace;
            to->inner = inner;
            to->gate = (uint8_t)from->gate;
            to->gate_at = from->gate_at;
            to->way = way;
        } else if (from->pace == to->pace) {
            to->inner = inner > to->inner ? inner : to->inner;
            if (to->gate != from->gate && gate_stronger(to->gate, from->gate) == to->gate) {
                to->gate = (uint8_t)from->gate; /* the weakest way in counts */
                to->gate_at = from->gate_at;
                to->way = way;
            }
        }
    }
    to->no_grad = to->called ? to->no_grad && from->no_grad : from->no_grad;
    to->called = true;
    to->in_forward |= from->in_forward;
    to->in_worker |= from->in_worker;
    return memcmp(&before, to, sizeof before) != 0;
}

/* A call, with what stands around it in its function: that is looked at once, while contexts go from caller to callee. */
struct way {
    struct context inside;
    struct site call;
    uint32_t caller, target;
    bool by_rounds;
    bool learns; /* of an object that learns, by the name of the method: it says which loop runs the steps */
};

struct ways {
    struct way *at;
    size_t count, room;
};

/* The loop that goes over what a generator yields: its body runs in the rounds of that; NONE. */
static uint32_t loop_over(const struct project *project, struct site call, uint32_t target)
{
    const struct syntax *tree = project_tree(project, call.file);
    const uint32_t loop = tree->parent[call.node];
    const bool goes_over = tree->kind[loop] == SYN_FOR && call.node == syntax_child(tree, loop, 1);
    return project->files.functions[target].is_generator && goes_over ? loop : NONE;
}

static void add_way(const struct project *project, struct ways *ways, struct site call, uint32_t target)
{
    const uint32_t loop = loop_over(project, call, target);
    const uint32_t caller = run_function(project, project_function_at(project, call));
    if (caller == target || project->files.at[call.file].is_test)
        return;
    ways->at = mem_grow(ways->at, &ways->room, ways->count + 1, sizeof *ways->at);
    const uint32_t node = loop == NONE ? call.node : syntax_child(project_tree(project, call.file), loop, 2);
    ways->at[ways->count++] = (struct way){
        around_node(project, (struct site){call.file, node}, caller), call, caller, target, loop != NONE, false};
}

/* Methods that run their module, of each name: what a call by name alone may reach. */
struct running {
    struct map by_name; /* name id -> function */
    uint32_t *next;     /* per function: another of the name; NONE */
};

static void list_running(const struct project *project, struct running *running)
{
    running->next = mem_alloc((project->files.function_count + 1) * sizeof *running->next);
    for (size_t i = 0; project->files.methods_by_name.slots && i <= project->files.methods_by_name.mask; i++) {
        const struct map_slot *slot = &project->files.methods_by_name.slots[i];
        uint32_t last = NONE;
        for (uint32_t f = slot->value; f != NONE; f = project->files.next_of_name[f]) {
            const struct function *function = &project->files.functions[f];
            if (!project->files.classes[function->class_id].is_module || !project->files.calls_forward[f])
                continue;
            if (last == NONE)
                map_put(&running->by_name, slot->key, f);
            else
                running->next[last] = f;
            running->next[f] = NONE;
            last = f;
        }
    }
}

static void add_named(const struct project *project, const struct running *running, struct ways *ways,
                      const struct named_call *named)
{
    const uint32_t program = project->files.at[named->call.file].program;
    for (uint32_t f = map_get(&running->by_name, named->name->id); f != NONE; f = running->next[f])
        if (project->files.at[project->files.functions[f].file].program == program)
            add_way(project, ways, named->call, f);
}

/* They are called by key alone: nothing is to be assumed of how often. */
static void begin_keyed(struct project *project, const struct by_key *keyed)
{
    for (size_t i = 0; i < keyed->count; i++) {
        const uint32_t f = keyed->at[i].forward;
        if (project->summaries.first_caller[f] == project->summaries.first_caller[f + 1]) {
            project->contexts->of_function[f].pace = PACE_UNKNOWN;
            project->contexts->of_function[f].way = (struct way_in){WAY_NONE, site_none};
            project->contexts->of_function[f].seen = 0;
        }
    }
}

static void add_learners(const struct project *project, struct ways *ways)
{
    const struct learners *learners = &project->contexts->learners;
    for (size_t i = 0; i < learners->count; i++) {
        const size_t before = ways->count;
        if (loops_train(project, learners->at[i].target))
            add_way(project, ways, learners->at[i].call, learners->at[i].target);
        for (size_t w = before; w < ways->count; w++)
            ways->at[w].learns = true;
    }
}

static void find_ways(struct project *project, struct ways *ways)
{
    struct by_key keyed = {0};
    reach_by_key(project, &keyed);
    begin_keyed(project, &keyed);
    for (size_t i = 0; i < keyed.count; i++)
        add_way(project, ways, keyed.at[i].call, keyed.at[i].forward);
    mem_free(keyed.at);
    for (uint32_t i = 0; i < project->files.count; i++)
        for (size_t c = 0; c < calls_of(project, i)->count; c++)
            add_way(project, ways, (struct site){i, calls_of(project, i)->at[c].node},
                    calls_of(project, i)->at[c].target);
    add_learners(project, ways);
    struct by_name list = {0};
    struct running running = {0};
    reach_by_name(project, &list);
    list_running(project, &running);
    for (size_t i = 0; i < list.count; i++)
        add_named(project, &running, ways, &list.at[i]);
    map_free(&running.by_name);
    mem_free(running.next);
    mem_free(list.at);
}

/* A call that changed what is known of what it calls; site_none. */
static struct site pass_on(struct project *project, const struct ways *ways)
{
    struct site changed = site_none;
    for (size_t i = 0; i < ways->count; i++) {
        const struct way *way = &ways->at[i];
        const struct context from = with_callers(project, &way->inside, way->caller);
        const struct way_in in = {way->by_rounds ? WAY_ROUNDS : way->learns ? WAY_LEARNER : WAY_CALL, way->call};
        if (run_reach(&project->contexts->of_function[way->target], from, project->contexts->evaluates[way->target],
                      in))
            changed = way->call;
        project->contexts->of_function[way->target].by_rounds |= way->by_rounds;
        if (way->learns && from.pace == PACE_STEP && project->contexts->of_function[way->target].way.kind == WAY_TRAINS)
            project->contexts->of_function[way->target].way = in;
    }
    return changed;
}

static void settle(struct project *project, const struct ways *ways)
{
    enum { ROUNDS = 32 };
    struct site changed = pass_on(project, ways);
    for (int round = 1; round < ROUNDS && !site_is_none(changed); round++)
        changed = pass_on(project, ways);
    if (!site_is_none(changed))
        project_limit(project, &limit_call_rounds, changed);
}

static void build_gates(void *project, size_t file)
{
    at_work_on(((struct project *)project)->files.at[file].shown.path.at);
    gate_build(project, (uint32_t)file);
    at_work_on(NULL);
}

/* Which classes and functions a program comes to, by what names what. */
static void reach_build(struct project *project)
{
    struct mentions mentions = {0};
    mentions_find(project, &mentions);
    trained_build(project, &mentions);
    unmade_build(project);
    unreached_build(project, &mentions);
    mentions_free(&mentions);
}

void context_build(struct project *project)
{
    struct contexts *contexts = project->contexts;
    const uint32_t functions = project->files.function_count;
    contexts->of_file = arena_array(&contexts->arena, project->files.count, sizeof *contexts->of_file);
    contexts->of_function = arena_array(&contexts->arena, functions, sizeof *contexts->of_function);
    contexts->kept_from = arena_array(&contexts->arena, functions, sizeof *contexts->kept_from);
    handlers_begin(project);
    contexts->program_trains = arena_array(&contexts->arena, project->files.count, sizeof *contexts->program_trains);
    loops_build(project);
    given_build(project);
    par_each(project->files.count, project->cells.options.threads, build_gates, project);
    around_build(project);
    moved_build(project);
    driven_build(project);
    reach_build(project);
    begin_all(project);
    struct ways ways = {0};
    find_ways(project, &ways);
    settle(project, &ways);
    if (begin_networks(project))
        settle(project, &ways);
    mem_free(ways.at);
    network_build(project);
}
