/* SPDX-License-Identifier: Apache-2.0 */
#include "host_event.h"

#include "calls.h"
#include "cause.h"

enum meaning { NOT_JUDGED, PLAIN, COMPILING, COMMUNICATION, LAUNCH, SYNC, COPY, COPY_ASYNC, LOADING };

struct host_events {
    const struct trace *trace;
    const struct work_classes *classes;
    uint8_t *meanings; /* by text id: enum meaning */
};

struct host_events *host_events_new(const struct trace *trace, const struct work_classes *classes, struct arena *arena)
{
    struct host_events *events = arena_alloc(arena, sizeof *events);
    *events = (struct host_events){trace, classes, arena_array(arena, trace_text_count(trace), 1)};
    return events;
}

static enum meaning judge(const struct host_events *events, uint32_t row)
{
    const str name = trace_name(events->trace, row);
    const enum cause cause = cause_of_name(name, events->trace->kind[row]);
    if (cause == CAUSE_COMPILATION)
        return COMPILING;
    if (events->trace->kind[row] == EVENT_PYTHON)
        return PLAIN;
    if (cause == CAUSE_LOADING || cause == CAUSE_LOADER_WAIT)
        return LOADING;
    const bool communicates = cause == CAUSE_COLLECTIVE || work_host_communication(events->classes, row);
    const enum meaning plain = communicates ? COMMUNICATION : PLAIN;
    if (events->trace->kind[row] != EVENT_RUNTIME)
        return plain;
    switch (call_effect(name)) {
    case CALL_LAUNCH:
        return LAUNCH;
    case CALL_SYNC:
        return SYNC;
    case CALL_COPY:
        return str_has(name, S("Async")) ? COPY_ASYNC : COPY;
    default:
        return plain;
    }
}

static enum meaning meaning_of(struct host_events *events, uint32_t row)
{
    uint8_t *known = &events->meanings[events->trace->name[row]];
    if (*known == NOT_JUDGED)
        *known = (uint8_t)judge(events, row);
    return *known;
}

/*
 * Whether an asynchronous copy call returns only when the copy is done: those
 * that touch pageable memory do. Where the kind of memory is not recorded, the
 * call waited if it outlasted its copy.
 */
static bool waits(const struct host_events *events, uint32_t call)
{
    const uint32_t work = events->trace->cause[call];
    if (work == ROW_NONE || events->trace->kind[work] != EVENT_COPY)
        return false;
    const enum copy_direction direction = work_copy_direction(events->classes, work);
    const enum host_memory memory = work_copy_memory(events->classes, work);
    if ((direction != COPY_H2D && direction != COPY_D2H) || memory == HOST_PINNED)
        return false;
    return memory == HOST_PAGEABLE || trace_end_ns(events->trace, call) >= trace_end_ns(events->trace, work);
}

static struct host_open opened(const struct host_events *events, uint32_t row, enum host_state state)
{
    return (struct host_open){trace_end_ns(events->trace, row), row, state};
}

static enum host_state call_state(struct host_events *events, uint32_t row)
{
    switch (meaning_of(events, row)) {
    case LAUNCH:
        return HOST_LAUNCHING;
    case SYNC:
        return HOST_BLOCKED;
    case COMPILING:
        return HOST_COMPILING;
    case LOADING:
        return HOST_LOADING;
    case COPY:
        return HOST_BLOCKED;
    case COPY_ASYNC:
        return waits(events, row) ? HOST_BLOCKED : HOST_LAUNCHING;
    case COMMUNICATION:
        return HOST_COMMUNICATING;
    default:
        return HOST_IN_OPERATOR;
    }
}

struct host_open host_open_call(struct host_events *events, uint32_t row)
{
    return opened(events, row, call_state(events, row));
}

struct host_open host_open_mark(struct host_events *events, uint32_t row)
{
    return opened(events, row, host_mark_state(events, row));
}

enum host_state host_mark_state(struct host_events *events, uint32_t row)
{
    if (events->trace->kind[row] == EVENT_OVERHEAD)
        return cause_of_name(trace_name(events->trace, row), EVENT_OVERHEAD) == CAUSE_RECORDER ? HOST_PROFILING
                                                                                               : HOST_BETWEEN;
    if (events->trace->kind[row] == EVENT_PYTHON)
        return meaning_of(events, row) == COMPILING ? HOST_COMPILING : HOST_BETWEEN;
    if (events->trace->kind[row] != EVENT_ANNOTATION)
        return HOST_BETWEEN;
    if (meaning_of(events, row) == LOADING)
        return HOST_LOADING;
    return meaning_of(events, row) == COMMUNICATION ? HOST_COMMUNICATING : HOST_BETWEEN;
}
