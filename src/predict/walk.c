/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host of each rank runs ahead as far as it can; what it puts into streams
 * waits there in the order of the calls. The head of a stream begins when all it
 * needs is known: the end of the work before it, of work of other streams, and
 * of a collective that all ranks have come to. The host stops only where it needs
 * an end that is not known yet. So nothing is computed twice, and where nothing
 * goes on the rest waits for itself in a circle.
 */
#include "walk_private.h"

enum {
    REPEATS_MOST = 8, /* steps until the time between them is steady */
    QUEUE_MOST = 4096,
};

static void run_rank(struct walking *walking, uint32_t r)
{
    struct rank *rank = &walking->ranks[r];
    do
        walk_host(rank);
    while (walk_streams(walking, r) && !walk_done(rank));
}

/* ---- opening ---- */

static void open_stream(struct stream *stream, uint32_t room, struct arena *arena)
{
    *stream = (struct stream){.head = PLAN_NONE, .tail = PLAN_NONE};
    stream->room = arena_array(arena, room, sizeof *stream->room);
}

static void open_rank(struct rank *rank, const struct plan *plan, struct walked *walked, struct arena *arena,
                      struct arena *scratch)
{
    *rank = (struct rank){.plan = plan, .walked = walked};
    rank->queue_room = plan->device.queue_room < QUEUE_MOST ? plan->device.queue_room : QUEUE_MOST;
    rank->launch_start = arena_array(arena, plan->launch_count, sizeof(double));
    rank->launch_end = arena_array(arena, plan->launch_count, sizeof(double));
    rank->op_start = arena_array(arena, plan->count, sizeof(double));
    rank->op_end = arena_array(arena, plan->count, sizeof(double));
    rank->op_wait = arena_array(arena, plan->count, sizeof(double));
    rank->came = arena_array(arena, plan->launch_count, sizeof(double));
    rank->called = arena_array(scratch, plan->launch_count, sizeof(double));
    rank->next = arena_array(scratch, plan->launch_count, sizeof *rank->next);
    rank->threads = arena_array(scratch, plan->threads, sizeof(double));
    rank->streams = arena_array(scratch, plan->streams, sizeof *rank->streams);
    for (uint32_t s = 0; s < plan->streams; s++)
        open_stream(&rank->streams[s], rank->queue_room, scratch);
}

static void begin_step(struct rank *rank, double begin_us)
{
    const struct plan *plan = rank->plan;
    for (uint32_t i = 0; i < plan->launch_count; i++)
        rank->called[i] = rank->came[i] = rank->launch_start[i] = rank->launch_end[i] = NAN;
    for (uint32_t i = 0; i < plan->threads; i++)
        rank->threads[i] = begin_us;
    rank->op = 0;
    rank->entered = rank->called_launch = false;
    rank->waited_us = 0;
}

static double all_end_us(const struct rank *rank)
{
    double end = walk_host_end_us(rank);
    for (uint32_t s = 0; s < rank->plan->streams; s++)
        end = later(end, rank->streams[s].end_us);
    return end;
}

static void run_ready(struct walking *walking)
{
    for (uint32_t r = 0; r < walking->count; r++)
        walk_wake(walking, r);
    while (walking->ready_count) {
        const uint32_t r = walking->ready[--walking->ready_count];
        walking->ranks[r].queued = false;
        run_rank(walking, r);
    }
}

/* ---- steps ---- */

/* Begin and end of a rank's step, and how long the one before it took from end to end. */
struct pass {
    double begin_us, end_us, step_us;
};

static bool walk_step(struct walking *walking, struct pass *passes, struct steptime_error *err)
{
    if (walking->meetings)
        meetings_clear(walking->meetings);
    for (uint32_t r = 0; r < walking->count; r++)
        begin_step(&walking->ranks[r], passes[r].begin_us);
    run_ready(walking);
    return walk_no_circle(walking, err);
}

/* Takes the ends of a step. True where every rank took as long as in the step before. */
static bool steady(struct walking *walking, struct pass *passes)
{
    bool same = true;
    for (uint32_t r = 0; r < walking->count; r++) {
        const double end = all_end_us(&walking->ranks[r]), step = end - passes[r].end_us;
        same &= fabs(step - passes[r].step_us) <= 1e-6 * step;
        passes[r].end_us = end;
        passes[r].step_us = step;
    }
    return same;
}

static bool walk_steps(struct walking *walking, struct pass *passes, struct steptime_error *err)
{
    for (int i = 0; i < REPEATS_MOST; i++) {
        if (!walk_step(walking, passes, err))
            return false;
        if (steady(walking, passes) || i + 1 == REPEATS_MOST || !walking->ranks[0].plan->repeats)
            break;
        for (uint32_t r = 0; r < walking->count; r++)
            passes[r].begin_us = walk_host_end_us(&walking->ranks[r]);
    }
    for (uint32_t r = 0; r < walking->count; r++)
        walk_sum(&walking->ranks[r], passes[r].begin_us, passes[r].step_us);
    return true;
}

bool walk_ranks(const struct plan *const *plans, uint32_t ranks, struct arena *arena, struct walked *walked,
                struct steptime_error *err)
{
    struct arena scratch = {0};
    struct walking walking = {.ranks = arena_array(&scratch, ranks, sizeof *walking.ranks), .count = ranks};
    walking.ready = arena_array(&scratch, ranks, sizeof *walking.ready);
    struct pass *passes = arena_array(&scratch, ranks, sizeof *passes);
    bool good = ranks < 2 || meetings_open(plans, ranks, &scratch, &walking.meetings, err);
    for (uint32_t r = 0; r < ranks && good; r++)
        open_rank(&walking.ranks[r], plans[r], &walked[r], arena, &scratch);
    good = good && walk_steps(&walking, passes, err);
    arena_free(&scratch);
    return good;
}

bool walk(const struct plan *plan, struct arena *arena, struct walked *walked, struct steptime_error *err)
{
    return walk_ranks(&plan, 1, arena, walked, err);
}
