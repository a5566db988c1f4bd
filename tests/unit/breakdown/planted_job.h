/* SPDX-License-Identifier: Apache-2.0 */
/* Planted jobs: ranks whose entries into their collectives are known to the nanosecond. */
#ifndef PLANTED_JOB_H
#define PLANTED_JOB_H

#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>

#include "breakdown/ranks/ranks.h"
#include "unit/planted.h"

enum { MOST_RANKS = 8, STEPS = 3, STEP_US = 20000, COMPUTE_US = 5000, TRANSFER_US = 400, LATE_US = 3000 };

static const int64_t MS = 1000 * 1000;

struct job {
    uint32_t count;
    struct planted p[MOST_RANKS];
    int64_t shift_us[MOST_RANKS]; /* of the times in the file */
    struct rank_numbers numbers[MOST_RANKS];
    const struct rank_numbers *at[MOST_RANKS];
    struct arena arena;
    struct ranks ranks;
};

static inline struct job *job_new(uint32_t count)
{
    struct job *job = calloc(1, sizeof *job);
    job->count = count;
    for (uint32_t r = 0; r < count; r++) {
        job->p[r] = planted_new();
        job->p[r].trace->info.rank = r;
    }
    return job;
}

/* All hosts alike: one clock. */
static inline void on_one_host(struct job *job)
{
    for (uint32_t r = 0; r < job->count; r++)
        job->p[r].trace->info.host = S("node7");
}

static inline void compare(struct job *job)
{
    for (uint32_t r = 0; r < job->count; r++) {
        trace_finish(job->p[r].trace);
        rank_run(job->p[r].trace, &(struct selection){0}, &job->arena, &job->numbers[r]);
        trace_free(job->p[r].trace);
        job->at[r] = &job->numbers[r];
    }
    ranks_merge(job->at, job->count, &job->arena, &job->ranks);
}

static inline void done(struct job *job)
{
    arena_free(&job->arena);
    free(job);
}

/* ---- planting ---- */

static inline void plant_all_steps(struct job *job, uint32_t r)
{
    for (int step = 0; step < STEPS; step++)
        plant_step(&job->p[r], step, STEP_US * step + job->shift_us[r], STEP_US);
    plant_host(&job->p[r], EVENT_OPERATOR, "aten::mm", job->shift_us[r], 1);
}

static inline struct event kernel(struct job *job, uint32_t r, int64_t stream, const char *name, int64_t us,
                                  int64_t dur_us)
{
    return planted_event(&job->p[r], EVENT_KERNEL, planted_stream(&job->p[r], 0, stream), name, us + job->shift_us[r],
                         dur_us);
}

static inline void plant_compute(struct job *job, uint32_t r, int64_t us, int64_t dur_us)
{
    const struct event e = kernel(job, r, 7, "sgemm_128x64", us, dur_us);
    trace_add(job->p[r].trace, &e);
}

static inline struct event all_reduce(struct job *job, uint32_t r, int64_t stream, int64_t us, int64_t end_us,
                                      int64_t elements)
{
    struct event e = kernel(job, r, stream, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                            us, end_us - us);
    event_set(&e, ATTR_IN_ELEMENTS, elements);
    event_set(&e, ATTR_DTYPE, intern_id(trace_names(job->p[r].trace), S("Float")));
    return e;
}

static inline void plant_all_reduce(struct job *job, uint32_t r, int64_t us, int64_t end_us)
{
    const struct event e = all_reduce(job, r, 20, us, end_us, 1 << 20);
    trace_add(job->p[r].trace, &e);
}

/* Each step: compute, longer by late_us[r], then an all-reduce that all leave when the last has come and the bytes have moved. */
static inline void plant_training(struct job *job, const int64_t *late_us)
{
    int64_t latest = 0;
    for (uint32_t r = 0; r < job->count; r++)
        latest = late_us[r] > latest ? late_us[r] : latest;
    for (uint32_t r = 0; r < job->count; r++) {
        plant_all_steps(job, r);
        for (int64_t start = 0; start < STEPS * STEP_US; start += STEP_US) {
            const int64_t entry = start + COMPUTE_US + late_us[r];
            plant_compute(job, r, start, entry - start);
            plant_all_reduce(job, r, entry, start + COMPUTE_US + latest + TRANSFER_US);
        }
    }
}

/* ---- outcomes ---- */

static inline void expect_nobody(const struct job *job)
{
    str sentence;
    struct arena scratch = {0};
    assert_int_equal(ranks_verdict(&job->ranks, &scratch, &sentence), RANK_NONE_LATE);
    arena_free(&scratch);
}

#endif
