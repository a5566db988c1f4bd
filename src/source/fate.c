/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a value goes: from an expression upward to what takes it, and through a
 * name that it is bound to on to the uses of that name.
 */
#include "source/contexts.h"

enum { MOST_STEPS = 400, MOST_USES = 64 };

struct trail {
    const struct project *project;
    uint32_t file;
    const struct syntax *tree;
    uint32_t fate, steps;
    uint32_t seen[MOST_STEPS]; /* nodes whose value has been followed */
    uint32_t seen_count;
};

static void follow(struct trail *trail, uint32_t node);

static bool is_seen(struct trail *trail, uint32_t node)
{
    for (uint32_t i = 0; i < trail->seen_count; i++)
        if (trail->seen[i] == node)
            return true;
    if (trail->seen_count == MOST_STEPS) {
        trail->fate |= FATE_OTHER;
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

static void follow_name(struct trail *trail, uint32_t name)
{
    const struct site site = {trail->file, name};
    const struct definition *definition = flow_bound(trail->project, site);
    if (!definition)
        return;
    uint32_t uses[MOST_USES];
    const uint32_t count = flow_uses(trail->project, trail->file, definition, uses, MOST_USES);
    for (uint32_t i = 0; i < count && i < MOST_USES; i++)
        follow(trail, uses[i]);
    if (count > MOST_USES || flow_escapes(trail->project, trail->file, definition))
        trail->fate |= definition->function == 0 && count ? 0 : count > MOST_USES ? FATE_OTHER : 0;
    const bool shared = flow_escapes(trail->project, trail->file, definition) && definition->function != 0;
    if (shared)
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

static bool is_print(str name, str tail, const struct value *object)
{
    static const char *const tails[] = {
        "print",         "set_postfix", "set_postfix_str", "set_description", "add_scalar", "add_scalars",
        "add_histogram", "info",        "debug",           "warning",         "error",      "critical",
        "log",           "log_dict",    "log_metrics",     "write",           "exception",  "set_description_str",
        "add_text",      "add_image"};
    if (object && object->kind == VALUE_WRITER)
        return true;
    if (str_eq(name, S("math.log")) || str_starts(name, S("torch.")) || str_starts(name, S("numpy.")))
        return false;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        if (str_eq(tail, str_of(tails[i])))
            return true;
    return str_starts(name, S("logging.")) || str_starts(name, S("wandb."));
}

static bool is_host_library(str name)
{
    static const char *const libraries[] = {"numpy.",      "scipy.", "sklearn.", "pandas.",
                                            "matplotlib.", "cv2.",   "PIL.",     "math."};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (str_starts(name, str_of(libraries[i])))
            return true;
    return false;
}

static bool keeps(str tail)
{
    static const char *const tails[] = {"append", "extend",     "insert", "add",
                                        "update", "setdefault", "put",    "appendleft"};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        if (str_eq(tail, str_of(tails[i])))
            return true;
    return false;
}

/* The name of a container that takes the value: where that goes, the value goes. */
static void kept_in(struct trail *trail, uint32_t callee)
{
    trail->fate |= FATE_KEPT;
}

static void through_result(struct trail *trail, uint32_t call)
{
    follow(trail, call);
}

/* out.roll(n): a number tells a kernel what to do, and does not become a part of its result. */
static bool is_setting(struct trail *trail, uint32_t argument, const struct value *result)
{
    return value_is_tensor(result) && value_is_number(value_at(trail->project, (struct site){trail->file, argument}));
}

static void argument_of(struct trail *trail, uint32_t call, uint32_t argument)
{
    const struct syntax *tree = trail->tree;
    const struct site site = {trail->file, call};
    const uint32_t callee = syntax_first(tree, call);
    const str name = name_of(trail->project, site), tail = syntax_tail(tree, callee);
    const bool method = tree->kind[callee] == SYN_ATTRIBUTE;
    const struct value *object = method ? value_at(trail->project, (struct site){trail->file, callee + 1}) : NULL;
    const struct value *result = value_at(trail->project, site);
    if (is_print(name, tail, object)) {
        trail->fate |= FATE_PRINT;
    } else if (value_is_tensor(result) && value_on_gpu(result) &&
               value_move(trail->project, site).move == MOVE_UPLOAD) {
        trail->fate |= FATE_UPLOAD;
    } else if (is_host_library(name)) {
        trail->fate |= FATE_NUMPY;
        through_result(trail, call);
    } else if (method && keeps(tail) && !str_starts(name, S("torch."))) {
        kept_in(trail, callee);
    } else if (str_eq(name, S("range")) || str_eq(name, S("torch.zeros")) || str_eq(name, S("torch.arange"))) {
        trail->fate |= FATE_INDEX;
    } else if (str_eq(name, S("len")) || str_eq(name, S("isinstance"))) {
        trail->fate |= FATE_OTHER;
    } else if (str_eq(tail, S("format")) || str_eq(name, S("str")) || str_eq(name, S("float")) ||
               str_eq(name, S("int")) || str_eq(name, S("bool")) || str_eq(name, S("round")) ||
               str_eq(name, S("abs")) || str_eq(name, S("max")) || str_eq(name, S("min"))) {
        through_result(trail, call);
    } else if (str_eq(name, S("list")) || str_eq(name, S("sorted")) || str_eq(name, S("zip")) ||
               str_eq(name, S("enumerate")) || str_eq(name, S("map")) || str_eq(name, S("sum")) ||
               str_eq(name, S("set")) || str_eq(name, S("tuple"))) {
        trail->fate |= FATE_PYTHON;
        through_result(trail, call);
    } else if (str_starts(name, S("torch.")) && is_setting(trail, argument, result)) {
        trail->fate |= FATE_CALL;
    } else if (str_starts(name, S("torch."))) {
        through_result(trail, call);
    } else {
        trail->fate |= FATE_CALL;
        through_result(trail, call);
    }
}

/* x.method(...): what becomes of x goes on in the result. */
static void object_of(struct trail *trail, uint32_t attribute)
{
    const struct syntax *tree = trail->tree;
    const uint32_t call = tree->parent[attribute];
    const str tail = syntax_tail(tree, attribute);
    if (!syntax_is(tree, call, SYN_CALL) || attribute != call + 1) {
        if (!str_eq(tail, S("shape")) && !str_eq(tail, S("dtype")) && !str_eq(tail, S("device")))
            follow(trail, attribute);
        else
            trail->fate |= FATE_OTHER;
        return;
    }
    if (str_eq(tail, S("backward")))
        trail->fate |= FATE_BACKWARD;
    else if (value_move(trail->project, (struct site){trail->file, call}).move == MOVE_UPLOAD)
        trail->fate |= FATE_UPLOAD;
    else
        follow(trail, call);
    if (keeps(tail) || str_eq(tail, S("sort")) || str_eq(tail, S("shuffle")))
        trail->fate |= FATE_OTHER;
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
        trail->fate |= FATE_OTHER;
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
