/* SPDX-License-Identifier: Apache-2.0 */
/* What functions do: what stands in them, and then what those do that they call, until nothing is added. */
#include "contexts.h"

#include "base/at_work.h"
#include "base/mem.h"
#include "parallel/par.h"
#include "source/known/known.h"
#include "source/known/known_words.h"

static void list_callers(struct project *project)
{
    struct summaries *summaries = &project->summaries;
    const uint32_t functions = project->files.function_count;
    uint32_t *first = arena_array(&summaries->arena, functions + 2, sizeof *first);
    size_t total = 0;
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct calls *calls = calls_of(project, i);
        total += calls->count;
        for (size_t c = 0; c < calls->count; c++)
            first[calls->at[c].target + 2]++;
    }
    for (uint32_t f = 2; f < functions + 2; f++)
        first[f] += first[f - 1];
    summaries->callers = arena_array(&summaries->arena, total, sizeof *summaries->callers);
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct calls *calls = calls_of(project, i);
        for (size_t c = 0; c < calls->count; c++)
            summaries->callers[first[calls->at[c].target + 1]++] = (struct site){i, calls->at[c].node};
    }
    summaries->first_caller = first;
}

/* ---- what stands in a function ---- */

/* A call of something that is none of the run. */
static uint32_t effects_of_call(const struct project *project, const struct file *file, uint32_t call)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t callee = syntax_first(tree, call);
    const struct value *value = node_value(project, file, callee);
    const str name = value->name ? value->name->text : S("");
    const str tail = syntax_tail(tree, callee);
    if (known_word(WORDS_TRAIN, tail) && tree->kind[callee] == SYN_ATTRIBUTE)
        return EFFECT_BACKWARD | EFFECT_ATTRIBUTE;
    if (known_word(WORDS_OPTIMIZER_STEP, name))
        return EFFECT_STEP | EFFECT_ATTRIBUTE;
    if (known_word(WORDS_STEP, tail) && known_word(WORDS_CALLED_OPTIMIZER, syntax_tail(tree, callee + 1)))
        return EFFECT_STEP | EFFECT_ATTRIBUTE;
    if (value->kind == VALUE_MODULE || value->kind == VALUE_LOSS || value->kind == VALUE_DTYPE)
        return 0;
    const struct known *known = value->name ? value->name->known : NULL;
    if (!known)
        return value->kind == VALUE_CLASS ? 0 : EFFECT_UNKNOWN;
    uint32_t effects = known->flags & VALUE_RANDOM || str_has(name, S("random")) ? EFFECT_RANDOM : 0;
    if (str_starts(name, S("time.")))
        return EFFECT_TIME;
    if (known->effect)
        effects |= str_starts(name, S("torch.")) ? EFFECT_GLOBAL
                   : str_starts(name, S("list.")) || str_starts(name, S("dict.")) || str_starts(name, S("set."))
                       ? 0
                       : EFFECT_IO;
    if (known->special >= SPECIAL_TO && known->special <= SPECIAL_CUDA)
        effects |= EFFECT_UPLOAD;
    if (known->special >= SPECIAL_CPU && known->special <= SPECIAL_NUMPY)
        effects |= EFFECT_DOWNLOAD;
    return effects;
}

static uint32_t attribute_effect(const struct syntax *tree, uint32_t target)
{
    uint32_t at = target;
    while (tree->kind[at] == SYN_SUBSCRIPT)
        at++;
    return tree->kind[at] == SYN_ATTRIBUTE ? EFFECT_ATTRIBUTE : 0;
}

static uint32_t effects_of_node(const struct project *project, const struct file *file, uint32_t node)
{
    const struct syntax *tree = file->shown.tree;
    switch (tree->kind[node]) {
    case SYN_GLOBAL:
        return EFFECT_GLOBAL;
    case SYN_CALL:
        return call_at(project, (struct site){file->id, node}) ? 0 : effects_of_call(project, file, node);
    case SYN_AUG_ASSIGN:
        return attribute_effect(tree, node + 1);
    case SYN_ASSIGN: {
        uint32_t effects = 0;
        for (uint32_t t = syntax_first(tree, node), last = syntax_last_child(tree, node); t != last;
             t = syntax_next(tree, t))
            for (uint32_t n = t; n < syntax_last(tree, t); n++)
                effects |= n == t || tree->kind[tree->parent[n]] == SYN_TUPLE ? attribute_effect(tree, n) : 0;
        return effects;
    }
    default:
        return 0;
    }
}

static const struct limit far_parameter = {
    "from-parameter", "what a function gives, moves or hands on comes through more than 64 expressions and names; from "
                      "which parameter it comes is not known"};

/* From an expression of a function back to a parameter. Each definition is looked at once: in a loop they lead round. */
struct search {
    const struct project *project;
    const struct file *file;
    uint32_t f, steps;
    uint32_t seen[64]; /* definitions */
    uint32_t seen_count;
};

enum { MOST_STEPS = sizeof((struct search *)0)->seen / sizeof(uint32_t) };

/* Whether the search may go on to the node. */
static bool may_go_on(struct search *search, uint32_t node)
{
    if (search->steps++ < MOST_STEPS)
        return true;
    project_limit(search->project, &far_parameter, (struct site){search->file->id, node});
    return false;
}

static bool is_seen(struct search *search, uint32_t d)
{
    for (uint32_t i = 0; i < search->seen_count; i++)
        if (search->seen[i] == d)
            return true;
    if (search->seen_count < MOST_STEPS)
        search->seen[search->seen_count++] = d;
    return false;
}

/* The parameter from which an expression comes by moves, names and containers alone; NONE. */
static uint32_t from_parameter(struct search *search, uint32_t node);

static uint32_t from_definition(struct search *search, uint32_t d)
{
    const struct file *file = search->file;
    const struct flow *flow = &file->flow;
    d = flow_resolve(flow, d);
    if (d == NONE || is_seen(search, d) || !may_go_on(search, flow->defs[d].shown.statement))
        return NONE;
    const struct def *def = &flow->defs[d];
    switch (def->shown.kind) {
    case DEFINED_PARAMETER: {
        const uint32_t local = search->f - file->shown.first_function;
        const uint32_t k = d - file->first_parameter_def[local];
        return k < search->project->files.functions[search->f].parameters ? k : NONE;
    }
    case DEFINED_ASSIGN:
    case DEFINED_FOR:
        return from_parameter(search, def->shown.value);
    case DEFINED_CHANGE: {
        const uint32_t k = from_definition(search, def->previous);
        return k != NONE || file->shown.tree->kind[def->shown.statement] != SYN_ASSIGN
                   ? k
                   : from_parameter(search, def->shown.value);
    }
    case DEFINED_MEETING:
        for (uint32_t i = 0; i < def->operands; i++) {
            const uint32_t k = from_definition(search, flow->operands[def->first_operand + i]);
            if (k != NONE)
                return k;
        }
        return NONE;
    default:
        return NONE;
    }
}

static bool is_move(const struct known *known)
{
    return known &&
           ((known->special >= SPECIAL_TO && known->special <= SPECIAL_CPU) || known->special == SPECIAL_PIN ||
            known->special == SPECIAL_TENSOR || known->special == SPECIAL_FROM_NUMPY ||
            known->special == SPECIAL_SAME || known->special == SPECIAL_NUMPY || known->special == SPECIAL_LIST ||
            known->special == SPECIAL_TUPLE || known->special == SPECIAL_ITEMS || known->special == SPECIAL_VALUES ||
            (known->kind == VALUE_TENSOR && known->rank == AS_SAME && known->dtype >= OF_BOOL) ||
            known->flags & VALUE_DETACHED);
}

static uint32_t from_call(struct search *search, uint32_t node)
{
    const struct project *project = search->project;
    const struct file *file = search->file;
    const struct syntax *tree = file->shown.tree;
    const struct site site = {file->id, node};
    const struct call *call = call_at(project, site);
    if (call) {
        const struct summary *s = &project->summaries.of_function[call->target];
        for (uint32_t k = 0; k < SUMMARY_PARAMETERS; k++)
            if (s->returned >> k & 1) {
                const uint32_t argument = name_argument(project, site, k);
                return argument == NONE ? NONE : from_parameter(search, argument);
            }
        return NONE;
    }
    const uint32_t callee = syntax_first(tree, node);
    const struct value *value = node_value(project, file, callee);
    if (!value->name || !is_move(value->name->known))
        return NONE;
    const bool method =
        tree->kind[callee] == SYN_ATTRIBUTE && node_value(project, file, callee + 1)->kind != VALUE_IMPORT;
    const uint32_t what = method ? callee + 1 : syntax_argument(tree, node, 0, NULL);
    return what == NONE ? NONE : from_parameter(search, what);
}

static uint32_t from_parameter(struct search *search, uint32_t node)
{
    const struct syntax *tree = search->file->shown.tree;
    if (node == NONE || !may_go_on(search, node))
        return NONE;
    switch (tree->kind[node]) {
    case SYN_NAME:
        return from_definition(search, search->file->flow.def_of[node]);
    case SYN_CALL:
        return from_call(search, node);
    case SYN_SUBSCRIPT:
    case SYN_LIST_COMP:
    case SYN_GENERATOR:
    case SYN_LIST:
    case SYN_TUPLE:
        return from_parameter(search, syntax_first(tree, node));
    case SYN_DICT_COMP:
        return from_parameter(search, syntax_child(tree, syntax_first(tree, node), 1));
    case SYN_CONDITIONAL: {
        const uint32_t k = from_parameter(search, syntax_first(tree, node));
        return k != NONE ? k : from_parameter(search, syntax_child(tree, node, 2));
    }
    case SYN_ATTRIBUTE:
        return str_eq(syntax_tail(tree, node), S("data")) ? from_parameter(search, syntax_first(tree, node)) : NONE;
    default:
        return NONE;
    }
}

/* The parameter of function f from which the expression comes; NONE. */
static uint32_t origin(const struct project *project, const struct file *file, uint32_t f, uint32_t node)
{
    struct search search = {.project = project, .file = file, .f = f};
    return from_parameter(&search, node);
}

/* Moves and returns of a function, as bits of its parameters. */
static void look_at_moves(struct project *project, const struct file *file, uint32_t f, uint32_t node)
{
    struct summary *s = &project->summaries.of_function[f];
    const struct syntax *tree = file->shown.tree;
    const struct site site = {project->files.functions[f].file, node};
    if (tree->kind[node] == SYN_CALL) {
        const struct value *callee = node_value(project, file, syntax_first(tree, node));
        const struct known *known = callee->name ? callee->name->known : NULL;
        if (!call_at(project, site) && known && known->special >= SPECIAL_TO && known->special <= SPECIAL_NUMPY) {
            const uint32_t k = origin(project, file, f, syntax_first(tree, node) + 1);
            const bool down = known->special >= SPECIAL_CPU || node_value(project, file, node)->device == DEVICE_CPU;
            if (k < SUMMARY_PARAMETERS)
                *(down ? &s->downloaded : &s->uploaded) |= 1ull << k;
        }
    } else if (tree->kind[node] == SYN_RETURN) {
        const uint32_t k = origin(project, file, f, syntax_first(tree, node));
        if (k < SUMMARY_PARAMETERS)
            s->returned |= 1ull << k;
    }
}

/* The definition that made what this one changes; `object` has those of the changes before it, from `first` on. */
static uint32_t changed_object(const struct flow *flow, uint32_t change, const uint32_t *object, uint32_t first)
{
    const uint32_t before = flow_resolve(flow, flow->defs[change].previous);
    const bool known = before != NONE && before >= first && before < change; /* in a loop they go round */
    return known ? object[before - first] : before;
}

static void look_at_changes(struct project *project, const struct file *file, uint32_t f, struct summary *s)
{
    const uint32_t local = f - file->shown.first_function;
    const uint32_t first = file->function_first_def[local], last = file->function_last_def[local];
    uint32_t *object = mem_alloc((last - first + (size_t)1) * sizeof *object);
    for (uint32_t d = first; d < last; d++) {
        const struct def *def = &file->flow.defs[d];
        object[d - first] = d;
        if (def->shown.kind != DEFINED_CHANGE)
            continue;
        const uint32_t from = object[d - first] = changed_object(&file->flow, d, object, first);
        const str method = syntax_is(file->shown.tree, def->shown.value, SYN_CALL)
                               ? syntax_tail(file->shown.tree, def->shown.value + 1)
                               : S("");
        if (known_word(WORDS_MOVE_OR_CAST, method))
            continue;
        const bool parameter = from != NONE && file->flow.defs[from].shown.kind == DEFINED_PARAMETER;
        const uint32_t k = parameter ? from - file->first_parameter_def[local] : NONE;
        if (k < SUMMARY_PARAMETERS && k < project->files.functions[f].parameters) {
            s->mutated |= 1ull << k;
            s->effects |= EFFECT_ARGUMENT;
        } else if (from != NONE && file->flow.defs[from].shown.kind == DEFINED_OUTSIDE) {
            s->effects |= EFFECT_GLOBAL;
        }
    }
    mem_free(object);
}

typedef void look_fn(struct project *project, const struct file *file, uint32_t function, uint32_t node);

/* Each node of a file, with the innermost function around it. */
static void look_at_all(struct project *project, const struct file *file, look_fn *look)
{
    const struct syntax *tree = file->shown.tree;
    uint32_t local = 0, next = 0;
    for (uint32_t node = 0; node < tree->count; node++) {
        while (local && node >= syntax_last(tree, file->functions[local].node))
            local = file->functions[local].outer;
        if (next < file->function_count && file->functions[next].node == node)
            local = next++;
        look(project, file, file->shown.first_function + local, node);
    }
}

static void look_at_effects(struct project *project, const struct file *file, uint32_t function, uint32_t node)
{
    project->summaries.of_function[function].effects |= effects_of_node(project, file, node);
}

static void own_effects(void *context, size_t id)
{
    struct project *project = context;
    const struct file *file = &project->files.at[id];
    at_work_on(file->shown.path.at);
    look_at_all(project, file, look_at_effects);
    for (uint32_t f = 0; f < file->function_count; f++)
        look_at_changes(project, file, file->shown.first_function + f,
                        &project->summaries.of_function[file->shown.first_function + f]);
}

/* ---- what those do that it calls ---- */

static uint32_t passed_on(const struct project *project, const struct call *call)
{
    uint32_t effects = project->summaries.of_function[call->target].effects & ~(uint32_t)EFFECT_ARGUMENT;
    if (str_eq(project->files.functions[call->target].name, S("__init__")))
        effects &= ~(uint32_t)EFFECT_ATTRIBUTE;
    return effects;
}

/* A call that changed what is known of its caller; site_none. */
static struct site pass_on(struct project *project)
{
    struct site changed = site_none;
    for (uint32_t i = 0; i < project->files.count; i++)
        for (size_t c = 0; c < calls_of(project, i)->count; c++) {
            const struct call *call = &calls_of(project, i)->at[c];
            struct summary *s = &project->summaries.of_function[call->caller];
            const uint32_t before = s->effects;
            const uint64_t moved = s->uploaded | s->downloaded | s->mutated;
            s->effects |= passed_on(project, call);
            const struct summary *t = &project->summaries.of_function[call->target];
            const uint64_t bits = t->uploaded | t->downloaded | t->mutated;
            for (uint32_t k = 0; bits >> k && k < SUMMARY_PARAMETERS; k++) {
                if (!(bits >> k & 1))
                    continue;
                const uint32_t argument = name_argument(project, (struct site){i, call->node}, k);
                const uint32_t from =
                    argument == NONE ? NONE : origin(project, &project->files.at[i], call->caller, argument);
                if (from >= SUMMARY_PARAMETERS)
                    continue;
                s->uploaded |= (t->uploaded >> k & 1) << from;
                s->downloaded |= (t->downloaded >> k & 1) << from;
                s->mutated |= (t->mutated >> k & 1) << from;
                s->effects |= s->mutated ? EFFECT_ARGUMENT : 0;
            }
            if (before != s->effects || moved != (s->uploaded | s->downloaded | s->mutated))
                changed = (struct site){i, call->node};
        }
    return changed;
}

static void name_wrappers(struct project *project)
{
    for (uint32_t f = 0; f < project->files.function_count; f++) {
        struct summary *s = &project->summaries.of_function[f];
        const struct value *result = project->cells.at[cell_of_result(f)].value;
        s->result = result->kind == VALUE_NOTHING && result->device != DEVICE_PARAMETER ? &value_unknown : result;
        const bool quiet = !(s->effects & (EFFECT_BACKWARD | EFFECT_STEP));
        const bool to_gpu =
            result->device == DEVICE_GPU || (result->device == DEVICE_PARAMETER && result->flags & VALUE_UPLOADED);
        s->upload_wrapper = quiet && to_gpu && s->uploaded & s->returned;
        s->download_wrapper =
            quiet && !s->upload_wrapper && s->downloaded & s->returned &&
            (result->device == DEVICE_CPU || result->kind == VALUE_ARRAY || result->flags & VALUE_DOWNLOADED);
    }
}

static void tell_many_parameters(const struct project *project)
{
    static const struct limit many = {"parameters",
                                      "a function has more than 64 parameters; the others are not followed"};
    for (uint32_t f = 0; f < project->files.function_count; f++) {
        const struct function *function = &project->files.functions[f];
        if (function->parameters > SUMMARY_PARAMETERS)
            project_limit(project, &many, (struct site){function->file, function->node});
    }
}

void summary_build(struct project *project)
{
    enum { ROUNDS = 32 };
    struct summaries *summaries = &project->summaries;
    summaries->of_function =
        arena_array(&summaries->arena, project->files.function_count, sizeof *summaries->of_function);
    list_callers(project);
    par_each(project->files.count, project->cells.options.threads, own_effects, project);
    at_work_on(NULL);
    for (int round = 0; round < 2; round++) /* wrappers of wrappers return what those return */
        for (uint32_t i = 0; i < project->files.count; i++)
            look_at_all(project, &project->files.at[i], look_at_moves);
    struct site changed = pass_on(project);
    for (int round = 1; round < ROUNDS && !site_is_none(changed); round++)
        changed = pass_on(project);
    if (!site_is_none(changed))
        project_limit(project, &limit_call_rounds, changed);
    name_wrappers(project);
    tell_many_parameters(project);
}

void summaries_free(struct summaries *summaries)
{
    arena_free(&summaries->arena);
}
