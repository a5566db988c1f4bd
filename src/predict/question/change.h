/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a question, a file or two each; for question.c, which puts them in order. */
#ifndef PREDICT_CHANGE_H
#define PREDICT_CHANGE_H

#include "question.h"
#include "predict/plan/units.h"

struct changing {
    const struct question *question;
    const struct question_context *context;
    struct plan *plan;
    struct arena *arena;
    struct question_told *told;
    struct steptime_error *err;
};

typedef bool change_part(struct changing *changing);

change_part change_batch, change_ranks, change_amp;          /* change_batch.c, change_ranks.c, change_amp.c */
change_part change_fuse;                                     /* change_fuse.c */
change_part change_remove, change_without_ids, change_scale; /* change_named.c */
change_part change_pinned, change_no_sync, change_cuda_graph, change_cpu_speed; /* change_host.c */
change_part change_overlap;                                                     /* change_ranks.c */
change_part change_reorder;                                                     /* change_reorder.c */

/* Says what a part did. */
void change_tell(struct changing *changing, str line);

/*
 * Counts what a name fitted: `name` is its place among those of remove, scale, fuse and without. False where that is nothing and
 * nobody counts over several plans.
 */
bool change_meet(struct changing *changing, uint32_t name, uint32_t fits);

/* ---- what several parts need ---- */

/* The launch is there: neither it nor its operator was taken out. */
static inline bool change_is_live(const struct plan *plan, const struct plan_launch *launch)
{
    return !launch->gone && !plan->ops[launch->op].gone;
}

/* The pattern fits the launch's kernel, the operator that made it, or one around that. */
bool change_launch_fits(const struct plan *plan, const struct plan_launch *launch, str pattern);
bool change_op_fits(const struct plan *plan, const struct plan_op *op, str pattern);

/* Whether the host waits anywhere in it. */
bool change_op_waits(const struct plan *plan, const struct plan_op *op);

/*
 * How the time of an operator's kernels changes from those it launches to others: the ratio of two sums of estimates
 * of one model on one device; of what no model knows that of the least bytes. 1 where neither is known: *known is false.
 */
struct kernels {
    const struct kernel *at;
    uint32_t count;
};
double change_ratio(const struct question_context *context, struct kernels from, struct kernels to, bool *known);

static inline struct kernels one_kernel(const struct kernel *kernel)
{
    return (struct kernels){kernel, 1};
}

/* Which kernels each launch of the plan belongs to: those of its operator, or its own where it is supposed. */
struct change_units {
    struct units units;
    uint32_t *of_launch; /* index into units; PLAN_NONE */
};
struct change_units change_units_of(const struct plan *plan, struct arena *arena);
struct kernels change_kernels_of(const struct change_units *units, const struct plan *plan, uint32_t launch);

/* Work is to take `ratio` times as long, as was asked: a recorded time becomes a scaled one, and no doubt is added. */
void change_suppose(struct plan_launch *launch, double ratio);

/* Work takes `ratio` times as long, as models or bytes say: as sure as that. */
void change_stretch(struct plan_launch *launch, double ratio);

#endif
