/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

#include "ops/words/rules.h"

/*
 * Names of CUDA's runtime and driver and of HIP. hipMemcpyWithStream returns
 * when the copy is done (HIP manual); freeing device or pinned memory waits for
 * the device (CUDA manual, implicit synchronisation).
 */
static const struct name_rule rules[] = {
    {"eventsynchronize", RUNTIME_EVENT_SYNC},
    {"streamsynchronize", RUNTIME_STREAM_SYNC},
    {"synchronize", RUNTIME_DEVICE_SYNC},
    {"signal_wait", RUNTIME_DEVICE_SYNC},
    {"streamwaitevent", RUNTIME_STREAM_WAIT},
    {"eventrecord", RUNTIME_EVENT_RECORD},
    {"freeasync", RUNTIME_OTHER},
    {"freehost", RUNTIME_FREE},
    {"^cudafree", RUNTIME_FREE},
    {"^hipfree", RUNTIME_FREE},
    {"^cumemfree", RUNTIME_FREE},
    {"memcpywithstream", RUNTIME_BLOCKING_COPY},
    {"memcpy*async", RUNTIME_COPY},
    {"memcpy", RUNTIME_BLOCKING_COPY},
    {"launch", RUNTIME_LAUNCH},
    {"memset", RUNTIME_LAUNCH},
};

enum runtime_call runtime_call_of(str name)
{
    return (enum runtime_call)name_judged(name, rules, sizeof rules / sizeof *rules, RUNTIME_OTHER);
}

const uint8_t *runtime_calls_of(const struct trace *trace, struct arena *arena)
{
    uint8_t *known = arena_alloc(arena, trace_text_count(trace)); /* 1 + call */
    for (uint32_t row = 0; row < trace->count; row++) {
        uint8_t *call = &known[trace->name[row]];
        if (trace->kind[row] == EVENT_RUNTIME && !*call)
            *call = (uint8_t)(1 + runtime_call_of(trace_name(trace, row)));
    }
    for (uint32_t id = 0; id < trace_text_count(trace); id++)
        known[id] -= known[id] > 0;
    return known;
}
