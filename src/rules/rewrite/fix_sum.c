/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `total += loss.item()` in a loop of steps becomes a sum on the device that is
 * read where the total is used.
 *
 * A Python float is a double, and `loss.item()` widens to one, so the sum is kept
 * in float64: the same additions of the same numbers in the same order, so the
 * same bits. Counts (integers) are exact either way. The tensor is detached, or it
 * would keep the graphs of all steps alive.
 *
 * Either the step has no read left that waits, or the sums stay as they are: one
 * wait less beside one that stays is a change without a gain. MPS knows no
 * float64, so what may run there keeps its sums of floats.
 */
#include "fix.h"
#include "patch.h"
#include "rules/waits/read_back.h"

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

/* ---- what else the step waits for ---- */

static bool is_deferrable(const struct check *check, uint32_t read);

/* `x.item()` of something that may lie on the device, or a read-back that is known as one. */
static bool may_wait(const struct check *check, uint32_t node)
{
    if (!syntax_is(check->tree, node, SYN_CALL))
        return false;
    if (read_back_what(check, node) != SYNTAX_NONE)
        return true;
    const uint32_t receiver = ask_receiver(check, node);
    return syntax_calls(check->tree, node, S("item")) && receiver != SYNTAX_NONE &&
           value_is_tensor(ask_value(check, receiver)) && !value_on_cpu(ask_value(check, receiver));
}

static bool is_rare(const struct check *check, uint32_t node)
{
    const enum gate gate = context_of(check->project, check_site(check, node)).gate;
    return gate != GATE_NONE && gate != GATE_RANK;
}

/* `batch_time.update(time.time() - end)`: without the wait it would say how long the host took to ask for the step. */
static bool asks_for_time(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_CALL) && name_under(check->project, check_site(check, node), "time.");
}

/* Whether the loop has a wait in each step that no sum takes along, or takes the time of each. */
static bool waits_anyway(const struct check *check, uint32_t loop)
{
    for (uint32_t node = syntax_child(check->tree, loop, 1); node < syntax_last(check->tree, loop); node++)
        if ((asks_for_time(check, node) || (may_wait(check, node) && !is_deferrable(check, node))) &&
            !is_rare(check, node))
            return true;
    return false;
}

/* ---- devices without doubles ---- */

static bool names_mps(const struct syntax *tree)
{
    return str_has(tree->text, S("\"mps\"")) || str_has(tree->text, S("'mps'")) ||
           str_has(tree->text, S("mps.is_available")) || str_has(tree->text, S("torch.accelerator"));
}

/* ---- the edits ---- */

static void defer_reads(struct patch *patch, const struct sum *sum)
{
    const struct syntax *tree = patch->check->tree;
    for (uint32_t node = sum->statement; node < syntax_last(tree, sum->statement); node++) {
        if (!is_read(patch->check, node, sum->whole))
            continue;
        const str what = patch_primary(patch, read_back_what(patch->check, node));
        const char *detached = str_ends(what, S(".detach()")) ? "" : ".detach()";
        patch_node(patch, node,
                   patch_printf(patch, "%.*s%s%s", (int)what.len, what.at, detached, sum->whole ? "" : ".double()"));
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

enum use { USE_INSIDE, USE_GATED, USE_BEHIND, USE_OTHER };

static enum use use_of(const struct check *check, const struct sum *sum, uint32_t use)
{
    if (syntax_inside(check->tree, use, sum->statement))
        return USE_INSIDE;
    if (syntax_is(check->tree, check->tree->parent[use], SYN_AUG_ASSIGN))
        return USE_OTHER;
    if (!syntax_inside(check->tree, use, sum->loop))
        return USE_BEHIND;
    return is_gated(check, use) ? USE_GATED : USE_OTHER;
}

static uint32_t uses_of(const struct check *check, const struct sum *sum, uint32_t *uses)
{
    return flow_uses(check->project, check->file, sum->definition, uses, USES);
}

static bool is_read_later(const struct check *check, const struct sum *sum)
{
    uint32_t uses[USES];
    const uint32_t count = uses_of(check, sum, uses);
    for (uint32_t i = 0; i < count && i < USES; i++)
        if (use_of(check, sum, uses[i]) == USE_OTHER)
            return false;
    return count <= USES;
}

static bool is_deferrable(const struct check *check, uint32_t read)
{
    struct sum sum;
    return find_sum(check, read, &sum) && starts_as_number(check, &sum) && is_read_later(check, &sum);
}

/* A name that a gated `total = 0.0` binds again in the loop is read there and may be read behind it. */
static void read_where_used(struct patch *patch, const struct sum *sum)
{
    const struct check *check = patch->check;
    uint32_t uses[USES];
    const uint32_t count = uses_of(check, sum, uses);
    const str name = syntax_text(check->tree, syntax_first(check->tree, sum->statement));
    const char *number = sum->whole ? "int" : "float";
    bool behind = false;
    for (uint32_t i = 0; i < count; i++) {
        const enum use use = use_of(check, sum, uses[i]);
        behind |= use == USE_BEHIND;
        if (use == USE_GATED)
            patch_node(patch, uses[i], patch_printf(patch, "%s(%.*s)", number, (int)name.len, name.at));
    }
    if (behind)
        patch_line_after(
            patch, sum->loop,
            patch_printf(patch, "%.*s = %s(%.*s)", (int)name.len, name.at, number, (int)name.len, name.at));
}

bool fix_scalar_read_back(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    struct sum sum;
    if (!is_deferrable(check, match->node) || !find_sum(check, match->node, &sum) || waits_anyway(check, sum.loop) ||
        (!sum.whole && names_mps(check->tree)))
        return false;
    for (uint32_t node = sum.statement; node < match->node; node++)
        if (is_read(check, node, sum.whole))
            return false; /* the first read of the statement takes the others along */
    defer_reads(&patch, &sum);
    read_where_used(&patch, &sum);
    return patch_hand_over(&patch, edits);
}
