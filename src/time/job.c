/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each net runs until it comes to a meeting, and goes on when all have come. So
 * nothing is computed twice. Where that ends with nets that wait for each other,
 * they may have come to their meetings on several lanes in different orders: then
 * all is run once more, each node as soon as what it waits for has been (job_any_order).
 */
#include "job_private.h"

#include "base/sort.h"

/* Of one net: its meetings by node, and where it is. */
struct seat {
    const struct keyed *stops; /* node, meeting */
    uint32_t stop_count, stop;
    bool waits, queued;
};

struct sitting {
    struct gatherings all;
    struct seat *seats;
    uint32_t *ready, ready_count;
};

/* ---- opening ---- */

static struct gatherings gatherings_open(const struct job *job, uint32_t pass, const struct schedule *schedules,
                                         struct arena *arena, struct arena *scratch)
{
    struct gatherings all = {.job = job,
                             .runs = arena_array(scratch, job->count, sizeof *all.runs),
                             .at = arena_array(scratch, job->meeting_count, sizeof *all.at)};
    for (uint32_t i = 0; i < job->meeting_count; i++)
        all.at[i] = (struct gathering){job->meetings[i].count, 0, INT64_MIN, INT64_MAX};
    for (uint32_t i = 0; i < job->count; i++) {
        const struct schedule earlier = pass ? schedules[i] : (struct schedule){0};
        all.runs[i] = run_open(&job->nets[i], job->changes ? &job->changes[i] : NULL, earlier, arena);
        all.runs[i].pass = pass;
        all.runs[i].let_go = job->let_go ? job->let_go[i] : NULL;
    }
    return all;
}

static void deal_stops(struct sitting *s, struct arena *scratch)
{
    const struct job *job = s->all.job;
    struct keyed **stops = arena_array(scratch, job->count, sizeof *stops);
    for (uint32_t i = 0; i < job->meeting_count; i++)
        for (uint32_t m = 0; m < job->meetings[i].count; m++)
            s->seats[job->members[job->meetings[i].first + m].net].stop_count++;
    for (uint32_t i = 0; i < job->count; i++) {
        stops[i] = arena_array(scratch, s->seats[i].stop_count, sizeof **stops);
        s->seats[i].stops = stops[i];
        s->seats[i].stop_count = 0;
    }
    for (uint32_t i = 0; i < job->meeting_count; i++)
        for (uint32_t m = 0; m < job->meetings[i].count; m++) {
            const struct member *member = &job->members[job->meetings[i].first + m];
            stops[member->net][s->seats[member->net].stop_count++] = (struct keyed){member->node, i};
        }
    for (uint32_t i = 0; i < job->count; i++)
        sort_keyed(stops[i], s->seats[i].stop_count);
}

static void wake(struct sitting *s, uint32_t net)
{
    if (s->seats[net].queued)
        return;
    s->seats[net].queued = true;
    s->ready[s->ready_count++] = net;
}

/* ---- meeting ---- */

/* When a member would end by its own clock, if the meeting began at 0 and took no time. */
static int64_t meeting_zero(const struct net *net, uint32_t node)
{
    return net->start ? net_end(net, node) : 0;
}

bool gathering_comes(struct gatherings *all, uint32_t id, const struct run *run)
{
    struct gathering *gathering = &all->at[id];
    const int64_t at = time_sum(run->start[run->node], -meeting_zero(run->net, run->node));
    const int64_t work = change_work(run->change, run->net, run->node);
    gathering->latest = at > gathering->latest ? at : gathering->latest;
    gathering->work = work < gathering->work ? work : gathering->work;
    return ++gathering->come == gathering->expected;
}

bool gathering_stays_away(struct gatherings *all, uint32_t id)
{
    struct gathering *gathering = &all->at[id];
    return --gathering->expected == gathering->come;
}

int64_t gathering_end(const struct gatherings *all, uint32_t id, const struct member *member)
{
    const struct gathering *gathering = &all->at[id];
    return time_sum(meeting_zero(&all->job->nets[member->net], member->node),
                    time_sum(gathering->latest, gathering->work));
}

static void release(struct sitting *s, uint32_t id)
{
    const struct meeting *meeting = &s->all.job->meetings[id];
    for (uint32_t m = 0; m < meeting->count; m++) {
        const struct member *member = &s->all.job->members[meeting->first + m];
        struct seat *seat = &s->seats[member->net];
        struct run *run = &s->all.runs[member->net];
        if (!seat->waits || run->node != member->node)
            continue; /* did not come */
        run_end(run, gathering_end(&s->all, id, member));
        seat->waits = false;
        wake(s, member->net);
    }
}

static void run_seat(struct sitting *s, uint32_t net)
{
    struct seat *seat = &s->seats[net];
    struct run *run = &s->all.runs[net];
    seat->queued = false;
    while (!seat->waits && seat->stop < seat->stop_count) {
        const struct keyed stop = seat->stops[seat->stop++];
        seat->waits = run_until(run, (uint32_t)stop.key);
        if (seat->waits ? gathering_comes(&s->all, stop.row, run) : gathering_stays_away(&s->all, stop.row))
            release(s, stop.row);
    }
    if (!seat->waits)
        run_until(run, run->net->count);
}

/* False where a net waits at the end. */
static bool run_in_order(struct sitting *s, struct arena *scratch)
{
    const uint32_t count = s->all.job->count;
    s->seats = arena_array(scratch, count, sizeof *s->seats);
    s->ready = arena_array(scratch, count, sizeof *s->ready);
    deal_stops(s, scratch);
    for (uint32_t i = 0; i < count; i++)
        wake(s, i);
    while (s->ready_count)
        run_seat(s, s->ready[--s->ready_count]);
    for (uint32_t i = 0; i < count; i++)
        if (s->seats[i].waits)
            return false;
    return true;
}

int64_t *const *job_room(const struct job *job, uint32_t passes, struct arena *arena)
{
    int64_t **let_go = arena_array(arena, job->count, sizeof *let_go);
    for (uint32_t i = 0; i < job->count; i++)
        let_go[i] = arena_room(arena, (size_t)passes * job->nets[i].carry_count, sizeof **let_go);
    return let_go;
}

bool job_run(const struct job *job, uint32_t pass, struct arena *arena, struct schedule *schedules, uint32_t *stuck)
{
    struct arena scratch = {0};
    struct sitting s = {.all = gatherings_open(job, pass, schedules, arena, &scratch)};
    bool good = run_in_order(&s, &scratch);
    if (!good) {
        s.all = gatherings_open(job, pass, schedules, arena, &scratch);
        good = job_any_order(&s.all, stuck);
    } else
        for (uint32_t i = 0; stuck && i < job->count; i++)
            stuck[i] = NODE_NONE;
    for (uint32_t i = 0; good && i < job->count; i++)
        schedules[i] = run_close(&s.all.runs[i]);
    arena_free(&scratch);
    return good;
}
