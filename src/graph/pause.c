/* SPDX-License-Identifier: Apache-2.0 */
#include "pause.h"

#include "await.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"
#include "ops/rows/phase.h"

enum { TOUCH_NS = 2 * 1000 }; /* calls of two threads that follow each other may overlap by so much */

/* ---- the gaps of the training thread ---- */

/* Time covered by the calls of a lane. */
static void busy_spans(const struct trace *trace, uint32_t lane, struct spans *busy)
{
    const struct rows calls = trace_rows(trace, lane, NEST_CALLS);
    for (uint32_t i = 0; i < calls.count; i++)
        if (trace->parent[calls.at[i]] == ROW_NONE)
            spans_add(busy, trace->start_ns[calls.at[i]], trace_end_ns(trace, calls.at[i]));
    spans_tidy(busy);
}

/* The gap before span i. */
static struct span gap_before(const struct spans *busy, size_t i)
{
    return (struct span){i ? busy->at[i - 1].end_ns : 0, i < busy->count ? busy->at[i].start_ns : INT64_MAX};
}

/* ---- what another thread did in them ---- */

/* Its calls in one gap. */
struct burst {
    struct span time;
    size_t gap;
};

struct bursts {
    struct burst *at;
    uint32_t count;
    uint64_t inside, outside; /* outermost calls within a gap, and not */
};

static void add_call(struct bursts *bursts, const struct spans *busy, size_t gap, struct span call)
{
    const struct span room = gap_before(busy, gap);
    if (call.start_ns + TOUCH_NS < room.start_ns || call.end_ns - TOUCH_NS > room.end_ns) {
        bursts->outside++;
        return;
    }
    bursts->inside++;
    struct burst *last = bursts->count ? &bursts->at[bursts->count - 1] : NULL;
    if (!last || last->gap != gap)
        bursts->at[bursts->count++] = (struct burst){call, gap};
    else if (call.end_ns > last->time.end_ns)
        last->time.end_ns = call.end_ns;
}

/* The first gap of the training thread that a call may lie in: the one before the first span that begins no earlier. */
static size_t gap_of(const struct spans *busy, int64_t start_ns)
{
    size_t gap = spans_find(busy, start_ns - TOUCH_NS);
    if (gap < busy->count && busy->at[gap].start_ns + TOUCH_NS < start_ns)
        gap++;
    return gap;
}

static struct bursts find_bursts(const struct trace *trace, uint32_t lane, const struct spans *busy,
                                 struct arena *arena)
{
    const struct rows calls = trace_rows(trace, lane, NEST_CALLS);
    struct bursts bursts = {.at = arena_array(arena, calls.count, sizeof *bursts.at)};
    for (uint32_t i = 0; i < calls.count; i++) {
        const struct span call = {trace->start_ns[calls.at[i]], trace_end_ns(trace, calls.at[i])};
        if (trace->parent[calls.at[i]] == ROW_NONE)
            add_call(&bursts, busy, gap_of(busy, call.start_ns), call);
    }
    return bursts;
}

/* ---- pauses ---- */

static struct pauses worker_pauses(const struct bursts *bursts, uint32_t main_lane, struct arena *arena)
{
    struct pause *at = arena_array(arena, bursts->count, sizeof *at);
    for (uint32_t i = 0; i < bursts->count; i++) {
        const int64_t start = bursts->at[i].time.start_ns;
        at[i] = (struct pause){i ? bursts->at[i - 1].time.end_ns : start, start, main_lane, false};
    }
    return (struct pauses){at, bursts->count};
}

static struct pause pause_for(const struct burst *burst, struct span gap, uint32_t worker)
{
    const int64_t start = burst->time.start_ns, end = burst->time.end_ns;
    return (struct pause){start < gap.start_ns ? gap.start_ns : start, end > gap.end_ns ? gap.end_ns : end, worker,
                          false};
}

/* Of the training thread: the bursts of all its workers; those that overlap are one, which the last to end closes. */
static struct pauses main_pauses(const struct pause *all, size_t count, struct arena *arena)
{
    struct keyed *order = arena_array(arena, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct keyed){all[i].start_ns, i};
    sort_keyed(order, count);
    struct pause *at = arena_array(arena, count, sizeof *at);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pause *next = &all[order[i].row];
        if (!kept || next->start_ns >= at[kept - 1].end_ns)
            at[kept++] = *next;
        else if (next->end_ns > at[kept - 1].end_ns) {
            at[kept - 1].end_ns = next->end_ns;
            at[kept - 1].partner = next->partner;
        }
    }
    return (struct pauses){at, kept};
}

/* ---- threads of autograd ---- */

struct collected {
    struct pause *at;
    size_t count, room;
};

static void collect(struct collected *of_main, struct pause pause)
{
    of_main->at = mem_grow(of_main->at, &of_main->room, of_main->count + 1, sizeof *of_main->at);
    of_main->at[of_main->count++] = pause;
}

static bool runs_backward(const struct trace *trace, uint32_t lane, const uint8_t *phases)
{
    const struct rows calls = trace_rows(trace, lane, NEST_CALLS);
    for (uint32_t i = 0; i < calls.count; i++)
        if (phases[calls.at[i]] == PHASE_BACKWARD)
            return true;
    return false;
}

/* A thread that works beside the training thread as well as in its gaps hands nothing over. */
static void add_worker(const struct trace *trace, uint32_t lane, const struct spans *busy, struct pauses *pauses,
                       struct collected *of_main, struct arena *arena)
{
    const struct bursts bursts = find_bursts(trace, lane, busy, arena);
    if (bursts.inside < 9 * bursts.outside || !bursts.count)
        return;
    *pauses = worker_pauses(&bursts, trace_main_lane(trace), arena);
    for (uint32_t i = 0; i < bursts.count; i++)
        collect(of_main, pause_for(&bursts.at[i], gap_before(busy, bursts.at[i].gap), lane));
}

/* ---- threads of collectives ---- */

static bool is_collective(const struct trace *trace, const struct work_classes *classes, uint32_t row)
{
    return trace->parent[row] == ROW_NONE && work_host_communication(classes, row);
}

/* The training thread waits for the collective if that ends in one of its gaps. */
static void await(const struct spans *busy, struct span collective, uint32_t lane, struct collected *of_main)
{
    const size_t after = spans_find(busy, collective.end_ns - 1);
    const struct span gap = gap_before(busy, after);
    if (collective.end_ns > gap.end_ns || collective.end_ns <= gap.start_ns)
        return;
    const int64_t start = collective.start_ns > gap.start_ns ? collective.start_ns : gap.start_ns;
    collect(of_main, (struct pause){start, collective.end_ns, lane, false});
}

/* A thread that does nothing but collectives, each begun by the training thread. */
static void add_collectives(const struct trace *trace, uint32_t lane, const struct work_classes *classes,
                            const struct spans *busy, struct pauses *pauses, struct collected *of_main,
                            struct arena *arena)
{
    const struct rows rows = trace_rows(trace, lane, NEST_ANNOTATION);
    struct pause *at = arena_array(arena, rows.count, sizeof *at);
    uint32_t count = 0;
    int64_t rested_ns = -1;
    for (uint32_t i = 0; i < rows.count; i++) {
        if (!is_collective(trace, classes, rows.at[i]))
            continue;
        const int64_t start = trace->start_ns[rows.at[i]], end = trace_end_ns(trace, rows.at[i]);
        if (start >= rested_ns)
            at[count++] = (struct pause){rested_ns < 0 ? start : rested_ns, start, trace_main_lane(trace), false};
        rested_ns = end > rested_ns ? end : rested_ns;
        await(busy, (struct span){start, end}, lane, of_main);
    }
    *pauses = (struct pauses){at, count};
}

/* ---- operators that wait ---- */

/* Of a thread that nothing else tells of: it rested until the training thread gave it what it waits for later. */
static struct pauses given_pauses(const struct awaiteds *awaiteds, uint32_t lane, uint32_t main_lane,
                                  struct arena *arena)
{
    struct pause *at = arena_array(arena, awaiteds->count, sizeof *at);
    uint32_t count = 0;
    for (uint32_t i = 0; i < awaiteds->count; i++)
        if (awaiteds->at[i].lane == lane)
            at[count++] =
                (struct pause){awaiteds->at[i].given.start_ns, awaiteds->at[i].given.end_ns, main_lane, false};
    return (struct pauses){at, count};
}

static void add_awaited(const struct trace *trace, const struct work_classes *classes, struct pauses *pauses,
                        struct collected *of_main, struct arena *arena)
{
    const struct awaiteds awaiteds = awaiteds_of(trace, classes, arena);
    for (uint32_t i = 0; i < awaiteds.count; i++) {
        const struct awaited *awaited = &awaiteds.at[i];
        collect(of_main, (struct pause){awaited->wait.start_ns, awaited->wait.end_ns, awaited->lane, true});
        if (!pauses[awaited->lane].count)
            pauses[awaited->lane] = given_pauses(&awaiteds, awaited->lane, trace_main_lane(trace), arena);
    }
}

/* ---- all ---- */

const struct pauses *pauses_of(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                               struct arena *arena)
{
    struct pauses *pauses = arena_array(arena, trace->lane_count, sizeof *pauses);
    const uint32_t main_lane = trace_main_lane(trace);
    if (main_lane == LANE_NONE)
        return pauses;
    struct arena scratch = {0};
    phases = phases ? phases : phases_of(trace, &scratch);
    struct spans busy = {0};
    busy_spans(trace, main_lane, &busy);
    struct collected of_main = {0};
    const bool host_alone = trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET] == 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        if (lane == main_lane || trace->lanes[lane].device)
            continue;
        if (runs_backward(trace, lane, phases) || (host_alone && trace_rows(trace, lane, NEST_CALLS).count))
            add_worker(trace, lane, &busy, &pauses[lane], &of_main, arena);
        else if (!trace_rows(trace, lane, NEST_CALLS).count)
            add_collectives(trace, lane, classes, &busy, &pauses[lane], &of_main, arena);
    }
    add_awaited(trace, classes, pauses, &of_main, arena);
    pauses[main_lane] = main_pauses(of_main.at, of_main.count, arena);
    mem_free(of_main.at);
    spans_free(&busy);
    arena_free(&scratch);
    return pauses;
}
