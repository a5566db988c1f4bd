/* SPDX-License-Identifier: Apache-2.0 */
#include "straggler_work.h"

#include <math.h>

static const struct operation *operation_at(const struct operations *operations, const struct straggler_plan *plan,
                                            size_t cell)
{
    return plan->row[cell] == PLAN_NONE ? NULL : &operations->at[plan->row[cell]];
}

/* ---- when all had come ---- */

static void later(double *at_s, double start_s)
{
    *at_s = fmax(*at_s, start_s); /* passes over NaN */
}

/* All lanes of a step have the last of theirs. */
static void last_among_replicas(const struct straggler_plan *plan, double *last_s)
{
    for (uint32_t first = 0; first < plan->lanes; first += plan->replicas) {
        for (uint32_t i = 1; i < plan->replicas; i++)
            later(&last_s[first], last_s[first + i]);
        for (uint32_t i = 1; i < plan->replicas; i++)
            last_s[first + i] = last_s[first];
    }
}

/* By lane: when the last member of the meeting had started; NaN where none is there. */
static void last_starts(const struct operations *operations, const struct straggler_plan *plan,
                        const struct plan_meeting *meeting, double *last_s)
{
    for (uint32_t lane = 0; lane < plan->lanes; lane++)
        last_s[lane] = NAN;
    for (uint32_t i = 0; i < meeting->count; i++)
        for (uint32_t lane = 0; lane < plan->lanes; lane++) {
            const size_t cell = (size_t)plan->members[meeting->from + i] * plan->lanes + lane;
            const struct operation *operation = operation_at(operations, plan, cell);
            if (operation)
                later(&last_s[lane], operation->start_s);
        }
    if (meeting->among_replicas)
        last_among_replicas(plan, last_s);
}

/* ---- works ---- */

/* Clocks of ranks differ by less: whoever ended so long before the others came did not wait for them. */
#define CLOCKS_DIFFER_S 1e-2

static double work_of(const struct operation *operation, double last_s)
{
    const double work_s = operation->start_s + operation->duration_s - last_s;
    return work_s <= -CLOCKS_DIFFER_S ? 0 : work_s;
}

const double *recorded_works(const struct operations *operations, const struct straggler_plan *plan,
                             struct arena *arena)
{
    struct arena scratch = {0};
    double *work_s = arena_array(arena, plan_cells(plan), sizeof *work_s);
    double *last_s = arena_array(&scratch, plan->lanes, sizeof *last_s);
    for (uint32_t i = 0; i < plan->meeting_count; i++) {
        const struct plan_meeting *meeting = &plan->meetings[i];
        last_starts(operations, plan, meeting, last_s);
        for (uint32_t j = 0; j < meeting->count; j++)
            for (uint32_t lane = 0; lane < plan->lanes; lane++) {
                const size_t cell = (size_t)plan->members[meeting->from + j] * plan->lanes + lane;
                const struct operation *operation = operation_at(operations, plan, cell);
                work_s[cell] = operation ? work_of(operation, last_s[lane]) : 0;
            }
    }
    arena_free(&scratch);
    return work_s;
}

const int64_t *works_as_ticks(const struct straggler_plan *plan, const double *work_s, struct arena *arena)
{
    int64_t *ticks = arena_array(arena, plan_cells(plan), sizeof *ticks);
    for (size_t i = 0; i < plan_cells(plan); i++)
        ticks[i] = time_rounded(work_s[i] * STRAGGLER_TICKS_A_SECOND);
    return ticks;
}
