/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a value goes: from an expression upward to what takes it, and through a
 * name that it is bound to on to the uses of that name.
 */
#include "effects.h"
#include "flow.h"
#include "rounds.h"
#include "source/known/known_words.h"
#include "value_at.h"

enum { MOST_STEPS = 400 }; /* beyond them the value counts as used */

static const struct limit far_value = {
    "fate",
    "a value goes on through more than 400 expressions, or a name that is read in more than 64 places; it counts "
    "as used in other ways"};

struct trail {
    const struct project *project;
    uint32_t file;
    const struct syntax *tree;
    uint32_t fate, steps;
    uint32_t seen[MOST_STEPS]; /* nodes whose value has been followed */
    uint32_t seen_count;
};

static void follow(struct trail *trail, uint32_t node);

static void give_up(struct trail *trail, uint32_t node)
{
    trail->fate |= FATE_OTHER;
    project_limit(trail->project, &far_value, (struct site){trail->file, node});
}

static bool is_seen(struct trail *trail, uint32_t node)
{
    for (uint32_t i = 0; i < trail->seen_count; i++)
        if (trail->seen[i] == node)
            return true;
    if (trail->seen_count == MOST_STEPS) {
        give_up(trail, node);
        return true;
    }
    trail->seen[trail->seen_count++] = node;
    return false;
}

/* ---- through names ---- */

static bool in_loop_with(const struct syntax *tree, uint32_t statement)
{
    for (uint32_t at = statement; at; at = tree->parent[at])
        if (tree->kind[at] == SYN_FOR || tree->kind[at] == SYN_WHILE)
            return true;
    return false;
}

/* Whether others may read the variable: nested functions, functions of the module, modules that import it. */
static bool is_seen_elsewhere(const struct trail *trail, const struct definition *definition)
{
    const struct project *project = trail->project;
    if (definition->function != 0)
        return flow_escapes(project, trail->file, definition);
    const struct file *file = &project->files.at[trail->file];
    return file->imported || file->flow.slots[((const struct def *)definition)->slot].shared;
}

static void follow_name(struct trail *trail, uint32_t name)
{
    const struct definition *definition = flow_bound(trail->project, (struct site){trail->file, name});
    if (!definition)
        return;
    const struct flow *flow = &trail->project->files.at[trail->file].flow;
    const struct reached reached = flow->groups[flow->group[(const struct def *)definition - flow->defs]];
    for (uint32_t i = 0; i < reached.count && trail->steps <= MOST_STEPS; i++)
        follow(trail, flow->reached[reached.first + i]);
    if (reached.count > FLOW_MOST_USES) /* some are not listed */
        give_up(trail, name);
    if (is_seen_elsewhere(trail, definition))
        trail->fate |= FATE_OTHER;
}

static void follow_target(struct trail *trail, uint32_t target)
{
    const struct syntax *tree = trail->tree;
    switch (tree->kind[target]) {
    case SYN_NAME:
        follow_name(trail, target);
        break;
    case SYN_TUPLE:
    case SYN_LIST:
    case SYN_STARRED:
        for (uint32_t part = syntax_first(tree, target); part != NONE; part = syntax_next(tree, part))
            follow_target(trail, part);
        break;
    case SYN_SUBSCRIPT: {
        const struct value *holder = value_at(trail->project, (struct site){trail->file, target + 1});
        trail->fate |= value_gpu_tensor(holder) ? FATE_UPLOAD : FATE_KEPT;
        break;
    }
    default:
        trail->fate |= FATE_KEPT;
    }
}

static void assigned(struct trail *trail, uint32_t statement, uint32_t value)
{
    const struct syntax *tree = trail->tree;
    if (tree->kind[statement] == SYN_ASSIGN) {
        if (value == syntax_last_child(tree, statement))
            for (uint32_t t = syntax_first(tree, statement); t != value; t = syntax_next(tree, t))
                follow_target(trail, t);
        return;
    }
    if (value == statement + 1) { /* the target of +=: it goes on as what it has become */
        if (tree->kind[value] == SYN_NAME)
            follow_name(trail, value);
        return;
    }
    if (tree->kind[statement] == SYN_AUG_ASSIGN)
        trail->fate |= in_loop_with(tree, statement) ? FATE_SUM : FATE_ARITHMETIC;
    follow_target(trail, statement + 1);
}

/* ---- calls ---- */

/* out.roll(n): a number tells a kernel what to do, and does not become a part of its result. */
static bool is_setting(struct trail *trail, uint32_t argument, const struct value *result)
{
    return value_is_tensor(result) && value_is_number(value_at(trail->project, (struct site){trail->file, argument}));
}

static void argument_of(struct trail *trail, uint32_t call, uint32_t argument)
{
    static const uint32_t fates[] = {
        [USE_SHOWN] = FATE_PRINT, [USE_NUMPY] = FATE_NUMPY, [USE_KEPT] = FATE_KEPT,    [USE_PYTHON] = FATE_PYTHON,
        [USE_SIZE] = FATE_INDEX,  [USE_SHAPE] = FATE_OTHER, [USE_UNKNOWN] = FATE_CALL, [USE_RESULT] = FATE_NONE};
    const struct site site = {trail->file, call};
    const struct value *result = value_at(trail->project, site);
    const enum use use = effects_use(trail->project, site);
    if (use != USE_SHOWN && value_is_tensor(result) && value_on_gpu(result) &&
        value_move(trail->project, site).move == MOVE_UPLOAD) {
        trail->fate |= FATE_UPLOAD;
        return;
    }
    const bool setting = use == USE_RESULT && is_setting(trail, argument, result);
    trail->fate |= setting ? FATE_CALL : fates[use];
    if (!setting && (use == USE_RESULT || use == USE_NUMPY || use == USE_PYTHON || use == USE_UNKNOWN))
        follow(trail, call);
}

/* x.method(...): what becomes of x goes on in the result. */
static void object_of(struct trail *trail, uint32_t attribute)
{
    const struct syntax *tree = trail->tree;
    const uint32_t call = tree->parent[attribute];
    const str tail = syntax_tail(tree, attribute);
    if (!syntax_is(tree, call, SYN_CALL) || attribute != call + 1) {
        if (!known_word(WORDS_TENSOR_FACTS, tail))
            follow(trail, attribute);
        else
            trail->fate |= FATE_OTHER;
        return;
    }
    if (known_word(WORDS_BACKWARD, tail))
        trail->fate |= FATE_BACKWARD;
    else if (value_move(trail->project, (struct site){trail->file, call}).move == MOVE_UPLOAD)
        trail->fate |= FATE_UPLOAD;
    else
        follow(trail, call);
    if (!flow_only_computes(trail->project, (struct site){trail->file, call}))
        trail->fate |= FATE_CALL;
}

/* ---- upward ---- */

static void arithmetic(struct trail *trail, uint32_t parent)
{
    const struct syntax *tree = trail->tree;
    trail->fate |= FATE_ARITHMETIC;
    const uint32_t statement = tree->parent[parent];
    const bool adds = tree->kind[statement] == SYN_ASSIGN && tree->op[parent] == OP_ADD &&
                      syntax_same(tree, syntax_first(tree, statement), tree, parent + 1);
    if (adds && in_loop_with(tree, statement))
        trail->fate |= FATE_SUM;
    follow(trail, parent);
}

static void taken_by(struct trail *trail, uint32_t node, uint32_t parent)
{
    const struct syntax *tree = trail->tree;
    switch (tree->kind[parent]) {
    case SYN_ASSIGN:
    case SYN_AUG_ASSIGN:
    case SYN_ANN_ASSIGN:
        assigned(trail, parent, node);
        break;
    case SYN_NAMED:
        if (node != parent + 1) {
            follow_name(trail, parent + 1);
            follow(trail, parent);
        }
        break;
    case SYN_EXPR: /* a value that nothing takes */
    case SYN_DELETE:
        break;
    case SYN_IF:
    case SYN_WHILE:
    case SYN_COMP_IF:
        trail->fate |= FATE_CONTROL;
        break;
    case SYN_ASSERT:
        trail->fate |= node == parent + 1 ? FATE_CONTROL : FATE_RAISE;
        break;
    case SYN_RAISE:
        trail->fate |= FATE_RAISE;
        break;
    case SYN_BOOL:
        trail->fate |= FATE_CONTROL;
        follow(trail, parent);
        break;
    case SYN_CONDITIONAL:
        if (node == syntax_child(tree, parent, 1))
            trail->fate |= FATE_CONTROL;
        else
            follow(trail, parent);
        break;
    case SYN_RETURN:
    case SYN_YIELD:
        trail->fate |= FATE_RETURN;
        break;
    case SYN_LAMBDA:
        trail->fate |= FATE_RETURN;
        break;
    case SYN_ARGUMENTS:
        argument_of(trail, tree->parent[parent], node);
        break;
    case SYN_ATTRIBUTE:
        object_of(trail, parent);
        break;
    case SYN_SUBSCRIPT:
        if (node == parent + 1) {
            trail->fate |=
                value_gpu_tensor(value_at(trail->project, (struct site){trail->file, node})) ? 0 : FATE_PYTHON;
            follow(trail, parent);
        } else {
            trail->fate |= FATE_INDEX;
        }
        break;
    case SYN_SLICE:
        trail->fate |= FATE_INDEX;
        break;
    case SYN_BINARY:
        arithmetic(trail, parent);
        break;
    case SYN_FOR:
    case SYN_COMP_FOR:
        trail->fate |= FATE_PYTHON;
        follow_target(trail, parent + 1);
        break;
    case SYN_INTERPOLATION:
    case SYN_UNARY:
    case SYN_NOT:
    case SYN_COMPARE:
    case SYN_KEYWORD:
    case SYN_STARRED:
    case SYN_DOUBLE_STARRED:
    case SYN_PAIR:
    case SYN_LIST:
    case SYN_TUPLE:
    case SYN_SET:
    case SYN_DICT:
    case SYN_LIST_COMP:
    case SYN_SET_COMP:
    case SYN_DICT_COMP:
    case SYN_GENERATOR:
    case SYN_STRING:
    case SYN_AWAIT:
        follow(trail, parent);
        break;
    default:
        trail->fate |= FATE_OTHER;
    }
}

static void follow(struct trail *trail, uint32_t node)
{
    if (++trail->steps > MOST_STEPS) {
        give_up(trail, node);
        return;
    }
    if (is_seen(trail, node))
        return;
    taken_by(trail, node, trail->tree->parent[node]);
}

uint32_t flow_fate(const struct project *project, struct site expression)
{
    struct trail trail = {.project = project, .file = expression.file, .tree = project_tree(project, expression.file)};
    follow(&trail, expression.node);
    return trail.fate;
}
