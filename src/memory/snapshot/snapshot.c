/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"

#include "base/error.h"
#include "machine.h"

bool snapshot_is(str head)
{
    return head.len >= 2 && (uint8_t)head.at[0] == 0x80 && head.at[1] >= 2 && head.at[1] <= 5;
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

static bool tells_lives(const struct memory_log *log)
{
    for (size_t i = 0; i < log->event_count; i++)
        if (log->events[i].action == MEMORY_ALLOC || log->events[i].action == MEMORY_FREE)
            return true;
    return false;
}

/* `device`: in whose history it breaks off; MEMORY_NONE. */
static str broken_words(const struct machine *m, uint32_t device)
{
    struct arena *arena = m->log->arena;
    const char *damage = source_damage(m->source);
    const str in = device == MEMORY_NONE ? S("") : str_printf(arena, ", in the history of GPU %u", device);
    return str_printf(arena, "the file breaks off at byte %lld%.*s%s%s: what stands before is shown",
                      (long long)source_offset(m->source), (int)in.len, in.at, damage ? ", " : "",
                      damage ? damage : "");
}

static bool finish(struct machine *m, bool whole, str *broken, struct steptime_error *err)
{
    struct memory_log *log = m->log;
    const str path = str_of(source_path(m->source));
    if (m->failed)
        return false;
    log->cut = !whole;
    if (!log->event_count && !log->segment_count && !(whole && m->is_snapshot))
        return fail_at(err, STEPTIME_INPUT, path, -1,
                       whole ? "is a Python pickle, but no snapshot of PyTorch's allocator"
                             : "breaks off before the first entry of a snapshot");
    if (!whole && !tells_lives(log))
        return fail_at(err, STEPTIME_INPUT, path, source_offset(m->source),
                       "the file breaks off before the first allocation of its history: what was held is not known");
    log->has_segments = whole;
    log->asked_sizes = true;
    place_blocks(log);
    take_threads(log);
    const uint32_t breaks = devices_take(m);
    memory_log_by_device(log);
    if (!whole)
        *broken = broken_words(m, breaks);
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
