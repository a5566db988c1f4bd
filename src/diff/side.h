/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One side of a comparison: a mean step of all ranks of a job, step by step, so that chance can be told from change.
 *
 *     step i of the side      the mean over ranks and devices of their steps of that place
 *
 * Ranks of one job are no further samples: their steps end together. Steps in which something was compiled for more than
 * a twentieth of their time are left out and counted; the numbers of doc/numbers/diff.md are of the others.
 */
#ifndef DIFF_SIDE_H
#define DIFF_SIDE_H

#include "breakdown/job/job.h"
#include "breakdown/kernels/operator_paths.h"
#include "breakdown/summary/summary.h"
#include "quickest.h"

/* How batches come to the training loop, by the iterators that the trace names. */
struct diff_loaders {
    bool known;            /* the whole trace was there to look at; of a sketch it was not */
    bool in_loop, workers; /* a loader without workers; one with */
};
struct diff_loaders diff_loaders_of(const struct trace *trace);

/* What is kept of a rank. */
struct diff_rank {
    struct summary summary;
    struct operator_paths paths;
    struct diff_loaders loaders;
    struct quickest quickest; /* of a sketch not known */
};

struct diff_step {
    double wall_ns, part_ns[PARTS];
};

struct diff_copies {
    double times, bytes, ns; /* a step */
};

struct diff_side {
    const struct diff_rank *const *ranks;
    const struct summary_details **details; /* by rank */
    uint32_t rank_count;
    struct diff_step *steps;
    uint32_t count, compiling; /* steps; those left out */
    struct diff_step mean;
    double median_ns, spread_ns;           /* spread: the median absolute deviation from the median */
    struct diff_copies copies[COPY_PARTS]; /* by part - PART_FIRST_COPY */
    struct job job;
    struct facts facts;                      /* of all steps */
    double reduced_ns, single_ns, kernel_ns; /* kernels that compute in 16 bits or fewer, in 32, all; a step */
    struct diff_loaders loaders;
    struct quickest quickest; /* a mean over ranks, where it is known of all */
    bool marked;              /* there are steps: else the whole recording counts as one */
    bool operators;           /* any are recorded */
    bool cut;                 /* a file breaks off: the caller's to fill */
};

/* Everything lives in the arena, and points to the ranks. */
void diff_side_of(const struct diff_rank *const *ranks, uint32_t count, struct arena *arena, struct diff_side *side);

#endif
