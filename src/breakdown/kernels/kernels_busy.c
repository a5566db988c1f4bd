/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_busy.h"

#include "base/map.h"
#include "base/span.h"

/* By lane: the index of its device, where it has work. */
static const uint32_t *devices_of_lanes(const struct trace *trace, const int64_t *devices, uint32_t count,
                                        struct arena *arena)
{
    uint32_t *device_of = arena_array(arena, trace->lane_count, sizeof *device_of);
    struct map index = {0};
    for (uint32_t d = 0; d < count; d++)
        map_put(&index, devices[d], d);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        device_of[lane] = map_get(&index, trace->lanes[lane].process);
    map_free(&index);
    return device_of;
}

int64_t busy_ns_of(const struct trace *trace, const uint32_t *rows, uint32_t count)
{
    struct arena scratch = {0};
    int64_t *devices, busy = 0;
    const uint32_t device_count = trace_devices(trace, &scratch, &devices);
    const uint32_t *device_of = devices_of_lanes(trace, devices, device_count, &scratch);
    struct spans *spans = arena_array(&scratch, device_count, sizeof *spans);
    for (uint32_t i = 0; i < count; i++) {
        spans_add(&spans[device_of[trace->lane[rows[i]]]], trace->start_ns[rows[i]], trace_end_ns(trace, rows[i]));
    }
    for (uint32_t d = 0; d < device_count; d++) {
        spans_tidy(&spans[d]);
        busy += spans_length(&spans[d]);
        spans_free(&spans[d]);
    }
    arena_free(&scratch);
    return busy;
}
