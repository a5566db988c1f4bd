/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "base/mem.h"
#include "base/order.h"
#include "base/sort.h"
#include "host_track.h"

struct thread {
    bool known; /* the tracks are set up */
    struct host_track calls;
    struct host_track
        marks; /* what overrides the calls: data loading, collectives, the profiler, frames of compilers */
};

struct host {
    const struct trace *trace;
    struct arena *arena;
    struct host_events *events;
    struct thread *threads; /* one a lane */
    uint32_t *known;        /* lanes whose tracks are set up: few, where devices are many */
    uint32_t known_count;
    struct host_track overheads;   /* on lanes that are no threads: they concern the whole process */
    struct host_track collectives; /* of all threads */
    bool sees_operators;
    int64_t first_ns, last_ns;   /* of all that is recorded of the host */
    struct host_now *remembered; /* of the main thread, one after the other to the end of time; NULL: host_remember */
    size_t remembered_count, remembered_room, at;
};

/* ---- the rows that matter of a nest ---- */

struct gathering {
    struct keyed *pairs;
    size_t count, room;
};

enum {
    COMPILING = 1 << HOST_COMPILING,
    LOADING = 1 << HOST_LOADING,
    COMMUNICATING = 1 << HOST_COMMUNICATING,
    PROFILING = 1 << HOST_PROFILING
};

static void gather(const struct host *host, struct gathering *to, uint32_t lane, enum nest nest, unsigned states)
{
    const struct rows rows = trace_rows(host->trace, lane, nest);
    for (uint32_t i = 0; i < rows.count; i++) {
        if (!(states >> host_mark_state(host->events, rows.at[i]) & 1))
            continue;
        to->pairs = mem_grow(to->pairs, &to->room, to->count + 1, sizeof *to->pairs);
        to->pairs[to->count++] = (struct keyed){host->trace->start_ns[rows.at[i]], rows.at[i]};
    }
}

/* The track of what was gathered, which is gone after. */
static struct host_track marks_of(const struct host *host, struct gathering *from)
{
    sort_keyed(from->pairs, from->count);
    uint32_t *rows = arena_array(host->arena, from->count, sizeof *rows);
    for (size_t i = 0; i < from->count; i++)
        rows[i] = from->pairs[i].row;
    mem_free(from->pairs);
    return (struct host_track){.rows = {rows, (uint32_t)from->count}, .marks = true};
}

/* ---- one thread ---- */

static struct thread *thread_of(struct host *host, uint32_t lane)
{
    struct thread *thread = &host->threads[lane];
    if (thread->known)
        return thread;
    struct gathering marks = {0};
    gather(host, &marks, lane, NEST_ANNOTATION, LOADING | COMMUNICATING);
    gather(host, &marks, lane, NEST_ASIDE, PROFILING);
    gather(host, &marks, lane, NEST_PYTHON, COMPILING);
    thread->marks = marks_of(host, &marks);
    thread->calls.rows = trace_rows(host->trace, lane, NEST_CALLS);
    thread->known = true;
    host->known[host->known_count++] = lane;
    return thread;
}

static struct host_now thread_at(struct host *host, uint32_t lane, int64_t time_ns)
{
    struct thread *thread = thread_of(host, lane);
    const struct host_now *mark = host_track_at(&thread->marks, host->events, host->trace, time_ns);
    const struct host_now *call = host_track_at(&thread->calls, host->events, host->trace, time_ns);
    struct host_now now = mark->row != ROW_NONE ? *mark : *call;
    now.until_ns = smaller_of(mark->until_ns, call->until_ns);
    return now;
}

/* ---- the host as a whole ---- */

/* No event is open: Python, where the recording would have shown an operator; else nobody knows. */
static struct host_now nothing_at(const struct host *host, int64_t time_ns)
{
    if (time_ns < host->first_ns)
        return (struct host_now){HOST_UNRECORDED, ROW_NONE, host->first_ns};
    if (time_ns >= host->last_ns)
        return (struct host_now){HOST_UNRECORDED, ROW_NONE, INT64_MAX};
    return (struct host_now){host->sees_operators ? HOST_BETWEEN : HOST_UNRECORDED, ROW_NONE, host->last_ns};
}

static struct host_now walk_to(struct host *host, const uint32_t *lanes, uint32_t lane_count, int64_t time_ns)
{
    struct host_now now = *host_track_at(&host->overheads, host->events, host->trace, time_ns);
    int64_t until = now.until_ns;
    for (uint32_t i = 0; i < lane_count && now.row == ROW_NONE; i++) {
        if (lanes[i] == LANE_NONE)
            continue;
        now = thread_at(host, lanes[i], time_ns);
        until = smaller_of(until, now.until_ns);
    }
    if (now.row == ROW_NONE)
        now = nothing_at(host, time_ns);
    now.until_ns = smaller_of(until, now.until_ns);
    return now;
}

/* ---- what is remembered of the main thread ---- */

static bool only_main(const struct host *host, const uint32_t *lanes, uint32_t lane_count)
{
    const uint32_t main_lane = trace_main_lane(host->trace);
    bool named = false;
    for (uint32_t i = 0; i < lane_count; i++) {
        if (lanes[i] != LANE_NONE && lanes[i] != main_lane)
            return false;
        named = named || lanes[i] != LANE_NONE;
    }
    return named;
}

/* The first that holds after the time; most times are near the last that was asked for. */
static struct host_now recall(struct host *host, int64_t time_ns)
{
    enum { NEAR = 4 };
    const struct host_now *now = host->remembered;
    size_t low = host->at, high = host->remembered_count - 1;
    for (int i = 0; i < NEAR && low < high && now[low].until_ns <= time_ns; i++)
        low++;
    while (low < high && now[low].until_ns <= time_ns) {
        const size_t middle = low + (high - low) / 2;
        if (now[middle].until_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    host->at = low;
    return now[low];
}

void host_remember(struct host *host)
{
    const uint32_t main_lane = trace_main_lane(host->trace);
    struct host_now now = {0}; /* a trace begins at 0 */
    host_rewind(host);
    while (now.until_ns < INT64_MAX) {
        now = walk_to(host, &main_lane, 1, now.until_ns);
        host->remembered =
            mem_grow(host->remembered, &host->remembered_room, host->remembered_count + 1, sizeof *host->remembered);
        host->remembered[host->remembered_count++] = now;
    }
    host_rewind(host);
}

struct host_now host_at(struct host *host, const uint32_t *lanes, uint32_t lane_count, int64_t time_ns)
{
    if (host->remembered && only_main(host, lanes, lane_count))
        return recall(host, time_ns);
    return walk_to(host, lanes, lane_count, time_ns);
}

struct host_now host_collective_at(struct host *host, int64_t time_ns)
{
    return *host_track_at(&host->collectives, host->events, host->trace, time_ns);
}

/* ---- setting up ---- */

static void find_tracks(struct host *host)
{
    struct gathering overheads = {0}, collectives = {0};
    for (uint32_t lane = 0; lane < host->trace->lane_count; lane++) {
        if (host->trace->lanes[lane].device)
            continue;
        if (!trace_rows(host->trace, lane, NEST_CALLS).count)
            gather(host, &overheads, lane, NEST_ASIDE, PROFILING);
        gather(host, &collectives, lane, NEST_ANNOTATION, COMMUNICATING);
    }
    host->overheads = marks_of(host, &overheads);
    host->collectives = marks_of(host, &collectives);
}

static void find_extent(struct host *host)
{
    const struct trace *trace = host->trace;
    host->first_ns = INT64_MAX;
    host->last_ns = INT64_MIN;
    for (uint32_t row = 0; row < trace->count; row++) {
        if (trace->kind[row] > EVENT_PYTHON)
            continue;
        const int64_t end = trace_end_ns(trace, row);
        host->first_ns = smaller_of(host->first_ns, trace->start_ns[row]);
        host->last_ns = end > host->last_ns ? end : host->last_ns;
    }
}

struct host *host_new(const struct trace *trace, const struct work_classes *classes, struct arena *arena)
{
    struct host *host = arena_alloc(arena, sizeof *host);
    *host = (struct host){.trace = trace, .arena = arena, .events = host_events_new(trace, classes, arena)};
    host->threads = arena_array(arena, trace->lane_count, sizeof *host->threads);
    host->known = arena_array(arena, trace->lane_count, sizeof *host->known);
    host->sees_operators = trace->kinds[EVENT_OPERATOR] > 0;
    find_extent(host);
    find_tracks(host);
    return host;
}

void host_rewind(struct host *host)
{
    for (uint32_t i = 0; i < host->known_count; i++) {
        host_track_rewind(&host->threads[host->known[i]].calls);
        host_track_rewind(&host->threads[host->known[i]].marks);
    }
    host_track_rewind(&host->overheads);
    host_track_rewind(&host->collectives);
    host->at = 0;
}

void host_free(struct host *host)
{
    for (uint32_t i = 0; i < host->known_count; i++) {
        host_track_free(&host->threads[host->known[i]].calls);
        host_track_free(&host->threads[host->known[i]].marks);
    }
    host_track_free(&host->overheads);
    host_track_free(&host->collectives);
    mem_free(host->remembered);
}
