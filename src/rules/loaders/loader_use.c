/* SPDX-License-Identifier: Apache-2.0 */
#include "loader_use.h"

#include "rules/loops/loop.h"
#include "rules/loops/made.h"
#include "rules/uploads/upload.h"

enum { FARTHEST = 64, MOST_STEPS = 1024, MOST_CALLERS = 64 };

static const struct limit far_loader = {
    "loader-use",
    "a loader is handed on through more than 64 places, 64 callers of one function or 1,024 steps in all; it "
    "is not followed further"};

struct trail {
    const struct project *project;
    struct arena *arena;
    struct loader_use use;
    uint32_t steps;
    bool looks_for_copies;
};

static void follow(struct trail *trail, struct site site, int depth);

static struct check check_of(const struct trail *trail, struct site site)
{
    return (struct check){trail->project, site.file, project_tree(trail->project, site.file), trail->arena};
}

/* ---- names, attributes, parameters ---- */

static void stop(struct trail *trail, struct site site)
{
    trail->use.unknown = true;
    project_limit(trail->project, &far_loader, site);
}

static void follow_all(struct trail *trail, uint32_t file, const uint32_t *uses, uint32_t count, int depth)
{
    trail->use.unknown |= count > FLOW_MOST_USES;
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++)
        follow(trail, (struct site){file, uses[i]}, depth);
}

/* `class Batches: def __iter__(self): return iter(loader)`, in the function of the loader: its methods have uses of it too. */
static bool is_named_in_class(const struct syntax *tree, uint32_t name)
{
    const uint32_t around = syntax_function(tree, name);
    if (around == SYNTAX_NONE)
        return true;
    for (uint32_t node = around; node < syntax_last(tree, around); node++)
        for (uint32_t at = node; tree->kind[node] == SYN_CLASS && at < syntax_last(tree, node); at++)
            if (tree->kind[at] == SYN_NAME && syntax_same(tree, at, tree, name))
                return true;
    return false;
}

static void follow_definition(struct trail *trail, uint32_t file, const struct definition *definition, int depth)
{
    uint32_t uses[FLOW_MOST_USES];
    if (!definition)
        return;
    trail->use.inner |= is_named_in_class(project_tree(trail->project, file), definition->name);
    follow_all(trail, file, uses, flow_uses(trail->project, file, definition, uses, FLOW_MOST_USES), depth);
    follow_all(trail, file, uses, flow_inner_uses(trail->project, file, definition, uses, FLOW_MOST_USES), depth);
}

/* Reads of `self.name` in the methods of its class. */
static void follow_attribute(struct trail *trail, struct site target, int depth)
{
    const struct syntax *tree = project_tree(trail->project, target.file);
    const uint32_t around = project_function_at(trail->project, target);
    const uint32_t class_id = project_function(trail->project, around)->class_id;
    if (class_id == SYNTAX_NONE) {
        trail->use.unknown = true;
        return;
    }
    const uint32_t node = project_class(trail->project, class_id)->node;
    for (uint32_t at = node; at < syntax_last(tree, node); at++)
        if (at != target.node && tree->kind[at] == SYN_ATTRIBUTE && syntax_same(tree, at, tree, target.node))
            follow(trail, (struct site){target.file, at}, depth);
}

static void follow_target(struct trail *trail, struct site target, int depth)
{
    const struct syntax *tree = project_tree(trail->project, target.file);
    if (tree->kind[target.node] == SYN_NAME)
        follow_definition(trail, target.file, flow_bound(trail->project, target), depth);
    else if (tree->kind[target.node] == SYN_ATTRIBUTE)
        follow_attribute(trail, target, depth);
    else
        trail->use.unknown = true;
}

/* The parameter of a function of the run that the argument goes to. */
static void follow_argument(struct trail *trail, struct site call, uint32_t argument, int depth)
{
    const uint32_t target = name_target(trail->project, call);
    for (uint32_t k = 0; target != SYNTAX_NONE && k < SUMMARY_PARAMETERS; k++) {
        if (name_argument(trail->project, call, k) != argument)
            continue;
        const uint32_t file = project_function(trail->project, target)->file;
        const struct site name = {file, project_parameter(trail->project, target, k) + 1};
        follow_definition(trail, file, flow_bound(trail->project, name), depth);
        return;
    }
    trail->use.given_away = true;
}

/* The calls of the function around what is returned, as many of them as are followed. */
static const struct site *callers_of(struct trail *trail, struct site returned, uint32_t *count)
{
    const struct site *callers = name_callers(trail->project, project_function_at(trail->project, returned), count);
    trail->use.handed_out |= !*count;
    if (*count > MOST_CALLERS) {
        stop(trail, returned);
        *count = MOST_CALLERS;
    }
    return callers;
}

/* Item i of what a call gives: `a, b = loaders()`. */
static void follow_part(struct trail *trail, struct site tuple, uint32_t i, int depth)
{
    const struct syntax *tree = project_tree(trail->project, tuple.file);
    const uint32_t statement = tree->parent[tuple.node];
    const bool assigned = tree->kind[statement] == SYN_ASSIGN && syntax_last_child(tree, statement) == tuple.node;
    const uint32_t target = assigned ? syntax_first(tree, statement) : SYNTAX_NONE;
    if (syntax_is(tree, target, SYN_TUPLE) && i < syntax_child_count(tree, target))
        follow_target(trail, (struct site){tuple.file, syntax_child(tree, target, i)}, depth);
    else
        trail->use.unknown = true;
}

/* One of several things that are returned, or bound, together. */
static void follow_tuple(struct trail *trail, struct site item, int depth)
{
    const struct syntax *tree = project_tree(trail->project, item.file);
    const uint32_t tuple = tree->parent[item.node];
    uint32_t i = 0, count;
    while (syntax_child(tree, tuple, i) != item.node)
        i++;
    if (tree->kind[tree->parent[tuple]] != SYN_RETURN) {
        follow_part(trail, (struct site){item.file, tuple}, i, depth);
        return;
    }
    const struct site *callers = callers_of(trail, item, &count);
    for (uint32_t c = 0; c < count; c++)
        follow_part(trail, callers[c], i, depth);
}

static void follow_callers(struct trail *trail, struct site returned, int depth)
{
    uint32_t count;
    const struct site *callers = callers_of(trail, returned, &count);
    for (uint32_t i = 0; i < count; i++)
        follow(trail, callers[i], depth);
}

/* ---- copies ---- */

enum { CALLS_DEEP = 2 };

/* A tensor made of another: pageable, whatever that one is. transpose(0, 1).contiguous() copies as well. */
static bool makes_another(const struct check *check, uint32_t call)
{
    const uint32_t receiver = ask_receiver(check, call);
    if (str_eq(ask_tail(check, call), S("contiguous")))
        return syntax_is(check->tree, receiver, SYN_CALL) &&
               str_is_among("transpose permute t swapaxes movedim", ask_tail(check, receiver));
    return str_is_among("clone cat stack concat repeat flip roll where masked_fill index_select gather pad",
                        ask_tail(check, call));
}

/* Whether what is copied is what the loader gave or a view of it, as far as this function says. */
static bool is_as_it_came(const struct check *check, uint32_t what)
{
    enum { MOST_HOPS = 16 };
    uint32_t node = what;
    for (int hops = 0; hops < MOST_HOPS && node != SYNTAX_NONE; hops++)
        switch (check->tree->kind[node]) {
        case SYN_NAME: {
            const struct definition *bound = flow_definition(check->project, check_site(check, node));
            if (!bound || bound->kind != DEFINED_ASSIGN || bound->unpacked || bound->value == SYNTAX_NONE)
                return true;
            node = bound->value;
            break;
        }
        case SYN_CALL:
            if (makes_another(check, node))
                return false;
            node = ask_receiver(check, node);
            break;
        case SYN_SUBSCRIPT:
            if (syntax_is(check->tree, syntax_last_child(check->tree, node), SYN_LIST))
                return false;
            node = syntax_first(check->tree, node);
            break;
        case SYN_BINARY:
            return false;
        default:
            return true;
        }
    return true;
}

/* It says non_blocking, or is a .to() or .cuda() that can, of what is known to come from the loader. */
static bool runs_on(const struct check *check, uint32_t call, const struct upload *upload)
{
    const str tail = ask_tail(check, call);
    return upload->move.non_blocking || upload->move.non_blocking_hidden ||
           (value_has(upload->value, VALUE_FROM_LOADER) && !upload->constructor &&
            (str_eq(tail, S("to")) || str_eq(tail, S("cuda")) || upload->move.wrapper));
}

static void note_copy(struct trail *trail, const struct check *check, uint32_t call, const struct upload *upload)
{
    if (site_is_none(trail->use.copied_at))
        trail->use.copied_at = check_site(check, call);
    const bool itself = is_as_it_came(check, upload->what);
    trail->use.copies_itself |= itself;
    trail->use.copies_run_on |= itself && runs_on(check, call, upload);
}

/* Calls that copy a batch to the device there, until one is found that need not wait. */
static void find_copies(struct trail *trail, struct site around, int deep)
{
    const struct check check = check_of(trail, around);
    const uint32_t last = syntax_last(check.tree, around.node);
    for (uint32_t node = around.node; node < last && !trail->use.copies_run_on; node++) {
        if (!syntax_is(check.tree, node, SYN_CALL))
            continue;
        const struct upload upload = upload_of(&check, node);
        const bool copies = upload.is && upload_is_batch(&check, &upload);
        if (copies)
            note_copy(trail, &check, node, &upload);
        const uint32_t target = deep && !copies ? name_target(trail->project, check_site(&check, node)) : SYNTAX_NONE;
        if (target == SYNTAX_NONE)
            continue;
        const struct function *function = project_function(trail->project, target);
        find_copies(trail, (struct site){function->file, function->node}, deep - 1);
    }
}

static void look_for_copies(struct trail *trail, struct site around)
{
    if (trail->looks_for_copies)
        find_copies(trail, around, CALLS_DEEP);
}

/* ---- upward ---- */

/* next(iter(loader)): a batch for each step, or one to be shown. */
static void take_one(struct trail *trail, struct site call)
{
    const struct context context = context_of(trail->project, call);
    const bool each_step = context.pace == PACE_STEP && context.gate == GATE_NONE;
    if (each_step && !trail->use.trains)
        trail->use.trained_at = call;
    trail->use.trains |= each_step;
    trail->use.evaluates |= !each_step && context.pace != PACE_UNKNOWN;
    trail->use.unknown |= context.pace == PACE_UNKNOWN;
    const uint32_t around = syntax_function(project_tree(trail->project, call.file), call.node);
    look_for_copies(trail, (struct site){call.file, around == SYNTAX_NONE ? 0 : around});
}

static void go_over(struct trail *trail, struct site loop)
{
    const struct check check = check_of(trail, loop);
    enum loop_kind kind = context_loop(trail->project, loop);
    if (kind == LOOP_OTHER && loop_runs_module(&check, loop.node) &&
        context_trains_in(trail->project, loop) == SYNTAX_NONE)
        kind = LOOP_EVALUATION; /* whoever calls its function */
    const bool trains = kind == LOOP_STEP || kind == LOOP_EPOCH;
    if (trains && !trail->use.trains)
        trail->use.trained_at = loop;
    trail->use.generates |= trains && made_in_rounds(&check, loop.node);
    trail->use.trains |= trains;
    trail->use.evaluates |= kind == LOOP_EVALUATION;
    trail->use.unknown |= kind == LOOP_OTHER || kind == LOOP_ELEMENT;
    look_for_copies(trail, loop);
}

static void follow_into_call(struct trail *trail, struct site call, uint32_t argument, int depth)
{
    const struct check check = check_of(trail, call);
    if (ask_named(&check, call.node, "next"))
        take_one(trail, call);
    else if (loop_hands_on(&check, call.node) || ask_named(&check, call.node, "zip"))
        follow(trail, call, depth);
    else if (ask_named(&check, call.node, "len"))
        trail->use.measured = true;
    else if (!ask_named(&check, call.node, "hasattr") && !ask_named(&check, call.node, "isinstance"))
        follow_argument(trail, call, argument, depth);
}

static void follow(struct trail *trail, struct site site, int depth)
{
    const struct syntax *tree = project_tree(trail->project, site.file);
    const uint32_t parent = tree->parent[site.node];
    if (depth == FARTHEST || ++trail->steps > MOST_STEPS) {
        stop(trail, site);
        return;
    }
    switch (tree->kind[parent]) {
    case SYN_FOR:
        go_over(trail, (struct site){site.file, parent});
        break;
    case SYN_ASSIGN:
        if (syntax_last_child(tree, parent) == site.node)
            follow_target(trail, (struct site){site.file, syntax_first(tree, parent)}, depth + 1);
        break;
    case SYN_KEYWORD:
        follow_into_call(trail, (struct site){site.file, tree->parent[tree->parent[parent]]}, site.node, depth + 1);
        break;
    case SYN_ARGUMENTS:
        follow_into_call(trail, (struct site){site.file, tree->parent[parent]}, site.node, depth + 1);
        break;
    case SYN_RETURN:
        follow_callers(trail, site, depth + 1);
        break;
    case SYN_CONDITIONAL:
        follow(trail, (struct site){site.file, parent}, depth + 1);
        break;
    case SYN_TUPLE:
        follow_tuple(trail, site, depth + 1);
        break;
    case SYN_ATTRIBUTE: /* loader.dataset, loader.batch_size */
    case SYN_EXPR:
        break;
    default:
        trail->use.unknown = true;
    }
}

static struct loader_use use_of(const struct check *check, uint32_t node, bool looks_for_copies)
{
    struct trail trail = {.project = check->project,
                          .arena = check->arena,
                          .use = {.trained_at = site_none, .copied_at = site_none},
                          .looks_for_copies = looks_for_copies};
    follow(&trail, check_site(check, node), 0);
    return trail.use;
}

struct loader_use loader_use_of(const struct check *check, uint32_t node)
{
    return use_of(check, node, false);
}

struct loader_use loader_use_with_copies(const struct check *check, uint32_t node)
{
    return use_of(check, node, true);
}
