/* SPDX-License-Identifier: Apache-2.0 */
/* What a walk comes to. */
#include <math.h>

#include "base/span.h"
#include "meetings.h"
#include "walk_private.h"

/* The step of a rank that is told of, and when it began. */
struct telling {
    const struct walk_net *rank;
    const struct schedule *schedule;
    int64_t begin; /* its ticks are from the begin of the first step */
};

static int64_t ns_of(int64_t ticks)
{
    return (int64_t)llround(walk_us(ticks) * 1e3);
}

/* ---- on the device ---- */

static void add_work(const struct telling *t, struct spans *own, struct spans *communication)
{
    const struct plan *plan = t->rank->plan;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const uint32_t node = t->rank->work_of[i];
        if (node != NODE_NONE)
            spans_add(t->rank->net.kind[node] == WALK_WORK + WORK_COMMUNICATION ? communication : own,
                      ns_of(t->schedule->start[node]), ns_of(t->schedule->end[node]));
    }
    spans_tidy(own);
    spans_tidy(communication);
}

static void sum_device(const struct telling *t, struct walked *walked)
{
    struct spans own = {0}, communication = {0}, both = {0};
    add_work(t, &own, &communication);
    spans_union(&own, &communication, &both);
    walked->active_us = (double)spans_length(&both) / 1e3;
    walked->communication_us = (double)spans_length(&communication) / 1e3;
    walked->exposed_communication_us = walked->active_us - (double)spans_length(&own) / 1e3;
    walked->idle_us = fmax(walked->step_us - walked->active_us, 0);
    spans_free(&own);
    spans_free(&communication);
    spans_free(&both);
}

/* How long a collective takes when all have come: what the rank took that recorded the least. */
static int64_t work_of(const struct walking *w, uint32_t rank, uint32_t launch)
{
    const uint32_t id = w->meetings ? meetings_of(w->meetings, rank, launch) : MEETS_NOBODY;
    const struct meeting *meeting = id == MEETS_NOBODY ? NULL : &w->job.meetings[id];
    int64_t least = w->ranks[rank].net.work[w->ranks[rank].work_of[launch]];
    for (uint32_t i = 0; meeting && i < meeting->count; i++) {
        const struct member *member = &w->job.members[meeting->first + i];
        const int64_t work = w->ranks[member->net].net.work[member->node];
        least = work < least ? work : least;
    }
    return least;
}

static void tell_launches(const struct walking *w, uint32_t rank, const struct telling *t, struct arena *arena,
                          struct walked *walked)
{
    const uint32_t count = t->rank->plan->launch_count;
    double *came = arena_array(arena, count, sizeof *came), *start = arena_array(arena, count, sizeof *start);
    double *end = arena_array(arena, count, sizeof *end);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = t->rank->work_of[i];
        came[i] = start[i] = end[i] = NAN;
        if (node == NODE_NONE)
            continue;
        came[i] = walk_us(t->schedule->start[node] - t->begin);
        end[i] = walk_us(t->schedule->end[node] - t->begin);
        start[i] = walk_us(t->schedule->end[node] - work_of(w, rank, i) - t->begin);
    }
    walked->launch_came_us = came;
    walked->launch_start_us = start;
    walked->launch_end_us = end;
}

/* ---- on the host ---- */

static void tell_ops(const struct telling *t, struct arena *arena, struct walked *walked)
{
    const struct plan *plan = t->rank->plan;
    const uint32_t count = plan->count;
    double *start = arena_array(arena, count, sizeof *start), *end = arena_array(arena, count, sizeof *end);
    for (uint32_t i = 0; i < count; i++) {
        start[i] = walk_us(t->schedule->start[t->rank->begin_of[i]] - t->begin) + plan_before_us(plan, &plan->ops[i]);
        end[i] = walk_us(t->schedule->end[t->rank->end_of[i]] - t->begin);
    }
    walked->op_start_us = start;
    walked->op_end_us = end;
}

static void tell_waits(const struct telling *t, struct arena *arena, struct walked *walked)
{
    double *waits = arena_array(arena, t->rank->plan->count, sizeof *waits);
    for (uint32_t i = 0; i < t->rank->wait_count; i++) {
        const struct walk_wait *wait = &t->rank->waits[i];
        const int64_t next = t->schedule->start[wait->next];
        if (next <= t->schedule->end[wait->node])
            continue;
        const int64_t from = wait->room ? t->schedule->end[wait->node] : t->schedule->start[wait->node];
        waits[wait->op] += walk_us(next - from);
        walked->wait_us += walk_us(next - from);
    }
    walked->op_wait_us = waits;
}

static void tell_meetings(const struct walking *w, uint32_t rank, struct walked *walked)
{
    if (!w->meetings)
        return;
    const struct match_doubt doubt = meetings_doubt(w->meetings);
    walked->unmet = meetings_missed(w->meetings, rank);
    walked->doubt = doubt.rank == rank ? doubt : (struct match_doubt){0};
}

void walk_sum(const struct walking *w, uint32_t rank, struct arena *arena, struct walked *walked)
{
    const struct walk_net *of = &w->ranks[rank];
    const struct telling t = {of, &w->schedules[rank], w->steps[rank].begin};
    *walked = (struct walked){
        .step_us = walk_us(w->steps[rank].ticks),
        .host_us = walk_us(t.schedule->end[of->tail] - t.begin),
        .contradicting = of->contradicting,
    };
    tell_launches(w, rank, &t, arena, walked);
    tell_ops(&t, arena, walked);
    tell_waits(&t, arena, walked);
    sum_device(&t, walked);
    tell_meetings(w, rank, walked);
}
