/* SPDX-License-Identifier: Apache-2.0 */
#include "clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "base/stat.h"
#include "clocks_bounds.h"
#include "clocks_drift.h"

enum { MOST_SWEEPS = 8, SETTLED_NS = 1000, NOBODY = UINT32_MAX };

struct solver {
    const struct clock_reading *readings; /* by event */
    size_t count;
    uint32_t clocks, events;
    size_t *event_first; /* where the readings of an event begin; one past the end at last */
    size_t *clock_first; /* the same in by_clock */
    size_t *by_clock;    /* indices of readings */
    int64_t *offset_ns;  /* by clock */
    int64_t *event_ns;   /* by event: its time by the offsets so far */
    uint32_t *reference; /* by clock: the first clock of its island; NOBODY: not reached yet */
    int64_t *scratch;    /* room for one number a reading */
};

/* ---- indices ---- */

static void index_events(struct solver *s, struct arena *arena)
{
    s->events = s->count ? s->readings[s->count - 1].event + 1 : 0;
    s->event_first = arena_array(arena, (size_t)s->events + 1, sizeof *s->event_first);
    for (size_t i = 0; i < s->count; i++)
        s->event_first[s->readings[i].event + 1] = i + 1;
}

static void index_clocks(struct solver *s, struct arena *arena)
{
    s->clock_first = arena_array(arena, (size_t)s->clocks + 1, sizeof *s->clock_first);
    for (size_t i = 0; i < s->count; i++)
        s->clock_first[s->readings[i].clock + 1]++;
    for (uint32_t c = 0; c < s->clocks; c++)
        s->clock_first[c + 1] += s->clock_first[c];
    size_t *at = arena_array(arena, s->clocks, sizeof *at);
    memcpy(at, s->clock_first, s->clocks * sizeof *at);
    s->by_clock = arena_array(arena, s->count, sizeof *s->by_clock);
    for (size_t i = 0; i < s->count; i++)
        s->by_clock[at[s->readings[i].clock]++] = i;
}

/* ---- medians ---- */

/* Of at least one value; of an even number the middle of the two. Sorts. */
static int64_t median(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending_ints);
    const int64_t low = values[(count - 1) / 2], high = values[count / 2];
    return low + (high - low) / 2;
}

static int64_t event_median(struct solver *s, uint32_t event)
{
    size_t n = 0;
    for (size_t i = s->event_first[event]; i < s->event_first[event + 1]; i++)
        s->scratch[n++] = s->readings[i].time_ns - s->offset_ns[s->readings[i].clock];
    return n ? median(s->scratch, n) : 0;
}

/* How far the clock's readings are off their events, in the middle. */
static int64_t clock_median(struct solver *s, uint32_t clock, int64_t otherwise)
{
    size_t n = 0;
    for (size_t i = s->clock_first[clock]; i < s->clock_first[clock + 1]; i++) {
        const struct clock_reading *r = &s->readings[s->by_clock[i]];
        s->scratch[n++] = r->time_ns - s->event_ns[r->event];
    }
    return n ? median(s->scratch, n) : otherwise;
}

/* How far they scatter around the clock's offset: the median of the absolute deviations. */
static int64_t clock_scatter(struct solver *s, uint32_t clock)
{
    size_t n = 0;
    for (size_t i = s->clock_first[clock]; i < s->clock_first[clock + 1]; i++) {
        const struct clock_reading *r = &s->readings[s->by_clock[i]];
        s->scratch[n++] = llabs(r->time_ns - s->event_ns[r->event] - s->offset_ns[clock]);
    }
    return n ? median(s->scratch, n) : 0;
}

/* ---- offsets ---- */

struct queue {
    uint32_t *at, head, tail; /* each clock enters once */
};

/* All clocks that saw the event get their offset from the one that is known. */
static void carry(struct solver *s, const struct clock_reading *known, struct queue *queue)
{
    const int64_t time = known->time_ns - s->offset_ns[known->clock];
    for (size_t i = s->event_first[known->event]; i < s->event_first[known->event + 1]; i++) {
        const struct clock_reading *r = &s->readings[i];
        if (s->reference[r->clock] != NOBODY)
            continue;
        s->reference[r->clock] = s->reference[known->clock];
        s->offset_ns[r->clock] = r->time_ns - time;
        queue->at[queue->tail++] = r->clock;
    }
}

static void carry_from(struct solver *s, uint32_t clock, bool *carried, struct queue *queue)
{
    for (size_t i = s->clock_first[clock]; i < s->clock_first[clock + 1]; i++) {
        const struct clock_reading *r = &s->readings[s->by_clock[i]];
        if (!carried[r->event])
            carry(s, r, queue);
        carried[r->event] = true;
    }
}

/* Returns the number of islands. */
static uint32_t carry_all(struct solver *s, struct arena *arena)
{
    struct queue queue = {.at = arena_array(arena, s->clocks, sizeof *queue.at)};
    bool *carried = arena_array(arena, s->events, sizeof *carried);
    uint32_t islands = 0;
    for (uint32_t first = 0; first < s->clocks; first++) {
        if (s->reference[first] != NOBODY)
            continue;
        islands++;
        s->reference[first] = first;
        queue.at[queue.tail++] = first;
        while (queue.head < queue.tail)
            carry_from(s, queue.at[queue.head++], carried, &queue);
    }
    return islands;
}

static void time_events(struct solver *s)
{
    for (uint32_t event = 0; event < s->events; event++)
        s->event_ns[event] = event_median(s, event);
}

/* Returns how far the offset that moved most did. */
static int64_t refine_once(struct solver *s)
{
    int64_t most = 0;
    time_events(s);
    for (uint32_t clock = 0; clock < s->clocks; clock++) {
        const int64_t now = clock_median(s, clock, s->offset_ns[clock]), moved = llabs(now - s->offset_ns[clock]);
        s->offset_ns[clock] = now;
        most = moved > most ? moved : most;
    }
    return most;
}

/* ---- what is corrected ---- */

static int64_t kept_within(int64_t offset, struct clock_bounds bounds)
{
    if (bounds.low_ns > bounds.high_ns)
        return offset;
    return offset < bounds.low_ns ? bounds.low_ns : offset > bounds.high_ns ? bounds.high_ns : offset;
}

/* Whether the clock must differ from its reference; without entries, whether its ends do by more than noise. */
static bool differs(int64_t off, int64_t doubt, struct clock_bounds bounds)
{
    if (bounds.low_ns == INT64_MIN || bounds.high_ns == INT64_MAX)
        return llabs(off) > CLOCKS_AGREE_NS && llabs(off) > doubt;
    return bounds.low_ns > 0 || bounds.high_ns < 0 || bounds.low_ns > bounds.high_ns;
}

static int64_t apart(int64_t a, int64_t b, int64_t unknown)
{
    return a == INT64_MIN || a == INT64_MAX || b == INT64_MIN || b == INT64_MAX ? unknown : a - b;
}

/* Two devices of one host: what is known of each against the host bounds one against the other. */
static void narrow(struct clock_bounds *bounds, const struct clock_own *own, const struct clock_own *reference)
{
    if (own->shared == CLOCK_ALONE || own->shared != reference->shared)
        return;
    const int64_t low = apart(own->low_ns, reference->high_ns, INT64_MIN);
    const int64_t high = apart(own->high_ns, reference->low_ns, INT64_MAX);
    const struct clock_bounds both = {low > bounds->low_ns ? low : bounds->low_ns,
                                      high < bounds->high_ns ? high : bounds->high_ns};
    *bounds = both.low_ns <= both.high_ns ? both : (struct clock_bounds){0, 0}; /* no clock, but matches are wrong */
}

/* The events that a clock and its reference both saw, in order. */
static size_t points_of(const struct solver *s, uint32_t clock, struct clock_point *points)
{
    size_t count = 0;
    for (size_t i = s->clock_first[clock]; i < s->clock_first[clock + 1]; i++) {
        const struct clock_reading *mine = &s->readings[s->by_clock[i]];
        for (size_t k = s->event_first[mine->event]; k < s->event_first[mine->event + 1]; k++)
            if (s->readings[k].clock == s->reference[clock]) {
                points[count++] = (struct clock_point){mine->time_ns, mine->time_ns - s->readings[k].time_ns};
                break;
            }
    }
    return count;
}

/* How far the clock is ahead of its reference: the lower middle of what both saw; where they saw nothing together, over the others. */
static int64_t ahead_of_reference(const struct solver *s, uint32_t clock, struct clock_point *points)
{
    const size_t count = points_of(s, clock, points);
    for (size_t i = 0; i < count; i++)
        s->scratch[i] = points[i].apart_ns;
    if (!count)
        return s->offset_ns[clock] - s->offset_ns[s->reference[clock]];
    sort_values(s->scratch, count);
    return s->scratch[(count - 1) / 2];
}

/* Only differences matter: the reference is right. Where the difference is doubtful there is none. */
static void settle(struct solver *s, const struct clock_bounds *bounds, struct clock_solution *out, struct arena *arena)
{
    int64_t *scatter = arena_array(arena, s->clocks, sizeof *scatter);
    int64_t *settled = arena_array(arena, s->clocks, sizeof *settled);
    struct clock_point *points = arena_array(arena, s->count, sizeof *points);
    time_events(s);
    for (uint32_t clock = 0; clock < s->clocks; clock++)
        scatter[clock] = clock_scatter(s, clock);
    for (uint32_t clock = 0; clock < s->clocks; clock++) {
        const uint32_t reference = s->reference[clock];
        const int64_t off = ahead_of_reference(s, clock, points);
        const int64_t doubt = 3 * (scatter[clock] > scatter[reference] ? scatter[clock] : scatter[reference]);
        const bool moved = clock != reference && differs(off, doubt, bounds[clock]);
        settled[clock] = moved ? kept_within(off, bounds[clock]) : 0;
        out->corrected += settled[clock] != 0;
        out->contradicted += clock != reference && bounds[clock].low_ns > bounds[clock].high_ns;
    }
    memcpy(s->offset_ns, settled, s->clocks * sizeof *settled);
}

static void find_drifts(struct solver *s, struct clock_solution *out, struct arena *arena)
{
    struct clock_point *points = arena_array(arena, s->count, sizeof *points);
    for (uint32_t clock = 0; clock < s->clocks; clock++) {
        if (!s->offset_ns[clock])
            continue;
        out->drift[clock] = clock_drift_of(points, points_of(s, clock, points), &s->offset_ns[clock]);
        out->drifting += out->drift[clock].rate != 0;
    }
}

/* ---- what is left ---- */

static int64_t spread(const struct solver *s, const struct clock_drift *drift, uint32_t event)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = s->event_first[event]; i < s->event_first[event + 1]; i++) {
        const struct clock_reading *r = &s->readings[i];
        const int64_t time = clock_true_ns(r->time_ns, s->offset_ns[r->clock], drift[r->clock]);
        low = time < low ? time : low;
        high = time > high ? time : high;
    }
    return low < high ? high - low : 0;
}

static void measure_residual(const struct solver *s, struct clock_solution *solution)
{
    for (uint32_t event = 0; event < s->events; event++)
        s->scratch[event] = spread(s, solution->drift, event);
    const struct stat_summary summary = stat_summarise(s->scratch, s->events);
    solution->events = s->events;
    solution->residual_p50_ns = (int64_t)summary.p50;
    solution->residual_p95_ns = (int64_t)summary.p95;
}

void clocks_solve(const struct clock_reading *readings, size_t count, uint32_t clocks, const struct clock_own *own,
                  struct arena *arena, struct clock_solution *solution)
{
    struct arena scratch = {0};
    struct solver s = {.readings = readings, .count = count, .clocks = clocks};
    index_events(&s, &scratch);
    index_clocks(&s, &scratch);
    s.offset_ns = arena_array(arena, clocks, sizeof *s.offset_ns);
    s.event_ns = arena_array(&scratch, s.events, sizeof *s.event_ns);
    s.reference = arena_array(&scratch, clocks, sizeof *s.reference);
    s.scratch = arena_array(&scratch, count, sizeof *s.scratch);
    memset(s.reference, 0xFF, clocks * sizeof *s.reference);
    *solution = (struct clock_solution){.offset_ns = s.offset_ns, .islands = carry_all(&s, &scratch)};
    for (int i = 0; i < MOST_SWEEPS && refine_once(&s) > SETTLED_NS; i++)
        continue;
    solution->drift = arena_array(arena, clocks, sizeof *solution->drift);
    struct clock_bounds *bounds = clocks_bounds(readings, count, clocks, s.reference, &scratch);
    for (uint32_t clock = 0; own && clock < clocks; clock++)
        if (clock != s.reference[clock])
            narrow(&bounds[clock], &own[clock], &own[s.reference[clock]]);
    settle(&s, bounds, solution, &scratch);
    find_drifts(&s, solution, &scratch);
    measure_residual(&s, solution);
    arena_free(&scratch);
}
