/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each net runs until it comes to a meeting, and goes on when all have come. So
 * nothing is computed twice, and where nothing goes on nets wait for each other in
 * a circle.
 */
#include "job.h"

#include "base/sort.h"
#include "run_private.h"

/* Of one net: its meetings by node, and where it is. */
struct seat {
    struct run run;
    const struct keyed *stops; /* node, meeting */
    uint32_t stop_count, stop;
    bool waits, queued;
};

struct gathering {
    uint32_t expected, come;
    int64_t latest, work;
};

struct sitting {
    const struct job *job;
    struct seat *seats;
    struct gathering *gatherings;
    uint32_t *ready, ready_count;
};

/* ---- opening ---- */

static void count_stops(struct sitting *s)
{
    for (uint32_t i = 0; i < s->job->meeting_count; i++) {
        const struct meeting *meeting = &s->job->meetings[i];
        s->gatherings[i] = (struct gathering){meeting->count, 0, INT64_MIN, INT64_MAX};
        for (uint32_t m = 0; m < meeting->count; m++)
            s->seats[s->job->members[meeting->first + m].net].stop_count++;
    }
}

static void deal_stops(struct sitting *s, struct arena *scratch)
{
    struct keyed **stops = arena_array(scratch, s->job->count, sizeof *stops);
    for (uint32_t i = 0; i < s->job->count; i++) {
        stops[i] = arena_array(scratch, s->seats[i].stop_count, sizeof **stops);
        s->seats[i].stops = stops[i];
        s->seats[i].stop_count = 0;
    }
    for (uint32_t i = 0; i < s->job->meeting_count; i++)
        for (uint32_t m = 0; m < s->job->meetings[i].count; m++) {
            const struct member *member = &s->job->members[s->job->meetings[i].first + m];
            stops[member->net][s->seats[member->net].stop_count++] = (struct keyed){member->node, i};
        }
    for (uint32_t i = 0; i < s->job->count; i++)
        sort_keyed(stops[i], s->seats[i].stop_count);
}

static void wake(struct sitting *s, uint32_t net)
{
    if (s->seats[net].queued)
        return;
    s->seats[net].queued = true;
    s->ready[s->ready_count++] = net;
}

static void open_all(struct sitting *s, uint32_t passes, struct schedule *schedules, struct arena *arena,
                     struct arena *scratch)
{
    const struct job *job = s->job;
    s->seats = arena_array(scratch, job->count, sizeof *s->seats);
    s->gatherings = arena_array(scratch, job->meeting_count, sizeof *s->gatherings);
    s->ready = arena_array(scratch, job->count, sizeof *s->ready);
    count_stops(s);
    deal_stops(s, scratch);
    for (uint32_t i = 0; i < job->count; i++) {
        struct run *run = &s->seats[i].run;
        *run = run_open(&job->nets[i], job->changes ? &job->changes[i] : NULL, arena);
        run->passes = passes;
        run->stride = job->count;
        run->earlier = passes ? &schedules[(size_t)(passes - 1) * job->count + i] : NULL;
        wake(s, i);
    }
}

/* ---- meeting ---- */

/* When a member would have ended by its own clock, had the meeting taken no time: the zero of its times there. */
static int64_t zero_of(const struct net *net, uint32_t node)
{
    return net->start ? net_end(net, node) : 0;
}

static void release(struct sitting *s, uint32_t id)
{
    const struct gathering *gathering = &s->gatherings[id];
    const struct meeting *meeting = &s->job->meetings[id];
    const int64_t end = time_sum(gathering->latest, gathering->work);
    for (uint32_t m = 0; m < meeting->count; m++) {
        const struct member *member = &s->job->members[meeting->first + m];
        struct seat *seat = &s->seats[member->net];
        if (!seat->waits || seat->run.node != member->node)
            continue; /* did not come */
        run_end(&seat->run, time_sum(zero_of(seat->run.net, member->node), end));
        seat->waits = false;
        wake(s, member->net);
    }
}

/* The net at hand has come, or does not. */
static void come(struct sitting *s, struct seat *seat, uint32_t id, bool comes)
{
    struct gathering *gathering = &s->gatherings[id];
    if (comes) {
        const struct run *run = &seat->run;
        const int64_t at = time_sum(run->start[run->node], -zero_of(run->net, run->node));
        const int64_t work = change_work(run->change, run->net, run->node);
        gathering->latest = at > gathering->latest ? at : gathering->latest;
        gathering->work = work < gathering->work ? work : gathering->work;
        gathering->come++;
        seat->waits = true;
    } else {
        gathering->expected--;
    }
    if (gathering->come == gathering->expected)
        release(s, id);
}

static void run_seat(struct sitting *s, struct seat *seat)
{
    while (!seat->waits && seat->stop < seat->stop_count) {
        const struct keyed stop = seat->stops[seat->stop++];
        come(s, seat, stop.row, run_until(&seat->run, (uint32_t)stop.key));
    }
    if (!seat->waits)
        run_until(&seat->run, seat->run.net->count);
}

bool job_run(const struct job *job, uint32_t passes, struct arena *arena, struct schedule *schedules, uint32_t *stuck)
{
    struct arena scratch = {0};
    struct sitting s = {.job = job};
    bool good = true;
    open_all(&s, passes, schedules, arena, &scratch);
    while (s.ready_count) {
        struct seat *seat = &s.seats[s.ready[--s.ready_count]];
        seat->queued = false;
        run_seat(&s, seat);
    }
    for (uint32_t i = 0; i < job->count; i++) {
        const struct seat *seat = &s.seats[i];
        good = good && !seat->waits;
        if (stuck)
            stuck[i] = seat->waits ? seat->run.node : (uint32_t)NODE_NONE;
        schedules[(size_t)passes * job->count + i] = run_close(&seat->run);
    }
    arena_free(&scratch);
    return good;
}
