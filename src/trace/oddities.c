/* SPDX-License-Identifier: Apache-2.0 */
/* What is odd about a recording as a whole: work without launch, work that overlaps, clocks that contradict. */
#include <inttypes.h>

#include "base/mem.h"
#include "base/sort.h"
#include "private.h"

static void count_lane(const struct trace *t, struct rows rows, struct trace_oddities *odd)
{
    int64_t busy_until = INT64_MIN;
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        odd->zero_durations += t->dur_ns[row] == 0;
        odd->stream_overlaps += t->start_ns[row] < busy_until;
        odd->kernels_without_launch += t->cause[row] == ROW_NONE;
        if (trace_end_ns(t, row) > busy_until)
            busy_until = trace_end_ns(t, row);
    }
}

/* ---- clocks of host and device ---- */

static bool contradicts(struct trace_oddities *odd, int64_t early_ns)
{
    if (early_ns <= TRACE_CLOCK_DOUBT_NS)
        return false;
    odd->most_early_ns = early_ns > odd->most_early_ns ? early_ns : odd->most_early_ns;
    return true;
}

enum { WAITS_LEAST = 3, CLOCKS_APART_NS = 10 * 1000 * 1000 }; /* a contradiction of more is a link that is wrong */

/* How much later than the wait for it work ended. */
struct waited {
    int64_t *at;
    size_t count, room;
};

/* No work begins before the call that launches it. */
static void compare_launches(const struct trace *t, struct rows rows, struct trace_oddities *odd)
{
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i], call = t->cause[row];
        if (call == ROW_NONE || t->kind[call] != EVENT_RUNTIME)
            continue;
        odd->device_work++;
        const int64_t early_ns = t->start_ns[call] - t->start_ns[row];
        odd->early_work += contradicts(odd, early_ns);
        if (early_ns < CLOCKS_APART_NS && -early_ns < odd->device_high_ns)
            odd->device_high_ns = -early_ns;
    }
}

enum { LONGEST_CALL = 64 }; /* names of kernels are longer, and many */

static bool synchronises(str name)
{
    return name.len <= LONGEST_CALL && (str_has(name, S("StreamSynchronize")) || str_has(name, S("DeviceSynchronize")));
}

static const uint8_t *sync_names(const struct trace *t, struct arena *arena)
{
    const uint32_t count = trace_text_count(t);
    uint8_t *flags = arena_alloc(arena, count);
    for (uint32_t id = 0; id < count; id++)
        flags[id] = synchronises(trace_text(t, id));
    return flags;
}

/*
 * A thread that synchronises mostly waits for what it launched last: then the wait does not end before that work. It may
 * wait for another stream, so a single one says little.
 */
static void compare_syncs(const struct trace *t, struct rows calls, const uint8_t *syncs, struct waited *waited,
                          struct trace_oddities *odd)
{
    uint32_t launched = ROW_NONE;
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t row = calls.at[i];
        if (t->kind[row] != EVENT_RUNTIME)
            continue;
        if (t->cause[row] != ROW_NONE)
            launched = t->cause[row];
        if (launched == ROW_NONE || !syncs[t->name[row]])
            continue;
        odd->syncs++;
        const int64_t early_ns = trace_end_ns(t, launched) - trace_end_ns(t, row);
        odd->early_syncs += contradicts(odd, early_ns);
        waited->at = mem_grow(waited->at, &waited->room, waited->count + 1, sizeof *waited->at);
        waited->at[waited->count++] = early_ns;
        launched = ROW_NONE;
    }
}

/* ---- all of it ---- */

/* Whoever concludes from device work must know that some is missing. Host-only recordings have none to miss. */
static void tell_lost_work(struct trace *t)
{
    const struct trace_oddities *odd = &t->private->odd;
    if (odd->launches_without_kernel && t->kinds[EVENT_KERNEL])
        trace_note(t, NOTE_DOUBT, -1,
                   "%" PRIu64 " of %" PRIu64
                   " launches have no device work in the recording: it ended before they ran, "
                   "they were captured into a graph, or their records are lost",
                   odd->launches_without_kernel, odd->launches);
}

static void tell_many_streams(struct trace *t)
{
    const uint32_t all = t->private->device_lane_count, *lanes = t->private->device_lanes;
    uint32_t most = 0;
    for (uint32_t i = 0, of_device = 0; i < all; i++) {
        of_device = i && t->lanes[lanes[i]].process == t->lanes[lanes[i - 1]].process ? of_device + 1 : 1;
        most = of_device > most ? of_device : most;
    }
    if (most > TRACE_STREAMS_MOST)
        trace_note(t, NOTE_DOUBT, -1, "a device has %u streams; waits between them are looked for among %d", most,
                   TRACE_STREAMS_MOST);
    else if (all > TRACE_STREAMS_OF_ALL)
        trace_note(t, NOTE_DOUBT, -1,
                   "the devices have %u streams; what waits for all devices is taken to wait for %d of them", all,
                   TRACE_STREAMS_OF_ALL);
}

/* gloo tells the process group of none of its collectives. */
static void count_groups(const struct trace *t, struct trace_oddities *odd)
{
    uint32_t row = t->info.parts ? 0 : t->count;
    while (row < t->count && (t->kind[row] != EVENT_ANNOTATION || !str_starts(trace_name(t, row), S("gloo:"))))
        row++;
    odd->unnamed_groups = row < t->count ? t->info.parts : 0;
}

/* A launch is certain, which work a wait was for is not. */
static void bound_device(struct waited *waited, struct trace_oddities *odd)
{
    odd->device_low_ns = INT64_MIN;
    sort_values(waited->at, waited->count);
    if (waited->count >= WAITS_LEAST)
        odd->device_low_ns = waited->at[(waited->count - 1) / 2];
    if (odd->device_low_ns > odd->device_high_ns)
        odd->device_low_ns = INT64_MIN;
    mem_free(waited->at);
}

void trace_count_oddities(struct trace *t)
{
    struct trace_oddities *odd = &t->private->odd;
    struct arena scratch = {0};
    struct waited waited = {0};
    odd->device_high_ns = INT64_MAX;
    const uint8_t *syncs = sync_names(t, &scratch);
    for (uint32_t lane = 0; lane < t->lane_count; lane++) {
        count_lane(t, trace_rows(t, lane, NEST_WORK), odd);
        compare_launches(t, trace_rows(t, lane, NEST_WORK), odd);
        compare_syncs(t, trace_rows(t, lane, NEST_CALLS), syncs, &waited, odd);
    }
    bound_device(&waited, odd);
    arena_free(&scratch);
    tell_lost_work(t);
    tell_many_streams(t);
    count_groups(t, odd);
}
