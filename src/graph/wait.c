/* SPDX-License-Identifier: Apache-2.0 */
#include "wait.h"

#include "base/sort.h"

enum {
    LONG_LAUNCH_NS = 50 * 1000, /* a launch call takes 5 us; one of this length waited for something */
    DEEP_QUEUE = 500,           /* work launched and not begun; drivers hold about 1024 a stream */
};

/* ---- what is known ---- */

static int64_t stream_key(int64_t device, int64_t stream)
{
    return (int64_t)((uint64_t)device << 32 ^ (uint64_t)stream);
}

uint32_t waits_stream(const struct waits *waits, int64_t device, int64_t stream)
{
    return map_get(&waits->stream_of, stream_key(device, stream));
}

static void find_streams(struct waits *waits)
{
    const struct trace *trace = waits->trace;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (trace->lanes[lane].device && trace_rows(trace, lane, NEST_WORK).count)
            map_put(&waits->stream_of, stream_key(trace->lanes[lane].process, trace->lanes[lane].id), lane);
}

static void find_syncs(struct waits *waits)
{
    const struct trace *trace = waits->trace;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows syncs = trace_rows(trace, lane, NEST_SYNC);
        for (uint32_t i = 0; i < syncs.count; i++) {
            int64_t id;
            if (trace_attr(trace, syncs.at[i], ATTR_CORRELATION, &id))
                map_put(&waits->sync_of, id, syncs.at[i]);
        }
    }
}

static void find_records(struct waits *waits)
{
    const struct trace *trace = waits->trace;
    int64_t id;
    if (!trace_attr_count(trace, ATTR_WAIT_CORRELATION))
        return;
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_RUNTIME && waits->calls[trace->name[row]] == RUNTIME_EVENT_RECORD &&
            trace_attr(trace, row, ATTR_CORRELATION, &id))
            map_put(&waits->record_of, id, row);
}

int64_t waits_recorded_ns(const struct waits *waits, uint32_t sync, int64_t otherwise)
{
    int64_t id;
    if (!trace_attr(waits->trace, sync, ATTR_WAIT_CORRELATION, &id))
        return otherwise;
    const uint32_t record = map_get(&waits->record_of, id);
    return record == MAP_NONE ? otherwise : waits->trace->start_ns[record];
}

const struct span waits_always = {INT64_MIN, INT64_MAX};

struct rows waits_within(const struct waits *waits, struct rows rows)
{
    const uint32_t first = trace_first_from(waits->trace, rows, waits->window.start_ns);
    return (struct rows){rows.at + first, trace_first_from(waits->trace, rows, waits->window.end_ns) - first};
}

/* By start, and so by end those that end together stay in order. */
static uint32_t list_work(const struct waits *waits, struct keyed **pairs, struct arena *arena)
{
    const struct trace *trace = waits->trace;
    uint32_t count = 0, at = 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        count += waits_within(waits, trace_rows(trace, lane, NEST_WORK)).count;
    *pairs = arena_room(arena, count, sizeof **pairs);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows work = waits_within(waits, trace_rows(trace, lane, NEST_WORK));
        for (uint32_t i = 0; i < work.count; i++)
            (*pairs)[at++] = (struct keyed){trace->start_ns[work.at[i]], work.at[i]};
    }
    sort_keyed(*pairs, count);
    return count;
}

static struct rows by_end(const struct waits *waits, struct arena *arena)
{
    struct arena scratch = {0};
    struct keyed *pairs;
    const uint32_t count = list_work(waits, &pairs, &scratch);
    uint32_t *rows = arena_room(arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        pairs[i].key = trace_end_ns(waits->trace, pairs[i].row);
    sort_keyed(pairs, count);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = pairs[i].row;
    arena_free(&scratch);
    return (struct rows){rows, count};
}

void waits_open(struct waits *waits, const struct trace *trace, struct span window, const struct work_classes *classes,
                const uint8_t *calls, struct arena *arena)
{
    *waits = (struct waits){.trace = trace, .window = window, .classes = classes, .calls = calls};
    find_streams(waits);
    find_syncs(waits);
    find_records(waits);
    waits->ended = by_end(waits, arena);
}

void waits_close(struct waits *waits)
{
    map_free(&waits->sync_of);
    map_free(&waits->record_of);
    map_free(&waits->stream_of);
}

/* ---- streams are first in, first out: the order of launches is the order of starts ---- */

static int64_t launch_ns(const struct trace *trace, uint32_t row)
{
    const uint32_t cause = trace->cause[row];
    return trace->start_ns[cause == ROW_NONE ? row : cause];
}

/* Work of the stream launched before the time. */
static uint32_t count_launched(const struct trace *trace, struct rows work, int64_t time_ns)
{
    uint32_t low = 0, high = work.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (launch_ns(trace, work.at[middle]) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t launched_before(const struct trace *trace, uint32_t stream, int64_t time_ns)
{
    const struct rows work = trace_rows(trace, stream, NEST_WORK);
    const uint32_t count = count_launched(trace, work, time_ns);
    return count ? work.at[count - 1] : ROW_NONE;
}

uint32_t launched_from(const struct trace *trace, uint32_t stream, int64_t time_ns)
{
    const struct rows work = trace_rows(trace, stream, NEST_WORK);
    const uint32_t count = count_launched(trace, work, time_ns);
    return count < work.count ? work.at[count] : ROW_NONE;
}

/*
 * The last work of a stream that a call which drains it waits for: the last launched before the call. Work whose launch
 * is not in the recording was launched before that began: it counts where it ended while the call waited.
 */
static uint32_t drained_by(const struct trace *trace, uint32_t stream, uint32_t call)
{
    const struct rows work = trace_rows(trace, stream, NEST_WORK);
    uint32_t count = count_launched(trace, work, trace->start_ns[call]);
    while (count < work.count && trace->cause[work.at[count]] == ROW_NONE &&
           trace_end_ns(trace, work.at[count]) <= trace_end_ns(trace, call) + SKEW_NS)
        count++;
    return count ? work.at[count - 1] : ROW_NONE;
}

/* ---- sources ---- */

/* For work that began or ended after the call returned, the call cannot have waited. */
static bool add_source(const struct trace *trace, uint32_t call, uint32_t source, struct wait *wait)
{
    const int64_t return_ns = trace_end_ns(trace, call);
    if (source == ROW_NONE || trace->start_ns[source] >= return_ns || trace_end_ns(trace, source) > return_ns + SKEW_NS)
        return false;
    uint32_t at = wait->count < WAIT_SOURCES ? wait->count++ : WAIT_SOURCES;
    for (; at && trace_end_ns(trace, wait->sources[at - 1]) < trace_end_ns(trace, source); at--)
        if (at < WAIT_SOURCES)
            wait->sources[at] = wait->sources[at - 1];
    if (at < WAIT_SOURCES)
        wait->sources[at] = source;
    return true;
}

/* The work that ended last before the call returned, if it ended while the call ran. */
static void add_by_time(const struct waits *waits, uint32_t call, struct wait *wait)
{
    const struct trace *trace = waits->trace;
    uint32_t low = 0, high = waits->ended.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace_end_ns(trace, waits->ended.at[middle]) <= trace_end_ns(trace, call))
            low = middle + 1;
        else
            high = middle;
    }
    if (low && trace_end_ns(trace, waits->ended.at[low - 1]) > trace->start_ns[call])
        add_source(trace, call, waits->ended.at[low - 1], wait);
}

/* The last work of every stream of the device (-1: of all). False if some of it was still running at the return. */
static bool add_device(const struct waits *waits, uint32_t call, int64_t device, struct wait *wait)
{
    const struct trace *trace = waits->trace;
    bool all = true;
    const struct rows streams = trace_streams(trace, device < 0 ? -1 : device);
    for (uint32_t i = 0; i < streams.count; i++) {
        const uint32_t work = drained_by(trace, streams.at[i], call);
        all &= work == ROW_NONE || add_source(trace, call, work, wait);
    }
    return all;
}

/* The stream that the thread launched on last is the one it synchronises, as PyTorch's own copies do. */
static void add_last_launch(const struct waits *waits, uint32_t call, uint32_t last_launch, struct wait *wait)
{
    if (last_launch != ROW_NONE) {
        const struct rows work = trace_caused(waits->trace, last_launch);
        if (work.count && add_source(waits->trace, call, work.at[work.count - 1], wait))
            return;
    }
    add_by_time(waits, call, wait);
}

/* What the recorded row says. False: nothing of use. */
static bool add_recorded(const struct waits *waits, uint32_t call, uint32_t sync, struct wait *wait)
{
    const struct trace *trace = waits->trace;
    const str kind = trace_attr_text(trace, sync, ATTR_SYNC_KIND);
    const int64_t device = trace->lanes[trace->lane[sync]].process;
    if (str_starts(kind, S("Stream Sync"))) {
        const uint32_t stream = waits_stream(waits, device, trace->lanes[trace->lane[sync]].id);
        if (stream != MAP_NONE)
            add_source(trace, call, drained_by(trace, stream, call), wait);
        return stream != MAP_NONE;
    }
    if (str_starts(kind, S("Context Sync"))) {
        add_device(waits, call, device, wait);
        return true;
    }
    return false;
}

/* An event stands for what its stream was given before the event was recorded. */
static void add_event(const struct waits *waits, uint32_t call, uint32_t sync, struct wait *wait)
{
    const struct trace *trace = waits->trace;
    int64_t number;
    if (sync != MAP_NONE && trace_attr(trace, sync, ATTR_WAIT_STREAM, &number)) {
        const uint32_t stream = waits_stream(waits, trace->lanes[trace->lane[sync]].process, number);
        const int64_t recorded_ns = waits_recorded_ns(waits, sync, trace->start_ns[call]);
        if (stream != MAP_NONE && add_source(trace, call, launched_before(trace, stream, recorded_ns), wait))
            return;
    }
    add_by_time(waits, call, wait);
}

static void add_sync(const struct waits *waits, uint32_t call, uint32_t last_launch, struct wait *wait)
{
    const struct trace *trace = waits->trace;
    int64_t id;
    uint32_t sync = MAP_NONE;
    if (waits->sync_of.count && trace_attr(trace, call, ATTR_CORRELATION, &id))
        sync = map_get(&waits->sync_of, id);
    const enum runtime_call kind = waits->calls[trace->name[call]];
    if (kind == RUNTIME_EVENT_SYNC)
        add_event(waits, call, sync, wait);
    else if (sync != MAP_NONE && add_recorded(waits, call, sync, wait))
        return;
    else if (kind == RUNTIME_STREAM_SYNC)
        add_last_launch(waits, call, last_launch, wait);
    else if (!add_device(waits, call, -1, wait) && kind == RUNTIME_FREE)
        wait->count = 0; /* memory of a pool, given back at once */
}

/* A copy from or to pageable memory returns when it is done; where the memory is not recorded, if it ended meanwhile. */
static bool copy_waits(const struct waits *waits, uint32_t call, enum runtime_call kind)
{
    const struct trace *trace = waits->trace;
    const uint32_t copy = trace->cause[call];
    if (copy == ROW_NONE || trace->kind[copy] != EVENT_COPY)
        return false;
    if (kind == RUNTIME_BLOCKING_COPY)
        return true;
    const enum copy_direction direction = work_copy_direction(waits->classes, copy);
    if (direction != COPY_H2D && direction != COPY_D2H)
        return false;
    const enum host_memory memory = work_copy_memory(waits->classes, copy);
    return memory == HOST_PAGEABLE ||
           (memory == HOST_UNKNOWN && trace_end_ns(trace, copy) <= trace_end_ns(trace, call));
}

/* A launch that took long while its queue was full returned when the stream went on: with the end of some work. */
static bool queue_waits(const struct waits *waits, uint32_t call, struct wait *wait)
{
    const struct trace *trace = waits->trace;
    const uint32_t work = trace->cause[call];
    if (trace->dur_ns[call] < LONG_LAUNCH_NS || work == ROW_NONE)
        return false;
    const struct rows stream = trace_rows(trace, trace->lane[work], NEST_WORK);
    const int64_t return_ns = trace_end_ns(trace, call);
    const uint32_t begun = trace_first_from(trace, stream, return_ns);
    const uint32_t launched = count_launched(trace, stream, trace->start_ns[call] + 1);
    if (launched < (uint64_t)begun + DEEP_QUEUE || begun < 2)
        return false;
    wait->kind = EDGE_QUEUE;
    return add_source(trace, call, stream.at[begun - 2], wait);
}

/* The end of the work before this one on its stream; 0 if it is the first. */
static int64_t stream_free_ns(const struct trace *trace, uint32_t work)
{
    const struct rows stream = trace_rows(trace, trace->lane[work], NEST_WORK);
    const uint32_t begun = trace_first_from(trace, stream, trace->start_ns[work]);
    return begun ? trace_end_ns(trace, stream.at[begun - 1]) : 0;
}

static int64_t within(int64_t time_ns, int64_t low, int64_t high)
{
    return time_ns < low ? low : time_ns > high ? high : time_ns;
}

/* A call that copies works until its copy begins, unless the stream was busy: then it waits from the first. */
static int64_t enter_ns(const struct trace *trace, uint32_t call, const struct wait *wait)
{
    const int64_t start = trace->start_ns[call];
    const uint32_t own = trace->cause[call];
    if (wait->kind != EDGE_WAIT || own == ROW_NONE || stream_free_ns(trace, own) > start)
        return start;
    return within(trace->start_ns[own], start, trace_end_ns(trace, call));
}

/* When the thread stopped and went on; between, only what it waited for kept it. */
static void bound_wait(const struct trace *trace, uint32_t call, struct wait *wait)
{
    wait->enter_ns = enter_ns(trace, call, wait);
    wait->resume_ns = wait->enter_ns;
    if (wait->count)
        wait->resume_ns = within(trace_end_ns(trace, wait->sources[0]), wait->enter_ns, trace_end_ns(trace, call));
}

bool wait_of(const struct waits *waits, uint32_t row, uint32_t last_launch, struct wait *wait)
{
    const struct trace *trace = waits->trace;
    if (trace->kind[row] != EVENT_RUNTIME)
        return false;
    const enum runtime_call kind = waits->calls[trace->name[row]];
    wait->count = 0;
    wait->kind = EDGE_WAIT;
    if (runtime_is_sync(kind))
        add_sync(waits, row, last_launch, wait);
    else if ((kind == RUNTIME_COPY || kind == RUNTIME_BLOCKING_COPY) && copy_waits(waits, row, kind))
        add_source(trace, row, trace->cause[row], wait);
    else if (!queue_waits(waits, row, wait))
        return false;
    bound_wait(trace, row, wait);
    return wait->count > 0;
}
