/* SPDX-License-Identifier: Apache-2.0 */
#include "device_time.h"

#include "ops/rows/work.h"

static void fill(const struct trace *trace, struct device_time *time)
{
    struct arena scratch = {0};
    const struct rows work = trace_device_work(trace, &scratch, time->device);
    for (uint32_t i = 0; i < work.count; i++) {
        const uint32_t row = work.at[i];
        spans_add(&time->busy, trace->start_ns[row], trace_end_ns(trace, row));
        if (trace->kind[row] == EVENT_KERNEL)
            spans_add(&time->kernels, trace->start_ns[row], trace_end_ns(trace, row));
    }
    spans_tidy(&time->busy);
    spans_tidy(&time->kernels);
    arena_free(&scratch);
}

struct device_times device_times_open(const struct trace *trace, struct arena *arena)
{
    int64_t *devices;
    struct device_times times = {.count = trace_devices(trace, arena, &devices)};
    times.at = arena_array(arena, times.count, sizeof *times.at);
    for (uint32_t i = 0; i < times.count; i++) {
        times.at[i].device = devices[i];
        fill(trace, &times.at[i]);
    }
    return times;
}

void device_times_close(struct device_times *times)
{
    for (uint32_t i = 0; i < times->count; i++) {
        spans_free(&times->at[i].busy);
        spans_free(&times->at[i].kernels);
    }
    times->count = 0;
}

const struct device_time *device_times_of(const struct device_times *times, int64_t device)
{
    for (uint32_t i = 0; i < times->count; i++)
        if (device < 0 || times->at[i].device == device)
            return &times->at[i];
    return NULL;
}

void device_idle(const struct device_times *times, int64_t start_ns, int64_t end_ns, struct spans *idle)
{
    spans_clear(idle);
    const struct device_time *time = device_times_of(times, -1);
    if (!time)
        return;
    struct spans window = {0};
    spans_add(&window, start_ns, end_ns);
    spans_minus(&window, &time->busy, idle);
    spans_free(&window);
}
