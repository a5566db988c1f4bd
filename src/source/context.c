/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a run a line stands. Loops are told by what they call; functions by
 * who calls them, from the loops inward until nothing changes.
 */
#include "source/eval.h"

#include "base/buf.h"
#include "base/mem.h"
#include "source/branch.h"
#include "source/gate.h"
#include "source/loops.h"
#include "source/once.h"
#include "source/reach.h"

/* Calls in a circle would count loops for ever. */
enum { DEEPEST_INNER = 4 };

struct run_context {
    uint8_t pace, seen; /* seen: bits of the paces from which it is called */
    uint8_t inner;
    uint8_t gate;
    bool in_forward, in_worker, no_grad, called, gated_everywhere;
};

static bool is_block_of(const struct syntax *tree, uint32_t node, uint32_t statement, uint32_t child)
{
    const uint32_t block = syntax_child(tree, statement, child);
    return block != NONE && syntax_inside(tree, node, block);
}

/* ---- what stands around a node in its function ---- */

static bool tests_no_cuda(const struct syntax *tree, uint32_t test, bool *negated)
{
    *negated = tree->kind[test] == SYN_NOT;
    const uint32_t asked = *negated ? test + 1 : test;
    return syntax_calls(tree, asked, S("is_available")) && syntax_is(tree, asked + 1, SYN_ATTRIBUTE) &&
           str_eq(syntax_tail(tree, asked + 2), S("cuda"));
}

static bool is_one_of(str text, const char *const *words)
{
    for (; *words; words++)
        if (str_eq(text, str_of(*words)))
            return true;
    return false;
}

/* "train" of `phase == "train"`; "" of another test. */
static str phase_asked_for(const struct syntax *tree, uint32_t test)
{
    const uint32_t phase =
        tree->kind[test] == SYN_COMPARE && tree->op[test] == OP_EQUAL ? syntax_child(tree, test, 1) : NONE;
    if (!syntax_is(tree, phase, SYN_STRING))
        return S("");
    const str text = syntax_text(tree, phase);
    return text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* `self.training`, `is_train`, `phase == "train"`; *negated: it holds where nothing is trained. */
static bool tests_training(const struct syntax *tree, uint32_t test, bool *negated)
{
    static const char *const names[] = {"training", "is_train", "is_training", "train_mode", NULL};
    static const char *const other_phases[] = {"val", "valid", "validation", "test", "eval", "evaluation", NULL};
    *negated = tree->kind[test] == SYN_NOT;
    const uint32_t asked = *negated ? test + 1 : test;
    if (tree->kind[asked] == SYN_ATTRIBUTE || tree->kind[asked] == SYN_NAME)
        return is_one_of(syntax_tail(tree, asked), names);
    const str phase = phase_asked_for(tree, asked);
    *negated ^= is_one_of(phase, other_phases);
    return str_eq(phase, S("train")) || is_one_of(phase, other_phases);
}

/* A branch that ends the run is a message on its way out; one that leaves a loop runs once a loop. */
static void around_branch(const struct project *project, struct site branch, struct context *c, bool *leaves)
{
    const enum leaving leaving = once_leaves(project, branch);
    const uint32_t statement = project_tree(project, branch.file)->parent[branch.node];
    c->evaluation_only |= branch_trains_not(project, branch.file, statement, branch.node);
    c->on_error |= leaving == LEAVES_RUN;
    *leaves |= leaving == LEAVES_LOOP && c->loop == NONE;
}

static void around_if(const struct project *project, struct site site, uint32_t at, struct context *c, bool *leaves)
{
    const struct syntax *tree = project_tree(project, site.file);
    const uint32_t node = site.node;
    const bool then = is_block_of(tree, node, at, 1), otherwise = is_block_of(tree, node, at, 2);
    bool negated;
    if (tests_training(tree, at + 1, &negated) && (negated ? then : otherwise))
        c->evaluation_only = true;
    if (tests_no_cuda(tree, at + 1, &negated) && (negated ? then : otherwise))
        c->cpu_only = true;
    if (then && once_by_test(project, (struct site){site.file, at}))
        c->gate = GATE_INTERVAL;
    if (then || otherwise)
        around_branch(project, (struct site){site.file, syntax_child(tree, at, then ? 1 : 2)}, c, leaves);
    if (then)
        c->gate = gate_stronger(gate_of_test(project, (struct site){site.file, at + 1}), c->gate);
}

static void around_with(const struct project *project, uint32_t file, uint32_t at, struct context *c)
{
    const struct syntax *tree = project_tree(project, file);
    for (uint32_t item = syntax_first(tree, at); item != NONE; item = syntax_next(tree, item)) {
        if (tree->kind[item] != SYN_WITH_ITEM)
            continue;
        const str name = name_of(project, (struct site){file, item + 1});
        c->no_grad |= str_eq(name, S("torch.no_grad")) || str_eq(name, S("torch.inference_mode"));
    }
}

static bool decorated_no_grad(const struct project *project, uint32_t file, uint32_t function)
{
    const struct syntax *tree = project_tree(project, file);
    const uint32_t around = tree->parent[function];
    if (!syntax_is(tree, around, SYN_DECORATED))
        return false;
    for (uint32_t d = syntax_first(tree, around); d != function && d != NONE; d = syntax_next(tree, d)) {
        const str name = name_of(project, (struct site){file, d});
        if (str_eq(name, S("torch.no_grad")) || str_eq(name, S("torch.inference_mode")))
            return true;
    }
    return false;
}

static bool is_loop(enum syntax_kind kind)
{
    return kind == SYN_FOR || kind == SYN_WHILE || kind == SYN_LIST_COMP || kind == SYN_SET_COMP ||
           kind == SYN_DICT_COMP || kind == SYN_GENERATOR;
}

/* Whether the node runs once a round: not what a `for` goes over, nor its else. */
static bool runs_in_loop(const struct syntax *tree, uint32_t node, uint32_t loop)
{
    switch (tree->kind[loop]) {
    case SYN_FOR:
        return is_block_of(tree, node, loop, 2) || syntax_inside(tree, node, loop + 1);
    case SYN_WHILE:
        return is_block_of(tree, node, loop, 1) || syntax_inside(tree, node, loop + 1);
    default: {
        const uint32_t element = syntax_first(tree, loop);
        const uint32_t first_for = element == NONE ? NONE : syntax_next(tree, element);
        const uint32_t iterable = syntax_is(tree, first_for, SYN_COMP_FOR) ? syntax_child(tree, first_for, 1) : NONE;
        return node != loop && !(iterable != NONE && syntax_inside(tree, node, iterable));
    }
    }
}

static void enter_loop(const struct project *project, uint32_t file, uint32_t loop, bool leaves, struct context *c)
{
    c->loop = c->loop == NONE ? loop : c->loop;
    c->depth++;
    if (c->pace != PACE_UNKNOWN)
        return;
    const enum loop_kind kind = loops_kind(project, (struct site){file, loop});
    if (kind == LOOP_STEP || kind == LOOP_EVALUATION || kind == LOOP_EPOCH) {
        c->pace = kind == LOOP_STEP ? PACE_STEP : kind == LOOP_EPOCH ? PACE_EPOCH : PACE_EVALUATION;
        c->step_loop = loop;
        c->gate = leaves ? GATE_INTERVAL : c->gate;
    } else {
        c->inner++;
    }
}

/* From the node up to its function. Gates beyond the loop of the pace do not count. */
static struct context within_function(const struct project *project, struct site site, uint32_t f)
{
    const struct syntax *tree = project_tree(project, site.file);
    const uint32_t function = project->functions[f].node;
    struct context c = {.loop = NONE, .step_loop = NONE};
    bool leaves = false;
    for (uint32_t at = site.node; at && at != function; at = tree->parent[at]) {
        const enum syntax_kind kind = tree->kind[at];
        if (kind == SYN_RAISE || kind == SYN_EXCEPT)
            c.on_error = true;
        else if (kind == SYN_ASSERT)
            c.on_error |= is_block_of(tree, site.node, at, 1);
        else if (kind == SYN_IF && c.pace == PACE_UNKNOWN)
            around_if(project, site, at, &c, &leaves);
        else if (kind == SYN_WITH)
            around_with(project, site.file, at, &c);
        else if (is_loop(kind) && runs_in_loop(tree, site.node, at))
            enter_loop(project, site.file, at, leaves && c.loop == NONE, &c);
    }
    if (function && function != NONE)
        c.no_grad |= decorated_no_grad(project, site.file, function);
    if (c.pace == PACE_UNKNOWN && site.node >= project->kept_from[f])
        c.gate = GATE_INTERVAL;
    return c;
}

/* ---- with what is known of the function ---- */

static struct context with_callers(const struct project *project, const struct context *inside, uint32_t function)
{
    const struct run_context *f = &project->contexts[function];
    struct context c = *inside;
    const bool untrained = c.evaluation_only || project->evaluates[function];
    c.in_forward = f->in_forward;
    c.in_worker = f->in_worker;
    c.no_grad |= f->no_grad;
    c.several = (f->seen & (f->seen - 1)) != 0;
    if (c.pace == PACE_UNKNOWN) {
        c.pace = f->pace;
        c.inner += f->inner;
        c.gate = gate_stronger(c.gate, f->gate);
    }
    if (untrained && c.pace == PACE_STEP)
        c.pace = PACE_EVALUATION;
    return c;
}

/* A lambda, or the body of a class, runs where it stands. */
static uint32_t running_function(const struct project *project, uint32_t f)
{
    while (project->functions[f].outer != NONE) {
        const enum syntax_kind kind =
            project_tree(project, project->functions[f].file)->kind[project->functions[f].node];
        if (kind == SYN_FUNCTION)
            break;
        f = project->functions[f].outer;
    }
    return f;
}

struct context context_of(const struct project *project, struct site site)
{
    const uint32_t f = running_function(project, project_function_at(project, site));
    const struct context inside = within_function(project, site, f);
    struct context c = with_callers(project, &inside, f);
    c.in_test = project->files[site.file].is_test;
    c.acting = project->acts[f] || loops_acting(project, site);
    return c;
}

enum loop_kind context_loop(const struct project *project, struct site loop)
{
    const enum loop_kind kind = loops_kind(project, loop);
    if (kind != LOOP_OTHER)
        return kind;
    const struct context c = context_of(project, loop);
    return c.pace == PACE_STEP || c.pace == PACE_EVALUATION ? LOOP_ELEMENT : LOOP_OTHER;
}

bool context_trains(const struct project *project, uint32_t function)
{
    return project->summaries[function].effects & (EFFECT_BACKWARD | EFFECT_STEP);
}

bool context_program_trains(const struct project *project, uint32_t file)
{
    return program_of(project, file)->trains;
}

bool context_any_trains(const struct project *project)
{
    for (uint32_t i = 0; i < project->file_count; i++)
        if (project->files[i].training.count)
            return true;
    return false;
}

/* ---- from callers to callees ---- */

static bool reach(struct run_context *to, struct context from_here, bool evaluates)
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
        } else if (from->pace == to->pace) {
            to->inner = inner > to->inner ? inner : to->inner;
            if (gate_stronger(to->gate, from->gate) == to->gate) /* the weakest way in counts */
                to->gate = (uint8_t)from->gate;
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
    uint32_t caller, target;
};

struct ways {
    struct way *at;
    size_t count, room;
};

static void add_way(const struct project *project, struct ways *ways, struct site call, uint32_t target)
{
    const uint32_t caller = running_function(project, project_function_at(project, call));
    if (caller == target || project->files[call.file].is_test)
        return;
    ways->at = mem_grow(ways->at, &ways->room, ways->count + 1, sizeof *ways->at);
    ways->at[ways->count++] = (struct way){within_function(project, call, caller), caller, target};
}

static void add_named(const struct project *project, struct ways *ways, const struct named_call *named)
{
    const uint32_t program = project->files[named->call.file].program;
    for (uint32_t f = map_get(&project->methods_by_name, named->name->id); f != NONE; f = project->next_of_name[f]) {
        const struct function *function = &project->functions[f];
        if (project->classes[function->class_id].is_module && project->calls_forward[f] &&
            project->files[function->file].program == program)
            add_way(project, ways, named->call, f);
    }
}

static void find_ways(struct project *project, struct ways *ways)
{
    for (uint32_t i = 0; i < project->file_count; i++)
        for (size_t c = 0; c < project->files[i].call_count; c++)
            add_way(project, ways, (struct site){i, project->files[i].calls[c].node},
                    project->files[i].calls[c].target);
    struct by_name list = {0};
    reach_by_name(project, &list);
    for (size_t i = 0; i < list.count; i++)
        add_named(project, ways, &list.at[i]);
    mem_free(list.at);
}

static bool pass_on(struct project *project, const struct ways *ways)
{
    bool changed = false;
    for (size_t i = 0; i < ways->count; i++) {
        const struct way *way = &ways->at[i];
        const struct context from = with_callers(project, &way->inside, way->caller);
        changed |= reach(&project->contexts[way->target], from, project->evaluates[way->target]);
    }
    return changed;
}

/* Whether a module has anything that could be trained: parameters, or modules in it. */
static bool has_parameters(const struct project *project, uint32_t class_id)
{
    const struct class_info *class_info = &project->classes[class_id];
    const struct file *file = &project->files[class_info->file];
    for (uint32_t node = class_info->node, last = syntax_last(file->shown.tree, node); node < last; node++) {
        const struct value *value =
            file->shown.tree->kind[node] == SYN_CALL ? node_value(project, file, node) : &value_unknown;
        if (syntax_calls(file->shown.tree, node, S("super")))
            continue;
        if (value->kind == VALUE_MODULE || value->flags & VALUE_PARAMETER)
            return true;
    }
    return project->class_data[class_id].base_count > 0;
}

/* A module of the run that others use by another of its methods: a transform, which has a forward() too. */
static bool is_used_otherwise(const struct project *project, uint32_t forward)
{
    const uint32_t class_id = project->functions[forward].class_id;
    const struct file *file = &project->files[project->functions[forward].file];
    for (uint32_t f = file->shown.first_function; f < file->shown.first_function + file->function_count; f++) {
        if (project->functions[f].class_id != class_id || str_eq(project->functions[f].name, S("__init__")))
            continue;
        for (uint32_t i = project->first_caller[f]; i < project->first_caller[f + 1]; i++)
            if (project->functions[project_function_at(project, project->callers[i])].class_id != class_id)
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
    if (project->functions[f].class_id != NONE || depth == DEEPEST_CALL || count > MOST_CALLS)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t caller = running_function(project, project_function_at(project, callers[i]));
        if (within_function(project, callers[i], caller).depth > 0)
            return false;
        if (project->functions[caller].outer != NONE && !is_called_once(project, caller, depth + 1))
            return false;
    }
    return count > 0;
}

/* What a framework calls, by public convention. */
static void begin(const struct project *project, uint32_t f, struct run_context *c)
{
    const struct function *function = &project->functions[f];
    const struct class_info *class_info = function->class_id == NONE ? NULL : &project->classes[function->class_id];
    const bool uncalled = project->first_caller[f] == project->first_caller[f + 1];
    if (function->outer == NONE)
        c->pace = PACE_ONCE;
    const bool steps = project->summaries[f].effects & EFFECT_STEP || !uncalled;
    if (function->outer != NONE && project->trains[f] & 1 && steps) /* one call is one step, whoever calls */
        c->pace = is_called_once(project, f, 0) ? PACE_ONCE : PACE_STEP;
    if (!class_info)
        return;
    const str name = function->name;
    if (str_eq(name, S("__init__")) && uncalled)
        c->pace = PACE_ONCE;
    if (class_info->is_module && str_eq(name, S("forward"))) {
        c->in_forward = true;
        c->pace = uncalled && !is_used_otherwise(project, f) ? PACE_STEP : PACE_UNKNOWN;
    }
    if (class_info->is_dataset && (str_eq(name, S("__getitem__")) || str_eq(name, S("__iter__"))))
        c->in_worker = true;
    if (class_info->is_lightning && str_eq(name, S("training_step")))
        c->pace = PACE_STEP;
    if (class_info->is_lightning && (str_eq(name, S("validation_step")) || str_eq(name, S("test_step"))))
        c->pace = PACE_EVALUATION;
}

/* collate_fn=f, worker_init_fn=f, transform=f: run where the data is made. */
static void begin_workers(struct project *project, uint32_t id)
{
    static const char *const names[] = {"collate_fn", "transform", "target_transform"};
    const struct file *file = &project->files[id];
    const struct syntax *tree = file->shown.tree;
    for (uint32_t node = 0; node < tree->count; node++) {
        if (tree->kind[node] != SYN_KEYWORD)
            continue;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (!str_eq(syntax_text(tree, node + 1), str_of(names[i])))
                continue;
            const struct value *value = node_value(project, file, syntax_child(tree, node, 1));
            if (value->kind == VALUE_FUNCTION && value->detail != NONE)
                project->contexts[value->detail].in_worker = true;
            const uint32_t call =
                value->kind == VALUE_INSTANCE ? project_method(project, value->detail, S("__call__")) : NONE;
            if (call != NONE)
                project->contexts[call].in_worker = true;
        }
    }
}

void context_build(struct project *project)
{
    project->contexts = arena_array(&project->arena, project->function_count, sizeof *project->contexts);
    project->kept_from = arena_array(&project->arena, project->function_count, sizeof *project->kept_from);
    loops_build(project);
    for (uint32_t f = 0; f < project->function_count; f++) {
        const struct function *function = &project->functions[f];
        project->kept_from[f] = once_behind_return(project, function->file, function->node);
        begin(project, f, &project->contexts[f]);
        project->contexts[f].seen |= project->contexts[f].pace ? (uint8_t)(1u << project->contexts[f].pace) : 0;
    }
    for (uint32_t i = 0; i < project->file_count; i++)
        begin_workers(project, i);
    struct ways ways = {0};
    find_ways(project, &ways);
    for (int round = 0; round < 24 && pass_on(project, &ways); round++)
        ;
    mem_free(ways.at);
}

/* ---- in words ---- */

str context_words(struct arena *arena, const struct context *c)
{
    static const char *const paces[] = {"unknown", "once", "epoch", "evaluation", "step"};
    static const char *const gates[] = {"", " gate-interval", " gate-flag", " gate-rank"};
    struct buf buf = {0};
    buf_printf(&buf, "%s", paces[c->pace]);
    if (c->inner)
        buf_printf(&buf, " inner%u", c->inner);
    buf_printf(&buf, "%s%s%s%s%s%s%s", gates[c->gate], c->in_forward ? " forward" : "", c->in_worker ? " worker" : "",
               c->on_error ? " error" : "", c->no_grad ? " no-grad" : "",
               c->cpu_only  ? " cpu-only"
               : c->in_test ? " test"
                            : "",
               c->several ? " several" : "");
    const str text = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}
