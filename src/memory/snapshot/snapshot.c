/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"

#include "base/error.h"
#include "machine.h"

bool snapshot_is(str head)
{
    return head.len >= 2 && (uint8_t)head.at[0] == 0x80 && head.at[1] >= 2 && head.at[1] <= 5;
}

/* Entries of the device whose list breaks off stand behind those of the lists that are whole. */
static void take_rest(struct machine *m)
{
    uint32_t first = 0;
    for (size_t i = 0; i < m->trace_count; i++)
        if (m->traces[i].count)
            first = m->traces[i].first + m->traces[i].count;
    for (size_t i = first; i < m->log->event_count; i++)
        m->log->events[i].device = (uint16_t)m->trace_count;
    m->log->devices = (uint32_t)m->trace_count + (first < m->log->event_count);
}

static void take_devices(struct machine *m)
{
    struct memory_log *log = m->log;
    for (size_t i = 0; i < m->trace_count; i++)
        for (uint32_t k = 0; k < m->traces[i].count; k++)
            log->events[m->traces[i].first + k].device = (uint16_t)i;
    log->devices = (uint32_t)m->trace_count;
    if (log->cut)
        take_rest(m);
    for (size_t i = 0; i < log->segment_count; i++)
        if (log->segments[i].device >= log->devices)
            log->devices = log->segments[i].device + 1u;
    log->device_id = arena_array(log->arena, log->devices ? log->devices : 1, sizeof *log->device_id);
    for (uint32_t i = 0; i < log->devices; i++)
        log->device_id[i] = i;
}

/* Older snapshots do not say where a block lies: behind the one before. */
static void place_blocks(struct memory_log *log)
{
    for (size_t i = 0; i < log->segment_count; i++) {
        const struct memory_segment *segment = &log->segments[i];
        uint64_t at = (uint64_t)segment->address;
        for (uint32_t k = 0; k < segment->blocks; k++) {
            struct memory_block *block = &log->blocks[segment->first_block + k];
            if (block->address == INT64_MIN)
                block->address = (int64_t)at;
            at += (uint64_t)block->bytes;
        }
    }
}

/* Whether some of these events have frames, and none has one of C++. */
static bool of_python_alone(const struct memory_log *log, enum memory_action action)
{
    bool some = false;
    for (size_t i = 0; i < log->frame_count; i++)
        if (!(log->frames[i].flags & FRAME_OF_PYTHON))
            return false;
    for (size_t i = 0; i < log->event_count && !some; i++)
        some = log->events[i].action == action && log->events[i].context;
    return some;
}

/* Where Python's stacks alone are recorded, the threads of autograd's engine have none: so what has none is a backward's. */
static void take_threads(struct memory_log *log)
{
    const bool allocs = of_python_alone(log, MEMORY_ALLOC), frees = of_python_alone(log, MEMORY_FREE);
    if (!allocs)
        return;
    struct memory_context context = memory_context_empty();
    context.recorded = true;
    context.flags = FRAME_IN_BACKWARD;
    const uint32_t backward = memory_log_context(log, context);
    for (size_t i = 0; i < log->event_count; i++) {
        struct memory_event *event = &log->events[i];
        const bool freed = event->action == MEMORY_FREE || event->action == MEMORY_FREED;
        if (!event->context && (event->action == MEMORY_ALLOC || (freed && frees)))
            event->context = backward;
    }
}

static bool finish(struct machine *m, bool whole, str *broken, struct steptime_error *err)
{
    struct memory_log *log = m->log;
    const str path = str_of(source_path(m->source));
    if (m->failed)
        return false;
    if (!whole) {
        const char *damage = source_damage(m->source);
        log->cut = true;
        *broken = str_printf(log->arena, "the file breaks off at byte %lld%s%s: what stands before is shown",
                             (long long)source_offset(m->source), damage ? ", " : "", damage ? damage : "");
    }
    if (!log->event_count && !log->segment_count && !(whole && m->is_snapshot))
        return fail_at(err, STEPTIME_INPUT, path, -1,
                       whole ? "is a Python pickle, but no snapshot of PyTorch's allocator"
                             : "breaks off before the first entry of a snapshot");
    log->has_segments = whole;
    log->asked_sizes = true;
    place_blocks(log);
    take_threads(log);
    take_devices(m);
    return true;
}

bool snapshot_read(struct source *source, struct memory_log *log, str *broken, struct steptime_error *err)
{
    struct machine m = {.source = source, .log = log, .err = err};
    *broken = S("");
    shapes_begin(&m);
    const bool whole = machine_run(&m);
    const bool good = finish(&m, whole, broken, err);
    machine_free(&m);
    return good;
}
