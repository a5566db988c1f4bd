/* SPDX-License-Identifier: Apache-2.0 */
#include "straggler_walk.h"

#include <math.h>

struct walk_room walk_room(const struct straggler_plan *plan, struct arena *arena)
{
    return (struct walk_room){arena_array(arena, plan_cells(plan), sizeof(double)),
                              arena_array(arena, plan_cells(plan), sizeof(double))};
}

/* ---- meeting: the last start among members, and among replicas ---- */

/* To the first member's cells, where all lanes of a step then have the last. */
static void last_among_replicas(const struct straggler_plan *plan, double *start_s)
{
    for (uint32_t lane = 0; lane < plan->lanes; lane += plan->replicas) {
        double last_s = start_s[lane];
        for (uint32_t i = 1; i < plan->replicas; i++)
            last_s = fmax(last_s, start_s[lane + i]);
        for (uint32_t i = 0; i < plan->replicas; i++)
            start_s[lane + i] = last_s;
    }
}

/* When the meeting begins, by lane; the cells of its first member are used for it. */
static const double *begin(const struct straggler_plan *plan, const struct plan_meeting *meeting, double *start_s)
{
    double *first = start_s + (size_t)plan->members[meeting->from] * plan->lanes;
    for (uint32_t i = 1; i < meeting->count; i++) {
        const double *other = start_s + (size_t)plan->members[meeting->from + i] * plan->lanes;
        for (uint32_t lane = 0; lane < plan->lanes; lane++)
            first[lane] = fmax(first[lane], other[lane]);
    }
    if (meeting->among_replicas)
        last_among_replicas(plan, first);
    return first;
}

/* ---- the walk ---- */

static void start_node(const struct straggler_plan *plan, uint32_t node, const double *delay_s, struct walk_room room)
{
    const size_t at = (size_t)node * plan->lanes;
    double *start_s = room.start_s + at;
    memset(start_s, 0, plan->lanes * sizeof *start_s);
    for (uint32_t i = plan->before_from[node]; i < plan->before_from[node + 1]; i++) {
        const double *end_s = room.end_s + (size_t)plan->before[i] * plan->lanes;
        for (uint32_t lane = 0; lane < plan->lanes; lane++)
            start_s[lane] = fmax(start_s[lane], end_s[lane]);
    }
    for (uint32_t lane = 0; delay_s && lane < plan->lanes; lane++)
        start_s[lane] += delay_s[at + lane];
}

static void hold(const struct straggler_plan *plan, const struct plan_meeting *meeting, const double *work_s,
                 struct walk_room room)
{
    const double *begin_s = begin(plan, meeting, room.start_s);
    for (uint32_t i = 0; i < meeting->count; i++) {
        const size_t at = (size_t)plan->members[meeting->from + i] * plan->lanes;
        for (uint32_t lane = 0; lane < plan->lanes; lane++)
            room.end_s[at + lane] = begin_s[lane] + work_s[at + lane];
    }
}

/* The last end of each step. */
static void last_ends(const struct straggler_plan *plan, const double *end_s, double *step_s)
{
    const uint32_t steps = plan->lanes / plan->replicas;
    memset(step_s, 0, steps * sizeof *step_s);
    for (uint32_t node = 0; node < plan->node_count; node++)
        for (uint32_t step = 0; step < steps; step++)
            for (uint32_t i = 0; i < plan->replicas; i++)
                step_s[step] = fmax(step_s[step], end_s[(size_t)node * plan->lanes + step * plan->replicas + i]);
}

void plan_walk(const struct straggler_plan *plan, const double *work_s, const double *delay_s, struct walk_room room,
               double *step_s)
{
    for (uint32_t i = 0; i < plan->meeting_count; i++) {
        const struct plan_meeting *meeting = &plan->meetings[i];
        for (uint32_t j = 0; j < meeting->count; j++)
            start_node(plan, plan->members[meeting->from + j], delay_s, room);
        hold(plan, meeting, work_s, room);
    }
    last_ends(plan, room.end_s, step_s);
}

/* ---- what was recorded ---- */

/* More than this before what it waits for, an operation did not wait at all: clocks of ranks differ by less. */
#define CLOCKS_DIFFER_S 1e-2

/* A negative time within what clocks differ by stays as it is: it makes up for others that are too long. */
static double unless_absurd(double s)
{
    return s <= -CLOCKS_DIFFER_S ? 0 : s;
}

/* The start and end of every cell; of an operation that a lane lacks, the moment when all before it have ended. */
static void recorded_times(const struct operations *operations, const struct straggler_plan *plan,
                           struct walk_room room)
{
    for (size_t i = 0; i < plan_cells(plan); i++) {
        const struct operation *operation = plan->row[i] == PLAN_NONE ? NULL : &operations->at[plan->row[i]];
        room.start_s[i] = operation ? operation->start_s : NAN;
        room.end_s[i] = operation ? operation->start_s + operation->duration_s : NAN;
    }
}

/* The last end before a node in a lane, from `begin_s` on. Ends that are not there (NaN) are passed over by fmax. */
static double ready_s(const struct straggler_plan *plan, uint32_t node, uint32_t lane, const double *end_s,
                      double begin_s)
{
    double last_s = NAN;
    for (uint32_t i = plan->before_from[node]; i < plan->before_from[node + 1]; i++)
        last_s = fmax(last_s, end_s[(size_t)plan->before[i] * plan->lanes + lane]);
    return isnan(last_s) ? begin_s : last_s;
}

/* The first start of each step. */
static double *first_starts(const struct straggler_plan *plan, const double *start_s, struct arena *scratch)
{
    double *first_s = arena_array(scratch, plan->lanes / plan->replicas, sizeof *first_s);
    for (uint32_t i = 0; i < plan->lanes / plan->replicas; i++)
        first_s[i] = NAN;
    for (size_t i = 0; i < plan_cells(plan); i++) {
        const uint32_t step = (uint32_t)(i % plan->lanes) / plan->replicas;
        first_s[step] = fmin(first_s[step], start_s[i]);
    }
    return first_s;
}

static void take_delays(const struct straggler_plan *plan, struct walk_room room, double *delay_s)
{
    struct arena scratch = {0};
    const double *first_s = first_starts(plan, room.start_s, &scratch);
    for (uint32_t node = 0; node < plan->node_count; node++)
        for (uint32_t lane = 0; lane < plan->lanes; lane++) {
            const size_t at = (size_t)node * plan->lanes + lane;
            const double start_s = room.start_s[at];
            const double since_s = start_s - ready_s(plan, node, lane, room.end_s, first_s[lane / plan->replicas]);
            delay_s[at] = isnan(start_s) ? 0 : unless_absurd(since_s);
        }
    arena_free(&scratch);
}

static void take_works(const struct straggler_plan *plan, struct walk_room room, double *work_s)
{
    for (uint32_t i = 0; i < plan->meeting_count; i++) {
        const struct plan_meeting *meeting = &plan->meetings[i];
        const double *begin_s = begin(plan, meeting, room.start_s);
        for (uint32_t j = 0; j < meeting->count; j++) {
            const size_t at = (size_t)plan->members[meeting->from + j] * plan->lanes;
            for (uint32_t lane = 0; lane < plan->lanes; lane++)
                work_s[at + lane] =
                    isnan(room.end_s[at + lane]) ? 0 : unless_absurd(room.end_s[at + lane] - begin_s[lane]);
        }
    }
}

struct recorded_work recorded_work(const struct operations *operations, const struct straggler_plan *plan,
                                   struct arena *arena)
{
    struct arena scratch = {0};
    const struct walk_room room = walk_room(plan, &scratch);
    double *work_s = arena_array(arena, plan_cells(plan), sizeof *work_s);
    double *delay_s = arena_array(arena, plan_cells(plan), sizeof *delay_s);
    recorded_times(operations, plan, room);
    take_delays(plan, room, delay_s);
    take_works(plan, room, work_s);
    arena_free(&scratch);
    return (struct recorded_work){work_s, delay_s};
}
