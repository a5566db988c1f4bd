/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_busy.h"

#include "base/map.h"
#include "base/span.h"

int64_t busy_ns_of(const struct trace *trace, const uint32_t *rows, uint32_t count)
{
    struct arena scratch = {0};
    int64_t *devices, busy = 0;
    const uint32_t device_count = trace_devices(trace, &scratch, &devices);
    struct map index = {0};
    struct spans *spans = arena_array(&scratch, device_count, sizeof *spans);
    for (uint32_t d = 0; d < device_count; d++)
        map_put(&index, devices[d], d);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t d = map_get(&index, trace->lanes[trace->lane[rows[i]]].process);
        spans_add(&spans[d], trace->start_ns[rows[i]], trace_end_ns(trace, rows[i]));
    }
    for (uint32_t d = 0; d < device_count; d++) {
        spans_tidy(&spans[d]);
        busy += spans_length(&spans[d]);
        spans_free(&spans[d]);
    }
    map_free(&index);
    arena_free(&scratch);
    return busy;
}
