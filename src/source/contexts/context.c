/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a run a line stands. Loops are told by what they call; functions by
 * who calls them, from the loops inward until nothing changes.
 */
#include "contexts.h"

#include "base/mem.h"
#include "base/search.h"
#include "around.h"
#include "handlers.h"
#include "source/known/frameworks.h"
#include "gate.h"
#include "source/known/known.h"
#include "loops.h"
#include "once.h"
#include "reach.h"
#include "source/known/known_words.h"

/* Calls in a circle would count loops for ever. */
enum { DEEPEST_INNER = 4 };

struct run_context {
    uint8_t pace, seen; /* seen: bits of the paces from which it is called */
    uint8_t inner;
    uint8_t gate;
    bool in_forward, in_worker, no_grad, called, asserts;
    bool by_rounds;      /* a generator that a loop goes over: a round of its own loop is one of that */
    struct way_in way;   /* from where its pace came, the first of several */
    struct site gate_at; /* of `gate` */
};

/* ---- with what is known of the function ---- */

static struct site function_site(const struct project *project, uint32_t function)
{
    return (struct site){project->files.functions[function].file, project->files.functions[function].node};
}

static struct context with_callers(const struct project *project, const struct context *inside, uint32_t function)
{
    const struct run_context *f = &project->contexts->of_function[function];
    struct context c = *inside;
    const bool evaluates = project->contexts->evaluates[function];
    const bool untrained = c.evaluation_only || evaluates;
    if (evaluates && !c.evaluation_only)
        c.untrained_at = function_site(project, function);
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
    return c;
}

/* A lambda, or the body of a class, runs where it stands. */
static uint32_t running_function(const struct project *project, uint32_t f)
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

struct context context_of(const struct project *project, struct site site)
{
    const uint32_t f = running_function(project, project_function_at(project, site));
    const struct context inside = around_node(project, site, f);
    struct context c = with_callers(project, &inside, f);
    c.in_test = project->files.at[site.file].is_test;
    c.asserts = project->contexts->of_function[f].asserts;
    c.acting = project->contexts->acts[f] || loops_acting(project, site);
    return c;
}

struct way_in context_way_in(const struct project *project, struct site site)
{
    const uint32_t f = running_function(project, project_function_at(project, site));
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
    const uint32_t f = running_function(project, project_function_at(project, loop));
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

static bool reach(struct run_context *to, struct context from_here, bool evaluates, struct way_in way)
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
    const uint32_t caller = running_function(project, project_function_at(project, call));
    if (caller == target || project->files.at[call.file].is_test)
        return;
    ways->at = mem_grow(ways->at, &ways->room, ways->count + 1, sizeof *ways->at);
    const uint32_t node = loop == NONE ? call.node : syntax_child(project_tree(project, call.file), loop, 2);
    ways->at[ways->count++] =
        (struct way){around_node(project, (struct site){call.file, node}, caller), call, caller, target, loop != NONE};
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
        const struct way_in in = {way->by_rounds ? WAY_ROUNDS : WAY_CALL, way->call};
        if (reach(&project->contexts->of_function[way->target], from, project->contexts->evaluates[way->target], in))
            changed = way->call;
        project->contexts->of_function[way->target].by_rounds |= way->by_rounds;
    }
    return changed;
}

/* Whether a module has anything that could be trained: parameters, or modules in it. */
static bool has_parameters(const struct project *project, uint32_t class_id)
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
    return project->cells.classes[class_id].base_count > 0;
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
    uint32_t count;
    const struct site *callers = name_callers(project, f, &count);
    if (project->files.functions[f].class_id != NONE || depth == DEEPEST_CALL || count > MOST_CALLS)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t caller = running_function(project, project_function_at(project, callers[i]));
        if (around_node(project, callers[i], caller).depth > 0)
            return false;
        if (project->files.functions[caller].outer != NONE && !is_called_once(project, caller, depth + 1))
            return false;
    }
    return count > 0;
}

static void set_pace(struct run_context *c, enum pace pace, enum way_kind kind, struct site at)
{
    c->pace = (uint8_t)pace;
    c->way = (struct way_in){kind, at};
}

/* What a framework calls, by public convention. */
static void begin(const struct project *project, uint32_t f, struct run_context *c)
{
    const struct function *function = &project->files.functions[f];
    const struct class_info *class_info =
        function->class_id == NONE ? NULL : &project->files.classes[function->class_id];
    const bool uncalled = project->summaries.first_caller[f] == project->summaries.first_caller[f + 1];
    const struct site own = function_site(project, f);
    if (function->outer == NONE)
        set_pace(c, PACE_ONCE, WAY_ONCE, own);
    const bool steps = project->summaries.of_function[f].effects & EFFECT_STEP || !uncalled;
    if (function->outer != NONE && project->contexts->trains[f] & 1 && steps) /* one call is one step, whoever calls */
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
    if (class_info->is_module && str_eq(name, frameworks_forward(class_info->framework))) {
        c->in_forward = true;
        const bool step = uncalled && !is_used_otherwise(project, f);
        set_pace(c, step ? PACE_STEP : PACE_UNKNOWN, step ? WAY_FORWARD : WAY_NONE, step ? own : site_none);
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
            reach(&project->contexts->of_function[handler.function], handler.context, false,
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

void context_build(struct project *project)
{
    enum { ROUNDS = 32 };
    struct contexts *contexts = project->contexts;
    const uint32_t functions = project->files.function_count;
    contexts->of_file = arena_array(&contexts->arena, project->files.count, sizeof *contexts->of_file);
    contexts->of_function = arena_array(&contexts->arena, functions, sizeof *contexts->of_function);
    contexts->kept_from = arena_array(&contexts->arena, functions, sizeof *contexts->kept_from);
    handlers_begin(project);
    contexts->program_trains = arena_array(&contexts->arena, project->files.count, sizeof *contexts->program_trains);
    loops_build(project);
    around_build(project);
    moved_build(project);
    for (uint32_t f = 0; f < functions; f++)
        begin_function(project, f);
    for (uint32_t i = 0; i < project->files.count; i++)
        begin_workers(project, i);
    for (uint32_t i = 0; i < project->files.count; i++)
        begin_handlers(project, i);
    struct ways ways = {0};
    find_ways(project, &ways);
    struct site changed = pass_on(project, &ways);
    for (int round = 1; round < ROUNDS && !site_is_none(changed); round++)
        changed = pass_on(project, &ways);
    if (!site_is_none(changed))
        project_limit(project, &limit_call_rounds, changed);
    mem_free(ways.at);
}

void contexts_free(struct project *project)
{
    struct contexts *contexts = project->contexts;
    for (uint32_t i = 0; i < project->files.count; i++) {
        map_free(&contexts->of_file[i].loops);
        map_free(&contexts->of_file[i].elifs);
        mem_free(contexts->of_file[i].training.at);
        mem_free(contexts->of_file[i].acting.at);
    }
    mem_free(contexts->made);
    arena_free(&contexts->arena);
}
