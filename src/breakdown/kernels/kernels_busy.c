/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_busy.h"

#include "base/span.h"

/* Rows come in order of time, so that the spans need no sorting. */
static int64_t device_busy_ns(const struct picked *picked, int64_t device)
{
    struct arena scratch = {0};
    struct spans busy = {0};
    const struct trace *trace = picked->trace;
    const struct rows rows = trace_device_work(trace, &scratch, device);
    for (uint32_t i = 0; i < rows.count; i++)
        if (picks(picked, rows.at[i]))
            spans_add(&busy, trace->start_ns[rows.at[i]], trace_end_ns(trace, rows.at[i]));
    spans_tidy(&busy);
    const int64_t ns = spans_length(&busy);
    spans_free(&busy);
    arena_free(&scratch);
    return ns;
}

int64_t busy_ns_of(const struct picked *picked)
{
    struct arena scratch = {0};
    int64_t *devices, busy_ns = 0;
    const uint32_t count = trace_devices(picked->trace, &scratch, &devices);
    for (uint32_t d = 0; d < count; d++)
        busy_ns += device_busy_ns(picked, devices[d]);
    arena_free(&scratch);
    return busy_ns;
}
