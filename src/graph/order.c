/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "base/mem.h"

struct pairs {
    struct keyed *at;
    size_t count, room;
};

/* Work that began before its source ended did not wait for it. */
static void add_pair(const struct trace *trace, struct pairs *pairs, uint32_t source, uint32_t waiter)
{
    if (source == ROW_NONE || waiter == ROW_NONE || trace_end_ns(trace, source) > trace->start_ns[waiter] + SKEW_NS)
        return;
    pairs->at = mem_grow(pairs->at, &pairs->room, pairs->count + 1, sizeof *pairs->at);
    pairs->at[pairs->count++] = (struct keyed){waiter, source};
}

/* ---- recorded ---- */

static void add_recorded(const struct waits *waits, uint32_t lane, uint32_t sync, struct pairs *pairs)
{
    const struct trace *trace = waits->trace;
    int64_t number;
    if (!str_starts(trace_attr_text(trace, sync, ATTR_SYNC_KIND), S("Stream Wait")) ||
        !trace_attr(trace, sync, ATTR_WAIT_STREAM, &number))
        return;
    const uint32_t source = waits_stream(waits, trace->lanes[lane].process, number);
    const uint32_t waiter = waits_stream(waits, trace->lanes[lane].process, trace->lanes[lane].id);
    if (source == MAP_NONE || waiter == MAP_NONE || source == waiter)
        return;
    const int64_t wait_ns = trace->start_ns[sync];
    add_pair(trace, pairs, launched_before(trace, source, waits_recorded_ns(waits, sync, wait_ns)),
             launched_from(trace, waiter, wait_ns));
}

static bool find_recorded(const struct waits *waits, struct pairs *pairs)
{
    const struct trace *trace = waits->trace;
    if (!trace_attr_count(trace, ATTR_WAIT_STREAM))
        return false;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows syncs = waits_within(waits, trace_rows(trace, lane, NEST_SYNC));
        for (uint32_t i = 0; i < syncs.count; i++)
            add_recorded(waits, lane, syncs.at[i], pairs);
    }
    return true;
}

/* ---- told by calls ---- */

/* Of what the other streams of the device were given before the wait, the work that ended last before the waiter began. */
static uint32_t awaited(const struct waits *waits, uint32_t waiter, int64_t wait_ns)
{
    const struct trace *trace = waits->trace;
    const uint32_t own = trace->lane[waiter];
    const struct rows streams = trace_streams(trace, trace->lanes[own].process);
    uint32_t best = ROW_NONE;
    for (uint32_t i = 0; i < streams.count; i++) {
        if (streams.at[i] == own)
            continue;
        const uint32_t work = launched_before(trace, streams.at[i], wait_ns);
        if (work == ROW_NONE || trace_end_ns(trace, work) > trace->start_ns[waiter] + SKEW_NS)
            continue;
        if (best == ROW_NONE || trace_end_ns(trace, work) > trace_end_ns(trace, best))
            best = work;
    }
    return best;
}

static void find_on_thread(const struct waits *waits, uint32_t lane, struct pairs *pairs)
{
    const struct trace *trace = waits->trace;
    const struct rows calls = waits_within(waits, trace_rows(trace, lane, NEST_CALLS));
    int64_t wait_ns = -1; /* of the last wait not yet followed by a launch */
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t row = calls.at[i];
        if (trace->kind[row] != EVENT_RUNTIME)
            continue;
        if (waits->calls[trace->name[row]] == RUNTIME_STREAM_WAIT)
            wait_ns = trace->start_ns[row];
        else if (wait_ns >= 0 && trace->cause[row] != ROW_NONE) {
            add_pair(trace, pairs, awaited(waits, trace->cause[row], wait_ns), trace->cause[row]);
            wait_ns = -1;
        }
    }
}

struct orders stream_orders(const struct waits *waits, struct arena *arena)
{
    struct pairs pairs = {0};
    struct orders orders = {.recorded = find_recorded(waits, &pairs)};
    if (!orders.recorded && trace_streams(waits->trace, -1).count > 1)
        for (uint32_t lane = 0; lane < waits->trace->lane_count; lane++)
            if (!waits->trace->lanes[lane].device)
                find_on_thread(waits, lane, &pairs);
    sort_keyed(pairs.at, pairs.count);
    struct keyed *kept = arena_array(arena, pairs.count, sizeof *kept);
    if (pairs.count)
        memcpy(kept, pairs.at, pairs.count * sizeof *kept);
    orders.at = kept;
    orders.count = (uint32_t)pairs.count;
    mem_free(pairs.at);
    return orders;
}

uint32_t orders_of(const struct orders *orders, uint32_t row)
{
    return (uint32_t)keyed_below(orders->at, orders->count, row);
}
