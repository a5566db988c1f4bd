/* SPDX-License-Identifier: Apache-2.0 */
#include "as_hta_rows.h"

#include <math.h>

#include "as.h"
#include "base/map.h"
#include "base/sort.h"

/* ---- classes: the expressions of its types.py, by name alone ---- */

/* ^nccl.*Kernel; ^(Memcpy|Memset|dma); .*Memcpy|^Memset|.*Sync: other; the rest is computation. */
static enum hta_class class_of(str name)
{
    if (str_starts(name, S("nccl")) && str_has(name, S("Kernel")))
        return HTA_COMMUNICATION;
    if (str_starts(name, S("Memcpy")) || str_starts(name, S("Memset")) || str_starts(name, S("dma")))
        return HTA_MEMORY;
    return str_has(name, S("Memcpy")) || str_has(name, S("Sync")) ? HTA_OTHER : HTA_COMPUTATION;
}

/* ---- rounding ---- */

struct loader {
    const struct trace *trace;
    bool rounded;
    uint32_t step_names;
    int64_t last_step_ns; /* host rows from here on are dropped; INT64_MAX: nothing is */
    struct map launches;  /* correlation: the last host row with it */
    struct map multiples; /* correlation: host rows with it that stay */
};

/* It rounds where any time has a fraction; a time of whole microseconds is left as it is either way. */
static bool any_fraction(const struct trace *trace)
{
    for (uint32_t row = 0; row < trace->count; row++)
        if ((trace->origin_ns + trace->start_ns[row]) % 1000)
            return true;
    return false;
}

static int64_t start_of(const struct loader *loader, uint32_t row)
{
    const int64_t recorded = loader->trace->origin_ns + loader->trace->start_ns[row];
    return loader->rounded ? (int64_t)ceil(as_us(recorded)) * 1000 : recorded;
}

static int64_t end_of(const struct loader *loader, uint32_t row)
{
    const int64_t recorded = loader->trace->origin_ns + loader->trace->start_ns[row], dur = loader->trace->dur_ns[row];
    return loader->rounded ? (int64_t)floor(as_us(recorded) + as_us(dur)) * 1000 : recorded + dur;
}

/* ---- what a row is ---- */

/* args.stream, -1 where there is none: host rows may have one too, shadows of annotations have none. */
static int64_t stream_of(const struct trace *trace, uint32_t row)
{
    const enum event_kind kind = (enum event_kind)trace->kind[row];
    if (event_is_device_work(kind) || kind == EVENT_SYNC)
        return trace->lanes[trace->lane[row]].id;
    return trace_attr_or(trace, row, ATTR_STREAM, -1);
}

static bool by_ids(const struct trace *trace, uint32_t row, int64_t stream, int64_t correlation)
{
    const str name = trace_name(trace, row);
    return (stream >= 0 && correlation >= 0) || str_eq(name, S("Event Sync")) || str_eq(name, S("Context Sync"));
}

/* A host row that may launch: its correlation, -1 for any other. */
static int64_t launching_correlation(const struct trace *trace, uint32_t row)
{
    if (trace->kind[row] != EVENT_RUNTIME || trace_attr_or(trace, row, ATTR_STREAM, -1) >= 0)
        return -1;
    return trace_attr_or(trace, row, ATTR_CORRELATION, -1);
}

/* ---- steps and launches ---- */

/* Text ids that contain ProfilerStep, and the latest start of a row so named. */
static void find_last_step(struct loader *loader, struct arena *scratch)
{
    const struct trace *trace = loader->trace;
    uint8_t *seen = arena_alloc(scratch, trace_text_count(trace)); /* 1: no step, 2: a step */
    int64_t last = INT64_MIN;
    loader->last_step_ns = INT64_MAX;
    for (uint32_t row = 0; row < trace->count; row++) {
        uint8_t *known = &seen[trace->name[row]];
        if (!*known) {
            *known = str_has(trace_name(trace, row), S("ProfilerStep")) ? 2 : 1;
            loader->step_names += *known == 2;
        }
        if (*known == 2 && start_of(loader, row) > last)
            last = start_of(loader, row);
    }
    if (loader->step_names >= 2)
        loader->last_step_ns = last;
}

static void find_launches(struct loader *loader)
{
    const struct trace *trace = loader->trace;
    for (uint32_t row = 0; row < trace->count; row++) {
        const int64_t correlation = launching_correlation(trace, row);
        if (correlation < 0)
            continue;
        map_put(&loader->launches, correlation, row);
        const uint32_t so_far = map_get(&loader->multiples, correlation);
        if (start_of(loader, row) < loader->last_step_ns)
            map_put(&loader->multiples, correlation, so_far == MAP_NONE ? 1 : so_far + 1);
    }
}

/* How often the row stays: a device row once for each staying host row of its correlation, others by their own time. */
static uint32_t copies_of(const struct loader *loader, uint32_t row, int64_t stream, int64_t correlation)
{
    if (loader->last_step_ns == INT64_MAX)
        return 1;
    if (!by_ids(loader->trace, row, stream, correlation))
        return start_of(loader, row) < loader->last_step_ns;
    if (correlation < 0)
        return 1;
    const uint32_t staying = map_get(&loader->multiples, correlation);
    return staying == MAP_NONE ? 0 : staying;
}

/*
 * Its link of a row whose correlation id no host row has is 0, which its idle
 * breakdown reads as a row number: the file's first event. (Work launched before
 * the recording began is where this shows.)
 */
static int64_t launch_of(const struct loader *loader, int64_t correlation)
{
    if (correlation < 0)
        return INT64_MIN;
    const uint32_t found = map_get(&loader->launches, correlation);
    const int64_t launch_ns = start_of(loader, found == MAP_NONE ? 0 : found);
    return launch_ns < loader->last_step_ns ? launch_ns : INT64_MIN;
}

/* ---- the rows ---- */

static void take(const struct loader *loader, struct hta_rows *rows, uint32_t row)
{
    const struct trace *trace = loader->trace;
    const int64_t stream = stream_of(trace, row);
    if (stream == -1)
        return;
    const int64_t correlation = trace_attr_or(trace, row, ATTR_CORRELATION, -1);
    const uint32_t copies = copies_of(loader, row, stream, correlation);
    if (!copies)
        return;
    rows->at[rows->count++] = (struct hta_row){
        .start_ns = start_of(loader, row),
        .end_ns = end_of(loader, row),
        .stream = stream,
        .launch_ns = launch_of(loader, correlation),
        .class = class_of(trace_name(trace, row)),
        .work = event_is_device_work((enum event_kind)trace->kind[row]),
        .copies = copies,
    };
}

static uint32_t candidates(const struct trace *trace)
{
    return (uint32_t)(trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET] +
                      trace->kinds[EVENT_SYNC]) +
           trace_attr_count(trace, ATTR_STREAM);
}

static void sort_by_start(struct hta_rows *rows, struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, rows->count, sizeof *order);
    struct hta_row *unsorted = arena_array(scratch, rows->count, sizeof *unsorted);
    for (uint32_t i = 0; i < rows->count; i++) {
        order[i] = (struct keyed){rows->at[i].start_ns, i};
        unsorted[i] = rows->at[i];
    }
    sort_keyed(order, rows->count);
    for (uint32_t i = 0; i < rows->count; i++)
        rows->at[i] = unsorted[order[i].row];
}

struct hta_rows hta_rows_of(const struct trace *trace, struct arena *arena)
{
    struct arena scratch = {0};
    struct loader loader = {.trace = trace, .rounded = any_fraction(trace)};
    find_last_step(&loader, &scratch);
    find_launches(&loader);
    struct hta_rows rows = {.rounded = loader.rounded, .step_names = loader.step_names};
    rows.at = arena_array(arena, candidates(trace), sizeof *rows.at);
    for (uint32_t row = 0; row < trace->count; row++)
        take(&loader, &rows, row);
    sort_by_start(&rows, &scratch);
    map_free(&loader.launches);
    map_free(&loader.multiples);
    arena_free(&scratch);
    return rows;
}
