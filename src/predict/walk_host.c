/* SPDX-License-Identifier: Apache-2.0 */
/* The host of one rank: it calls launches, and stops where it needs an end that is not known yet. */
#include "walk_private.h"

/* The end of what the host waits for; NaN where it is not known yet, 0 where there is nothing. */
static double awaited_us(const struct rank *rank, uint32_t wait_stream)
{
    double at = 0;
    for (uint32_t s = 0; s < rank->plan->streams; s++) {
        const struct stream *stream = &rank->streams[s];
        if (wait_stream != WAITS_FOR_ALL && wait_stream != s)
            continue;
        if (stream->head != PLAN_NONE)
            return NAN;
        at = later(at, stream->end_us);
    }
    return at;
}

/* False where the host has to stop. */
static bool wait_for(struct rank *rank, double *clock, uint32_t wait_stream)
{
    if (wait_stream == WAITS_FOR_NOTHING)
        return true;
    const double end = awaited_us(rank, wait_stream);
    if (!known(end))
        return false;
    const double free = *clock + rank->plan->device.wait_us, back = end + rank->plan->device.return_us;
    if (end > *clock && back > free)
        rank->waited_us += back - *clock;
    *clock = end > *clock ? later(back, free) : free;
    return true;
}

/* A stream holds so many launches; the next waits until the oldest has begun. */
static bool wait_for_room(struct rank *rank, double *clock, const struct stream *stream)
{
    if (!rank->queue_room || stream->called < rank->queue_room)
        return true;
    if (stream->done + rank->queue_room <= stream->called)
        return false;
    const double begun = stream->room[stream->called % rank->queue_room];
    if (begun > *clock) {
        rank->waited_us += begun - *clock;
        *clock = begun;
    }
    return true;
}

static void put_into_stream(struct rank *rank, struct stream *stream, uint32_t launch, double at)
{
    rank->called[launch] = at;
    rank->next[launch] = PLAN_NONE;
    if (stream->head == PLAN_NONE)
        stream->head = launch;
    else
        rank->next[stream->tail] = launch;
    stream->tail = launch;
    stream->called++;
}

/* Calls the launch at hand and waits where it blocks. False where the host has to stop. */
static bool run_launch(struct rank *rank, double *clock)
{
    const struct plan_launch *launch = &rank->plan->launches[rank->launch];
    struct stream *stream = &rank->streams[launch->stream];
    if (!rank->called_launch) {
        double at = *clock + launch->gap_us;
        if (!wait_for_room(rank, &at, stream))
            return false;
        put_into_stream(rank, stream, rank->launch, at);
        *clock = at + launch->call_us;
        rank->called_launch = true;
    }
    return wait_for(rank, clock, launch->wait_stream);
}

static bool skip_launch(const struct rank *rank)
{
    return rank->plan->launches[rank->launch].gone;
}

static void enter_op(struct rank *rank, const struct plan_op *op, double *clock)
{
    if (op->follows != PLAN_NONE)
        *clock = later(*clock, rank->op_end[op->follows]);
    *clock += plan_before_us(rank->plan, op);
    rank->op_start[rank->op] = *clock;
    rank->op_wait[rank->op] = -rank->waited_us; /* made whole at its end */
    rank->launch = op->first_launch;
    rank->called_launch = false;
    rank->entered = true;
}

/* Goes on with the operator at hand to its end. False where the host has to stop. */
static bool run_op(struct rank *rank, const struct plan_op *op, double *clock)
{
    if (!rank->entered)
        enter_op(rank, op, clock);
    if (rank->launch == op->first_launch && !rank->called_launch && !wait_for(rank, clock, op->wait_stream))
        return false;
    for (; rank->launch < op->first_launch + op->launches; rank->launch++, rank->called_launch = false)
        if (!skip_launch(rank) && !run_launch(rank, clock))
            return false;
    *clock += op->last_us;
    rank->op_end[rank->op] = *clock;
    rank->op_wait[rank->op] += rank->waited_us;
    return true;
}

/* What is gone ends when what it waited for does, and what the host does before it anyway. */
static void pass_op(struct rank *rank, const struct plan_op *op, double *clock)
{
    if (op->follows != PLAN_NONE)
        *clock = later(*clock, rank->op_end[op->follows]);
    *clock += plan_before_us(rank->plan, op);
    rank->op_start[rank->op] = rank->op_end[rank->op] = *clock;
    rank->op_wait[rank->op] = 0;
}

void walk_host(struct rank *rank)
{
    for (; rank->op < rank->plan->count; rank->op++, rank->entered = false) {
        const struct plan_op *op = &rank->plan->ops[rank->op];
        double *clock = &rank->threads[op->thread];
        if (op->gone)
            pass_op(rank, op, clock);
        else if (!run_op(rank, op, clock))
            return;
    }
}

bool walk_done(const struct rank *rank)
{
    if (rank->op < rank->plan->count)
        return false;
    for (uint32_t s = 0; s < rank->plan->streams; s++)
        if (rank->streams[s].head != PLAN_NONE)
            return false;
    return true;
}

double walk_host_end_us(const struct rank *rank)
{
    double end = 0;
    for (uint32_t i = 0; i < rank->plan->threads; i++)
        end = later(end, rank->threads[i]);
    return end + rank->plan->tail_us;
}
