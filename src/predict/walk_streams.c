/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a stream begins when all it needs is known. */
#include "walk_private.h"

static double gap_us(const struct rank *rank, const struct plan_launch *launch)
{
    return rank->plan->device.gap_us[launch->work < WORK_CLASSES ? launch->work : 0];
}

static double start_us(const struct rank *rank, const struct plan_launch *launch)
{
    return rank->plan->device.start_us[launch->work < WORK_CLASSES ? launch->work : 0];
}

/* When the head of the stream can begin as far as this rank is concerned; NaN where that is not known yet. */
static double ready_us(const struct rank *rank, const struct stream *stream, uint32_t launch)
{
    const struct plan_launch *work = &rank->plan->launches[launch];
    double at = rank->called[launch] + start_us(rank, work);
    if (stream->done || stream->end_us > 0)
        at = later(at, stream->end_us + gap_us(rank, work));
    for (uint32_t i = 0; i < work->waits && known(at); i++) {
        const uint32_t other = rank->plan->waits[work->first_wait + i];
        if (!rank->plan->launches[other].gone && !rank->plan->ops[rank->plan->launches[other].op].gone)
            at = known(rank->launch_end[other]) ? later(at, rank->launch_end[other] + gap_us(rank, work)) : NAN;
    }
    return at;
}

/* When the launch comes to its device, when it begins, and how long it works. */
struct turn {
    double came, at, us;
};

static void begin_work(struct rank *rank, struct stream *stream, uint32_t launch, struct turn turn)
{
    rank->came[launch] = turn.came;
    rank->launch_start[launch] = turn.at;
    rank->launch_end[launch] = turn.at + turn.us;
    if (rank->queue_room)
        stream->room[stream->done % rank->queue_room] = turn.came;
    stream->end_us = rank->launch_end[launch];
    stream->done++;
    stream->head = rank->next[launch];
}

void walk_wake(struct walking *walking, uint32_t rank)
{
    if (walking->ranks[rank].queued)
        return;
    walking->ranks[rank].queued = true;
    walking->ready[walking->ready_count++] = rank;
}

/* A collective begins when all ranks have come; NaN before. The last to come wakes the others. */
static struct turn meet(struct walking *walking, uint32_t rank, uint32_t launch, struct turn turn)
{
    if (!walking->meetings)
        return turn;
    const struct meeting_arrival arrival = meetings_arrive(walking->meetings, rank, launch, turn.at);
    for (uint32_t i = 0; arrival.last && i < walking->count; i++)
        if (i != rank)
            walk_wake(walking, i);
    return (struct turn){turn.came, arrival.begin_us, known(arrival.us) ? arrival.us : turn.us};
}

/* Begins what can begin. True where anything did. */
static bool run_stream(struct walking *walking, uint32_t r, struct stream *stream)
{
    struct rank *rank = &walking->ranks[r];
    bool any = false;
    while (stream->head != PLAN_NONE) {
        const uint32_t launch = stream->head;
        const double ready = ready_us(rank, stream, launch);
        struct turn turn = {ready, ready, rank->plan->launches[launch].us};
        if (known(turn.at) && rank->plan->launches[launch].collective != UINT32_MAX)
            turn = meet(walking, r, launch, turn);
        if (!known(turn.at))
            break;
        begin_work(rank, stream, launch, turn);
        any = true;
    }
    return any;
}

bool walk_streams(struct walking *walking, uint32_t r)
{
    bool any = false;
    for (uint32_t s = 0; s < walking->ranks[r].plan->streams; s++)
        any |= run_stream(walking, r, &walking->ranks[r].streams[s]);
    return any;
}
