/* SPDX-License-Identifier: Apache-2.0 */
/* When each device of the process worked, as sets of time. */
#ifndef EVIDENCE_DEVICE_TIME_H
#define EVIDENCE_DEVICE_TIME_H

#include "base/span.h"
#include "trace/trace.h"

struct device_time {
    int64_t device;
    struct spans busy;    /* kernels, copies and memsets of all streams */
    struct spans kernels; /* of them the kernels */
};

struct device_times {
    struct device_time *at;
    uint32_t count;
};

/* The array lies in the arena; the spans are released by device_times_close. */
struct device_times device_times_open(const struct trace *trace, struct arena *arena);
void device_times_close(struct device_times *times);

/* NULL where the device has no work; -1: the first that has. */
const struct device_time *device_times_of(const struct device_times *times, int64_t device);

/* The time in which the first device rested between two times; cleared first. */
void device_idle(const struct device_times *times, int64_t start_ns, int64_t end_ns, struct spans *idle);

#endif
