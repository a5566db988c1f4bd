/* SPDX-License-Identifier: Apache-2.0 */
/* Small traces whose numbers are known because they were put there. Times in microseconds, as a reader of a test thinks. */
#ifndef PLANTED_H
#define PLANTED_H

#include <stdio.h>

#include "trace/trace.h"

enum { PLANTED_PID = 100, PLANTED_MAIN = 1, PLANTED_BACKWARD = 2, PLANTED_GLOO = 3 };

struct planted {
    struct trace *trace;
    int64_t correlation;
    uint32_t rows;
};

static inline struct planted planted_new(void)
{
    return (struct planted){.trace = trace_new(), .correlation = 1};
}

static inline uint32_t planted_thread(struct planted *p, int64_t tid)
{
    return trace_lane(p->trace, (struct lane){.process = PLANTED_PID, .id = tid});
}

static inline uint32_t planted_stream(struct planted *p, int64_t device, int64_t stream)
{
    return trace_lane(p->trace, (struct lane){.device = true, .process = device, .id = stream});
}

static inline struct event planted_event(struct planted *p, enum event_kind kind, uint32_t lane, const char *name,
                                         int64_t us, int64_t dur_us)
{
    return (struct event){.start_ns = us * 1000,
                          .dur_ns = dur_us * 1000,
                          .name = intern_id(trace_names(p->trace), str_of(name)),
                          .lane = lane,
                          .kind = kind};
}

/* Adds an event; returns its row. */
static inline uint32_t plant(struct planted *p, enum event_kind kind, uint32_t lane, const char *name, int64_t us,
                             int64_t dur_us)
{
    const struct event event = planted_event(p, kind, lane, name, us, dur_us);
    trace_add(p->trace, &event);
    return p->rows++;
}

static inline uint32_t plant_linked(struct planted *p, enum event_kind kind, uint32_t lane, const char *name,
                                    int64_t us, int64_t dur_us, int64_t correlation)
{
    struct event event = planted_event(p, kind, lane, name, us, dur_us);
    event_set(&event, ATTR_CORRELATION, correlation);
    if (kind == EVENT_COPY)
        event_set(&event, ATTR_BYTES, 1000 * dur_us);
    trace_add(p->trace, &event);
    return p->rows++;
}

static inline uint32_t plant_host(struct planted *p, enum event_kind kind, const char *name, int64_t us, int64_t dur_us)
{
    return plant(p, kind, planted_thread(p, PLANTED_MAIN), name, us, dur_us);
}

static inline uint32_t plant_step(struct planted *p, int64_t number, int64_t us, int64_t dur_us)
{
    char name[40];
    snprintf(name, sizeof name, "ProfilerStep#%lld", (long long)number);
    return plant_host(p, EVENT_ANNOTATION, name, us, dur_us);
}

/* A launch call on a thread and the work it launches. Returns the row of the work. */
struct planted_work {
    int64_t thread, launch_us, launch_dur_us;
    int64_t device, stream;
    enum event_kind kind;
    const char *call, *name;
    int64_t us, dur_us;
};

static inline uint32_t plant_work(struct planted *p, struct planted_work w)
{
    const int64_t correlation = p->correlation++;
    plant_linked(p, EVENT_RUNTIME, planted_thread(p, w.thread ? w.thread : PLANTED_MAIN),
                 w.call ? w.call : "cudaLaunchKernel", w.launch_us, w.launch_dur_us, correlation);
    return plant_linked(p, w.kind ? w.kind : EVENT_KERNEL, planted_stream(p, w.device, w.stream ? w.stream : 7),
                        w.name ? w.name : "sgemm_128x64", w.us, w.dur_us, correlation);
}

#endif
