/* SPDX-License-Identifier: Apache-2.0 */
#include "worker_lists.h"

#include <string.h>

#include "loader.h"
#include "rules/loops/element_type.h"
#include "rules/loops/origin.h"

enum { MOST_HOPS = 8, MOST_USES_SEEN = 256 };

/* What became of each part of the batch. */
struct trace {
    const struct project *project;
    struct arena *arena;
    uint32_t parts; /* 0: the batch is one list */
    const char *types[WORKER_LISTS];
    bool lost[WORKER_LISTS]; /* it goes somewhere else too */
    bool all_lost;
    uint32_t seen;
};

static const struct limit far = {
    "worker-lists",
    "the batches of a loader go through more than 8 names and calls, or are read in more than 256 places; "
    "whether nothing but tensors is made of the lists in them is not known"};

static struct check check_of(const struct trace *trace, uint32_t file)
{
    return (struct check){trace->project, file, project_tree(trace->project, file), trace->arena};
}

/* ---- a part of the batch ---- */

static void take_type(struct trace *trace, uint32_t part, const char *type)
{
    if (trace->types[part] && strcmp(trace->types[part], type) != 0)
        trace->lost[part] = true;
    trace->types[part] = type;
}

/* np.asarray(x, dtype=np.float32) */
static const char *array_type_of(const struct check *check, uint32_t call)
{
    static const char *const types[] = {"float32", "float64", "float16", "int64", "int32", "int16", "uint8"};
    const uint32_t dtype = syntax_argument(check->tree, call, 1, "dtype");
    if (dtype == SYNTAX_NONE || (!ask_named(check, call, "numpy.asarray") && !ask_named(check, call, "numpy.array")))
        return NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (name_under(check->project, check_site(check, dtype), "numpy.") &&
            str_eq(syntax_tail(check->tree, dtype), str_of(types[i])))
            return types[i];
    return NULL;
}

static void trace_part(struct trace *trace, uint32_t part, uint32_t file, const struct definition *definition,
                       int hops);

/* The definition of the parameter that a call gives the argument to; NULL. */
static const struct definition *parameter_of(const struct check *check, uint32_t call, uint32_t argument,
                                             uint32_t *file)
{
    const struct site site = check_site(check, call);
    const uint32_t target = name_target(check->project, site);
    if (target == SYNTAX_NONE)
        return NULL;
    const struct function *const function = project_function(check->project, target);
    for (uint32_t k = 0; k < function->parameters && k < SUMMARY_PARAMETERS; k++) {
        if (name_argument(check->project, site, k) != argument)
            continue;
        *file = function->file;
        return flow_bound(check->project,
                          (struct site){function->file, project_parameter(check->project, target, k) + 1});
    }
    return NULL;
}

static void trace_part_use(struct trace *trace, uint32_t part, struct site use, int hops)
{
    const struct check check = check_of(trace, use.file);
    const uint32_t arguments = check.tree->parent[use.node], call = check.tree->parent[arguments];
    uint32_t file;
    if (!syntax_is(check.tree, arguments, SYN_ARGUMENTS)) {
        trace->lost[part] = true;
        return;
    }
    const bool is_first = syntax_first(check.tree, arguments) == use.node;
    const char *type = is_first ? element_type(&check, call) : NULL;
    if (type && syntax_child_count(check.tree, arguments) > 1)
        type = NULL;
    if (is_first && !type)
        type = array_type_of(&check, call);
    if (type)
        take_type(trace, part, type);
    else if (!ask_named(&check, call, "len")) {
        const struct definition *const parameter = parameter_of(&check, call, use.node, &file);
        if (parameter)
            trace_part(trace, part, file, parameter, hops);
        else
            trace->lost[part] = true;
    }
}

static bool is_too_far(struct trace *trace, struct site at, uint32_t count, int hops)
{
    trace->seen += count;
    if (hops && trace->seen <= MOST_USES_SEEN)
        return false;
    project_limit(trace->project, &far, at);
    return true;
}

/*
 * A parameter of which no function within reads (a variable of the module may have its name), and a variable of a module that no
 * function reads and whose name no other file has, are as good as any other of a function.
 */
static bool is_seen_elsewhere(const struct project *project, uint32_t file, const struct definition *definition)
{
    const struct syntax *const tree = project_tree(project, file);
    const str name = syntax_text(tree, definition->name);
    if (!flow_escapes(project, file, definition))
        return false;
    if (flow_inner_uses(project, file, definition, NULL, 0) > 0)
        return true;
    if (syntax_function(tree, definition->name) != SYNTAX_NONE)
        return definition->kind != DEFINED_PARAMETER;
    for (uint32_t other = 0; other < project_files(project); other++) {
        const struct syntax *const there = other == file ? NULL : project_tree(project, other);
        if (there && project_is_one_program(project, file, other) &&
            syntax_name_from(there, name, 0, there->count) != SYNTAX_NONE)
            return true;
    }
    return false;
}

/* All uses of a definition; 0 with *lost where they are not all known. */
static uint32_t uses_of(struct trace *trace, uint32_t file, const struct definition *definition, uint32_t *uses,
                        int hops, bool *lost)
{
    *lost = true;
    if (!definition)
        return 0;
    const uint32_t count = flow_uses(trace->project, file, definition, uses, FLOW_MOST_USES);
    *lost = count > FLOW_MOST_USES || is_seen_elsewhere(trace->project, file, definition) ||
            is_too_far(trace, (struct site){file, definition->name}, count, hops);
    return *lost ? 0 : count;
}

static void trace_part(struct trace *trace, uint32_t part, uint32_t file, const struct definition *definition, int hops)
{
    uint32_t uses[FLOW_MOST_USES];
    bool lost;
    const uint32_t count = uses_of(trace, file, definition, uses, hops, &lost);
    trace->lost[part] |= lost;
    for (uint32_t i = 0; i < count; i++)
        trace_part_use(trace, part, (struct site){file, uses[i]}, hops - 1);
}

/* ---- the whole batch ---- */

static void trace_batch(struct trace *trace, uint32_t file, const struct definition *definition, int hops);

/* What a batch is bound to: a name, or one a part. */
static void trace_target(struct trace *trace, struct site target, int hops)
{
    const struct syntax *const tree = project_tree(trace->project, target.file);
    if (syntax_is(tree, target.node, SYN_NAME)) {
        trace_batch(trace, target.file, flow_bound(trace->project, target), hops);
        return;
    }
    if (!trace->parts || !syntax_is(tree, target.node, SYN_TUPLE) ||
        syntax_child_count(tree, target.node) != trace->parts) {
        trace->all_lost = true;
        return;
    }
    for (uint32_t part = 0; part < trace->parts; part++) {
        const struct site name = {target.file, syntax_child(tree, target.node, part)};
        if (syntax_is(tree, name.node, SYN_NAME))
            trace_part(trace, part, target.file, flow_bound(trace->project, name), hops);
        else
            trace->lost[part] = true;
    }
}

/* `batch[2]` */
static bool trace_index(struct trace *trace, struct site use, int hops)
{
    const struct syntax *const tree = project_tree(trace->project, use.file);
    const uint32_t subscript = tree->parent[use.node];
    int64_t part;
    if (!trace->parts || !syntax_is(tree, subscript, SYN_SUBSCRIPT) || syntax_first(tree, subscript) != use.node ||
        !str_int(syntax_text(tree, syntax_child(tree, subscript, 1)), &part) || part < 0 || part >= trace->parts)
        return false;
    trace_part_use(trace, (uint32_t)part, (struct site){use.file, subscript}, hops);
    return true;
}

/* Where an expression that is the batch goes. */
static void trace_expression(struct trace *trace, struct site at, int hops)
{
    const struct check check = check_of(trace, at.file);
    const uint32_t parent = check.tree->parent[at.node];
    uint32_t file;
    if (syntax_is(check.tree, parent, SYN_ASSIGN) && syntax_child_count(check.tree, parent) == 2 &&
        syntax_last_child(check.tree, parent) == at.node) {
        trace_target(trace, (struct site){at.file, syntax_first(check.tree, parent)}, hops);
        return;
    }
    if (syntax_is(check.tree, parent, SYN_ARGUMENTS)) {
        const struct definition *const parameter = parameter_of(&check, check.tree->parent[parent], at.node, &file);
        if (parameter) {
            trace_batch(trace, file, parameter, hops);
            return;
        }
        if (!trace->parts) {
            trace_part_use(trace, 0, at, hops);
            return;
        }
    }
    trace->all_lost |= !trace_index(trace, at, hops);
}

static void trace_batch(struct trace *trace, uint32_t file, const struct definition *definition, int hops)
{
    uint32_t uses[FLOW_MOST_USES];
    bool lost;
    const uint32_t count = uses_of(trace, file, definition, uses, hops, &lost);
    trace->all_lost |= lost;
    for (uint32_t i = 0; i < count; i++)
        trace_expression(trace, (struct site){file, uses[i]}, hops - 1);
}

/* ---- loaders ---- */

static void trace_loader(struct trace *trace, struct site at, int hops);

static void trace_loader_name(struct trace *trace, uint32_t file, const struct definition *definition, int hops)
{
    uint32_t uses[FLOW_MOST_USES];
    bool lost;
    const uint32_t count = uses_of(trace, file, definition, uses, hops, &lost);
    trace->all_lost |= lost;
    for (uint32_t i = 0; i < count; i++)
        trace_loader(trace, (struct site){file, uses[i]}, hops - 1);
}

/* `for batch in loader`, `for i, batch in enumerate(loader)` */
static void trace_loop(struct trace *trace, struct site loader, bool counted)
{
    const struct syntax *const tree = project_tree(trace->project, loader.file);
    const uint32_t loop = tree->parent[loader.node];
    uint32_t target = syntax_is(tree, loop, SYN_FOR) ? syntax_first(tree, loop) : SYNTAX_NONE;
    const bool is_pair = syntax_is(tree, target, SYN_TUPLE) && syntax_child_count(tree, target) == 2;
    if (target == SYNTAX_NONE || syntax_child(tree, loop, 1) != loader.node || (counted && !is_pair)) {
        trace->all_lost = true;
        return;
    }
    trace_target(trace, (struct site){loader.file, counted ? syntax_child(tree, target, 1) : target}, MOST_HOPS);
}

/* An expression that is a loader: bound to a name, given to a function, or gone over. */
static void trace_loader(struct trace *trace, struct site at, int hops)
{
    const struct check check = check_of(trace, at.file);
    bool counted = false;
    uint32_t parent = check.tree->parent[at.node], file;
    while (syntax_is(check.tree, parent, SYN_ARGUMENTS)) {
        const uint32_t call = check.tree->parent[parent];
        const struct definition *const parameter = parameter_of(&check, call, at.node, &file);
        if (ask_named(&check, call, "len"))
            return;
        if (parameter && !counted) {
            trace_loader_name(trace, file, parameter, hops);
            return;
        }
        const bool counts = ask_named(&check, call, "enumerate");
        if (!counts && !name_under(trace->project, check_site(&check, call), "tqdm."))
            break;
        trace->all_lost |= counts && counted;
        counted |= counts;
        at.node = call;
        parent = check.tree->parent[at.node];
    }
    const uint32_t target = syntax_is(check.tree, parent, SYN_ASSIGN) ? syntax_first(check.tree, parent) : SYNTAX_NONE;
    if (!counted && syntax_is(check.tree, target, SYN_NAME) && syntax_child_count(check.tree, parent) == 2)
        trace_loader_name(trace, at.file, flow_bound(trace->project, (struct site){at.file, target}), hops);
    else
        trace_loop(trace, at, counted);
}

static bool has_workers(const struct check *check, uint32_t loader)
{
    const uint32_t workers = loader_argument(check, loader, LOADER_NUM_WORKERS);
    return workers != SYNTAX_NONE && !str_eq(syntax_text(check->tree, workers), S("0"));
}

static bool collates_by(const struct check *check, uint32_t loader, uint32_t function)
{
    const uint32_t collate = loader_argument(check, loader, LOADER_COLLATE_FN);
    const struct value *const value = ask_value(check, collate);
    return collate != SYNTAX_NONE && value->kind == VALUE_FUNCTION && value->detail == function;
}

/* All loaders that collate by the function; whether one of them has workers. */
static bool trace_loaders(struct trace *trace, uint32_t function)
{
    const uint32_t own = project_function(trace->project, function)->file;
    bool any = false;
    for (uint32_t file = 0; file < project_files(trace->project); file++) {
        if (!project_is_one_program(trace->project, own, file))
            continue;
        const struct check there = check_of(trace, file);
        uint32_t from = 0, loader;
        while (there.tree &&
               (loader = syntax_call_from(there.tree, S("DataLoader"), &from, there.tree->count)) != SYNTAX_NONE) {
            if (!loader_is(&there, loader) || !collates_by(&there, loader, function))
                continue;
            any |= has_workers(&there, loader);
            trace_loader(trace, (struct site){file, loader}, MOST_HOPS);
        }
    }
    return any;
}

/* ---- who else has the function ---- */

static bool is_caller(const struct project *project, uint32_t function, struct site call)
{
    uint32_t count;
    const struct site *const callers = name_callers(project, function, &count);
    for (uint32_t i = 0; i < count; i++)
        if (callers[i].file == call.file && callers[i].node == call.node)
            return true;
    return false;
}

/* The name of the function where it is defined, imported as it is, called, or given to a loader: all of these are followed. */
static bool is_followed(const struct check *check, uint32_t name, uint32_t function)
{
    const struct syntax *const tree = check->tree;
    const bool is_tail = syntax_is(tree, tree->parent[name], SYN_ATTRIBUTE) && name != tree->parent[name] + 1;
    const uint32_t whole = is_tail ? tree->parent[name] : name, parent = tree->parent[whole];
    switch (tree->kind[parent]) {
    case SYN_FUNCTION:
        return whole == parent + 1;
    case SYN_ALIAS:
        return syntax_is(tree, syntax_child(tree, parent, 1), SYN_ABSENT);
    case SYN_CALL:
        return whole == parent + 1 && is_caller(check->project, function, check_site(check, parent));
    case SYN_KEYWORD:
    case SYN_ARGUMENTS: {
        const uint32_t call = tree->parent[tree->kind[parent] == SYN_KEYWORD ? tree->parent[parent] : parent];
        return loader_is(check, call) && collates_by(check, call, function) &&
               loader_argument(check, call, LOADER_COLLATE_FN) == whole;
    }
    default:
        return false;
    }
}

/* `map(collate, rows)`, `partial(collate)`, `self.fn = collate`: what it returns goes where nobody looks. */
static bool is_had_elsewhere(const struct trace *trace, uint32_t function)
{
    const struct function *const own = project_function(trace->project, function);
    for (uint32_t file = 0; file < project_files(trace->project); file++) {
        if (!project_is_one_program(trace->project, own->file, file))
            continue;
        const struct check there = check_of(trace, file);
        uint32_t at = 0;
        while (there.tree && (at = syntax_name_from(there.tree, own->name, at, there.tree->count)) != SYNTAX_NONE)
            if (!is_followed(&there, at++, function))
                return true;
    }
    return false;
}

/* ---- what is returned ---- */

static bool is_list_of_numbers(const struct check *check, uint32_t node)
{
    const struct value *item = ask_value(check, node);
    if ((!syntax_is(check->tree, node, SYN_NAME) && !syntax_is(check->tree, node, SYN_LIST_COMP)) ||
        item->kind != VALUE_LIST)
        return false;
    for (int depth = 0; depth < VALUE_DEEPEST && value_is_container(item); depth++)
        item = value_item(item);
    return item->kind != VALUE_TENSOR && item->kind != VALUE_BATCH;
}

static bool returns_lists(const struct check *check, uint32_t value)
{
    if (!syntax_is(check->tree, value, SYN_TUPLE))
        return is_list_of_numbers(check, value);
    for (uint32_t at = syntax_first(check->tree, value); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (is_list_of_numbers(check, at))
            return true;
    return false;
}

static void take_lists(const struct check *check, uint32_t value, const struct trace *trace, struct worker_lists *lists)
{
    const uint32_t count = trace->parts ? trace->parts : 1;
    for (uint32_t part = 0; part < count; part++) {
        const uint32_t list = trace->parts ? syntax_child(check->tree, value, part) : value;
        if (trace->lost[part] || !trace->types[part] || !is_list_of_numbers(check, list))
            continue;
        lists->nodes[lists->count] = list;
        lists->types[lists->count++] = trace->types[part];
    }
}

bool worker_lists_find(const struct check *check, uint32_t statement, struct worker_lists *lists)
{
    struct trace trace = {.project = check->project, .arena = check->arena};
    const uint32_t function = project_function_at(check->project, check_site(check, statement)),
                   value = syntax_first(check->tree, statement);
    *lists = (struct worker_lists){.count = 0};
    if (function == SYNTAX_NONE || value == SYNTAX_NONE || !returns_lists(check, value) ||
        !context_of(check->project, check_site(check, statement)).in_worker ||
        origin_returned(check->project, function).node != value)
        return false;
    trace.parts = syntax_is(check->tree, value, SYN_TUPLE) ? syntax_child_count(check->tree, value) : 0;
    uint32_t count;
    const struct site *const callers = name_callers(check->project, function, &count);
    if (trace.parts > WORKER_LISTS || !trace_loaders(&trace, function) || is_had_elsewhere(&trace, function))
        return false;
    for (uint32_t i = 0; i < count; i++)
        trace_expression(&trace, callers[i], MOST_HOPS);
    if (!trace.all_lost)
        take_lists(check, value, &trace, lists);
    return lists->count > 0;
}
