/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --fuse EXPR: several operators as one, which is launched once.
 *
 *     embeddings      the lookups of all tables as one batched lookup, and their gradients as one
 *     elementwise     chains of element-wise operators
 *     NAME+NAME...    operators of these names that follow each other ('*' for any characters)
 *
 * On the host the first of a chain is left with the end of the last; of lookups the
 * last, since by then the inputs of all are there. On the device the fused kernel
 * takes the sum of its parts times the ratio of the estimates: one lookup of all
 * tables; one element-wise kernel that neither writes nor reads again what lay
 * between, 2 (n - 1) accesses less. Where no model knows the parts, their sum.
 * Operators between that launch nothing do not break a chain; another stream, a
 * wait of the host and a wait for other streams do.
 */
#include "change.h"

struct group {
    uint32_t *ops; /* of the plan */
    uint32_t count;
};

struct fusing {
    struct changing *changing;
    struct change_units units;
    uint32_t fused; /* operators that became part of another */
};

/* ---- the fused kernel ---- */

static bool join_lookups(struct kernels parts, struct kernel *whole)
{
    *whole = parts.at[0];
    double rows = 0;
    whole->lookup.tables = 0;
    for (uint32_t i = 0; i < parts.count; i++) {
        const struct kernel *part = &parts.at[i];
        if (part->form != FORM_EMBEDDING || part->lookup.batch != whole->lookup.batch ||
            part->lookup.width != whole->lookup.width)
            return false;
        whole->lookup.tables += part->lookup.tables;
        rows += (double)part->lookup.tables * (double)part->lookup.rows;
    }
    whole->lookup.rows = (int64_t)(rows / (double)whole->lookup.tables + 0.5);
    return true;
}

static bool join_elementwise(struct kernels parts, struct kernel *whole)
{
    *whole = parts.at[0];
    whole->elements.accesses = 0;
    for (uint32_t i = 0; i < parts.count; i++) {
        const struct kernel *part = &parts.at[i];
        if (part->form != FORM_ELEMENTWISE ||
            part->elements.rows * part->elements.cols != whole->elements.rows * whole->elements.cols)
            return false;
        whole->elements.accesses += part->elements.accesses;
    }
    whole->elements.accesses -= 2 * ((int64_t)parts.count - 1);
    if (whole->elements.accesses < 2)
        whole->elements.accesses = 2;
    return true;
}

/* All kernels of the group, in the arena. */
static struct kernels kernels_of(struct fusing *f, const struct group *group)
{
    const struct plan *plan = f->changing->plan;
    struct kernel *all = NULL;
    uint32_t count = 0, room = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct plan_op *op = &plan->ops[group->ops[i]];
        uint32_t last = PLAN_NONE;
        for (uint32_t k = op->first_launch; k < op->first_launch + op->launches; k++) {
            const struct kernels own = change_kernels_of(&f->units, plan, k);
            const uint32_t unit = f->units.of_launch[k];
            if (unit != PLAN_NONE && unit == last)
                continue;
            last = unit;
            if (count + own.count > room) {
                struct kernel *more = arena_array(f->changing->arena, room = 2 * (count + own.count), sizeof *more);
                if (count)
                    memcpy(more, all, count * sizeof *more);
                all = more;
            }
            if (own.count)
                memcpy(all + count, own.at, own.count * sizeof *all);
            count += own.count;
        }
    }
    return (struct kernels){all, count};
}

/* How long the fused kernel takes of what its parts took; never longer. */
static double ratio_of(struct fusing *f, const struct group *group)
{
    const struct kernels parts = kernels_of(f, group);
    struct kernel whole;
    bool known;
    if (!parts.count || !(join_lookups(parts, &whole) || join_elementwise(parts, &whole)))
        return 1;
    const double ratio = change_ratio(f->changing->context, parts, one_kernel(&whole), &known);
    return ratio < 1 ? ratio : 1;
}

/* ---- the fused operator ---- */

/* Takes all launches of the operator out and gives their time. */
static double empty_op(struct plan *plan, const struct plan_op *op)
{
    double us = 0;
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++) {
        us += change_is_live(plan, &plan->launches[i]) ? plan->launches[i].us : 0;
        plan->launches[i].gone = true;
    }
    return us;
}

static uint32_t first_live(const struct plan *plan, const struct plan_op *op)
{
    uint32_t i = op->first_launch;
    while (i < op->first_launch + op->launches && plan->launches[i].gone)
        i++;
    return i;
}

/* `keep` is the place in the group of the operator that stays. */
static void fuse(struct fusing *f, const struct group *group, uint32_t keep)
{
    struct plan *plan = f->changing->plan;
    struct plan_op *kept = &plan->ops[group->ops[keep]];
    const uint32_t launch = first_live(plan, kept);
    const double ratio = ratio_of(f, group);
    double us = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        struct plan_op *op = &plan->ops[group->ops[i]];
        us += empty_op(plan, op);
        op->gone = i != keep;
    }
    kept->last_us = plan->ops[group->ops[group->count - 1]].last_us;
    plan->launches[launch].gone = false;
    plan->launches[launch].us = us;
    change_stretch(&plan->launches[launch], ratio);
    f->fused += group->count;
}

/* ---- which ---- */

static const struct program_op *call_of(const struct plan *plan, const struct plan_op *op)
{
    return op->op == OP_NONE ? NULL : &plan->program->ops[op->op];
}

/* All its launches compute on one stream, and wait for no other. */
static bool is_plain(const struct plan *plan, const struct plan_op *op)
{
    const uint32_t stream = plan->launches[op->first_launch].stream;
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++)
        if (plan->launches[i].stream != stream || plan->launches[i].waits ||
            plan->launches[i].work == WORK_COMMUNICATION)
            return false;
    return true;
}

static bool can_fuse(const struct plan *plan, const struct plan_op *op)
{
    return !op->gone && op->op != OP_NONE && op->launches && first_live(plan, op) < op->first_launch + op->launches &&
           !change_op_waits(plan, op) && is_plain(plan, op);
}

static bool same_line(const struct plan *plan, uint32_t a, uint32_t b)
{
    return plan->ops[a].thread == plan->ops[b].thread &&
           plan->launches[plan->ops[a].first_launch].stream == plan->launches[plan->ops[b].first_launch].stream;
}

/* With room for all operators of the plan. */
static struct group group_of(const struct fusing *f)
{
    return (struct group){arena_array(f->changing->arena, f->changing->plan->count, sizeof(uint32_t)), 0};
}

static uint32_t fuse_lookups(struct fusing *f, enum phase phase)
{
    const struct plan *plan = f->changing->plan;
    struct group group = group_of(f);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct program_op *call = call_of(plan, &plan->ops[i]);
        if (call && call->family == FAMILY_EMBEDDING && call->phase == phase && can_fuse(plan, &plan->ops[i]) &&
            (!group.count || same_line(plan, group.ops[0], i)))
            group.ops[group.count++] = i;
    }
    if (group.count > 1)
        fuse(f, &group, group.count - 1);
    return group.count > 1 ? group.count : 0;
}

/* Whether the operator belongs to the chain at its end; `at` is how many it holds. */
typedef bool link_fits(const struct fusing *f, const struct plan_op *op, const void *what, uint32_t at);

static bool is_elementwise(const struct fusing *f, const struct plan_op *op, const void *what, uint32_t at)
{
    const struct program_op *call = call_of(f->changing->plan, op);
    return call && call->family == FAMILY_ELEMENTWISE && call->phase != PHASE_OPTIMIZER;
}

/* A pattern of names: the next one fits. */
static bool is_named(const struct fusing *f, const struct plan_op *op, const void *what, uint32_t at)
{
    str rest = *(const str *)what, name = S("");
    for (uint32_t i = 0; i <= at; i++)
        if (!str_cut(&rest, '+', &name))
            return false;
    return change_op_fits(f->changing->plan, op, name);
}

static uint32_t names_in(str expression)
{
    uint32_t names = 1;
    for (size_t i = 0; i < expression.len; i++)
        names += expression.at[i] == '+';
    return names;
}

static uint32_t close_chain(struct fusing *f, struct group *group, uint32_t least)
{
    const uint32_t count = group->count >= least ? group->count : 0;
    if (count)
        fuse(f, group, 0);
    group->count = 0;
    return count;
}

/* Chains of one thread; `least` and `most` operators long. */
static uint32_t fuse_chains(struct fusing *f, link_fits *fits, const void *what, uint32_t least, uint32_t most)
{
    const struct plan *plan = f->changing->plan;
    struct group group = group_of(f);
    uint32_t fused = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct plan_op *op = &plan->ops[i];
        if (op->gone || (!op->launches && !change_op_waits(plan, op)))
            continue;
        const bool follows = group.count && op->launches && same_line(plan, group.ops[0], i);
        if (group.count == most || (group.count && !(follows && can_fuse(plan, op) && fits(f, op, what, group.count))))
            fused += close_chain(f, &group, least);
        if (can_fuse(plan, op) && fits(f, op, what, group.count))
            group.ops[group.count++] = i;
    }
    return fused + close_chain(f, &group, least);
}

static uint32_t fuse_asked(struct fusing *f, str what)
{
    if (str_eq(what, S("embeddings")))
        return fuse_lookups(f, PHASE_FORWARD) + fuse_lookups(f, PHASE_BACKWARD);
    if (str_eq(what, S("elementwise")))
        return fuse_chains(f, is_elementwise, NULL, 2, UINT32_MAX);
    const uint32_t names = names_in(what);
    return names > 1 ? fuse_chains(f, is_named, &what, names, names) : 0;
}

bool change_fuse(struct changing *changing)
{
    const struct question *question = changing->question;
    struct fusing f = {changing, change_units_of(changing->plan, changing->arena), 0};
    for (uint32_t i = 0; i < question->fuse_count; i++) {
        const uint32_t fused = fuse_asked(&f, question->fuse[i]);
        if (!change_meet(changing, question->remove_count + question->scale_count + i, fused))
            return false;
    }
    change_tell(changing, str_printf(changing->arena, "--fuse: %u operators became parts of others", f.fused));
    return true;
}
