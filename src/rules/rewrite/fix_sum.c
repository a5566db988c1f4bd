/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `total += loss.item()` in a loop of steps becomes a sum on the device that is
 * read where the total is used.
 *
 * A Python float is a double, and `loss.item()` widens to one, so the sum is kept
 * in float64: the same additions of the same numbers in the same order, so the
 * same bits. Counts (integers) are exact either way. The tensor is detached, or it
 * would keep the graphs of all steps alive.
 */
#include "fix.h"
#include "patch.h"
#include "rules/ask/read_back.h"

enum { USES = 32 };

struct sum {
    uint32_t statement; /* total += ... */
    uint32_t loop;      /* the loop of steps around it */
    bool whole;         /* a count: int, not float */
    const struct definition *definition;
};

static bool is_whole(const struct value *value)
{
    return value->dtype == DTYPE_INT64 || value->dtype == DTYPE_INT32;
}

/* A single read: `.item()` or float() of a floating value, `.item()` or int() of a whole one. */
static bool is_read(const struct check *check, uint32_t node, bool whole)
{
    const uint32_t what = read_back_what(check, node);
    if (what == SYNTAX_NONE)
        return false;
    const str tail = ask_tail(check, node);
    const struct value *value = ask_value(check, what);
    return (str_eq(tail, S("item")) || str_eq(tail, whole ? S("int") : S("float"))) &&
           (whole ? is_whole(value) : is_floating(value));
}

static bool is_host_number(const struct value *value)
{
    return (value->kind == VALUE_INT || value->kind == VALUE_FLOAT || value->kind == VALUE_BOOL);
}

/*
 * Whether the expression computes the same in doubles on the device: reads and Python numbers, joined by + - *, and /
 * of floats. Of whole numbers no product with a float and no quotient.
 */
static bool computes_alike(const struct check *check, uint32_t node, bool whole)
{
    if (read_back_what(check, node) != SYNTAX_NONE)
        return is_read(check, node, whole);
    if (syntax_is(check->tree, node, SYN_BINARY)) {
        const enum syntax_op op = check->tree->op[node];
        const bool fits = op == OP_ADD || op == OP_SUB || op == OP_MUL || (op == OP_DIV && !whole);
        return fits && computes_alike(check, syntax_child(check->tree, node, 0), whole) &&
               computes_alike(check, syntax_child(check->tree, node, 1), whole);
    }
    const struct value *value = ask_value(check, node);
    return is_host_number(value) && (!whole || value->kind == VALUE_INT);
}

static bool innermost_step_loop(const struct check *check, uint32_t node, uint32_t *loop)
{
    for (*loop = check->tree->parent[node]; *loop; *loop = check->tree->parent[*loop]) {
        const enum syntax_kind kind = check->tree->kind[*loop];
        if (kind == SYN_FUNCTION || kind == SYN_LAMBDA || kind == SYN_CLASS)
            return false;
        if (kind == SYN_FOR || kind == SYN_WHILE)
            return true;
    }
    return false;
}

static bool find_sum(const struct check *check, uint32_t read, struct sum *sum)
{
    const uint32_t statement = syntax_statement(check->tree, read);
    if (!syntax_is(check->tree, statement, SYN_AUG_ASSIGN) || check->tree->op[statement] != OP_ADD ||
        !syntax_is(check->tree, syntax_first(check->tree, statement), SYN_NAME) ||
        !innermost_step_loop(check, statement, &sum->loop))
        return false;
    const uint32_t value = syntax_child(check->tree, statement, 1);
    sum->statement = statement;
    sum->whole = is_whole(ask_value(check, read_back_what(check, read)));
    sum->definition = flow_bound(check->project, check_site(check, syntax_first(check->tree, statement)));
    return sum->definition && is_read(check, read, sum->whole) && computes_alike(check, value, sum->whole) &&
           !flow_escapes(check->project, check->file, sum->definition);
}

static void defer_reads(struct patch *patch, const struct sum *sum)
{
    const struct syntax *tree = patch->check->tree;
    for (uint32_t node = sum->statement; node < syntax_last(tree, sum->statement); node++) {
        if (!is_read(patch->check, node, sum->whole))
            continue;
        const str what = patch_primary(patch, read_back_what(patch->check, node));
        const char *widened = sum->whole ? ".detach()" : ".detach().double()";
        patch_node(patch, node, patch_printf(patch, "%.*s%s", (int)what.len, what.at, widened));
    }
}

/* A read of the total in the loop: worth deferring for only where it does not happen in each step. */
static bool is_gated(const struct check *check, uint32_t use)
{
    const struct context context = context_of(check->project, check_site(check, use));
    return context.gate == GATE_INTERVAL || context.gate == GATE_FLAG;
}

static bool starts_as_number(const struct check *check, const struct sum *sum)
{
    const struct definition *found[8];
    const struct site use = check_site(check, syntax_first(check->tree, sum->statement));
    const uint32_t count = flow_definitions(check->project, use, found, 8);
    if (count == 0 || count > 8)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (found[i]->kind == DEFINED_AUGMENT && found[i]->statement == sum->statement)
            continue;
        const bool assigned = found[i]->kind == DEFINED_ASSIGN && !found[i]->unpacked && found[i]->value != SYNTAX_NONE;
        if (!assigned || !is_host_number(ask_value(check, found[i]->value)))
            return false;
        if (sum->whole && ask_value(check, found[i]->value)->kind != VALUE_INT)
            return false;
    }
    return true;
}

/* A name that a gated `total = 0.0` binds again in the loop is read there and may be read behind it. */
static bool read_where_used(struct patch *patch, const struct sum *sum)
{
    const struct check *check = patch->check;
    uint32_t uses[USES];
    const uint32_t count = flow_uses(check->project, check->file, sum->definition, uses, USES);
    const str name = syntax_text(check->tree, syntax_first(check->tree, sum->statement));
    const char *number = sum->whole ? "int" : "float";
    bool behind = false;
    if (count > USES)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (syntax_inside(check->tree, uses[i], sum->statement))
            continue;
        if (syntax_is(check->tree, check->tree->parent[uses[i]], SYN_AUG_ASSIGN))
            return false;
        if (!syntax_inside(check->tree, uses[i], sum->loop)) {
            behind = true;
            continue;
        }
        if (!is_gated(check, uses[i]))
            return false;
        patch_node(patch, uses[i], patch_printf(patch, "%s(%.*s)", number, (int)name.len, name.at));
    }
    if (behind)
        patch_line_after(
            patch, sum->loop,
            patch_printf(patch, "%.*s = %s(%.*s)", (int)name.len, name.at, number, (int)name.len, name.at));
    return true;
}

bool fix_scalar_read_back(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    struct sum sum;
    if (!find_sum(check, match->node, &sum) || !starts_as_number(check, &sum))
        return false;
    const uint32_t statement = sum.statement;
    for (uint32_t node = statement; node < match->node; node++)
        if (is_read(check, node, sum.whole))
            return false; /* the first read of the statement takes the others along */
    defer_reads(&patch, &sum);
    return read_where_used(&patch, &sum) && patch_hand_over(&patch, edits);
}
