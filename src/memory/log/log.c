/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include "base/hash.h"
#include "base/mem.h"

struct memory_log memory_log_new(struct arena *arena)
{
    struct memory_log log = {.names = intern_new(), .arena = arena};
    memory_log_context(&log, memory_context_empty());
    return log;
}

void memory_log_free(struct memory_log *log)
{
    mem_free(log->events);
    mem_free(log->frames);
    mem_free(log->contexts);
    mem_free(log->segments);
    mem_free(log->blocks);
    mem_free(log->marks);
    mem_free(log->owners);
    map_free(&log->context_ids);
    map_free(&log->stream_ids);
    if (log->names)
        intern_free(log->names);
    *log = (struct memory_log){0};
}

/* ---- contexts ---- */

static bool same_context(const struct memory_context *a, const struct memory_context *b)
{
    return a->user == b->user && a->inner == b->inner && a->node == b->node && a->flags == b->flags &&
           a->recorded == b->recorded && a->of_forward == b->of_forward;
}

static uint64_t hash_of(const struct memory_context *context)
{
    const uint64_t hash = hash_add(hash_add(context->user, context->inner), context->node);
    return hash_add(hash, context->flags | (uint64_t)context->recorded << 16 | (uint64_t)context->of_forward << 17);
}

uint32_t memory_log_context(struct memory_log *log, struct memory_context context)
{
    uint64_t hash = hash_of(&context);
    uint32_t known;
    for (; (known = map_get(&log->context_ids, (int64_t)hash)) != MAP_NONE; hash++)
        if (same_context(&log->contexts[known], &context))
            return known;
    log->contexts = mem_grow(log->contexts, &log->context_room, log->context_count + 1, sizeof *log->contexts);
    log->contexts[log->context_count] = context;
    map_put(&log->context_ids, (int64_t)hash, (uint32_t)log->context_count);
    return (uint32_t)log->context_count++;
}

void memory_context_add(const struct memory_log *log, struct memory_context *context, uint32_t frame)
{
    const struct memory_frame *of = &log->frames[frame];
    context->recorded = true;
    context->flags |= of->flags;
    if (context->user == MEMORY_NONE && of->flags & FRAME_OF_USER)
        context->user = frame;
    if (context->inner == MEMORY_NONE && of->flags & FRAME_OF_PYTHON && !(of->flags & FRAME_OF_TORCH))
        context->inner = frame;
    if (!context->node && of->flags & FRAME_OF_NODE)
        context->node = of->node;
}

/* ---- lists ---- */

struct memory_event *memory_log_event(struct memory_log *log)
{
    log->events = mem_grow(log->events, &log->event_room, log->event_count + 1, sizeof *log->events);
    struct memory_event *event = &log->events[log->event_count++];
    *event = (struct memory_event){.time_ns = -1, .stream = MEMORY_ANY_STREAM};
    return event;
}

struct memory_segment *memory_log_segment(struct memory_log *log)
{
    log->segments = mem_grow(log->segments, &log->segment_room, log->segment_count + 1, sizeof *log->segments);
    struct memory_segment *segment = &log->segments[log->segment_count++];
    *segment = (struct memory_segment){.stream = MEMORY_ANY_STREAM};
    return segment;
}

struct memory_block *memory_log_block(struct memory_log *log)
{
    log->blocks = mem_grow(log->blocks, &log->block_room, log->block_count + 1, sizeof *log->blocks);
    struct memory_block *block = &log->blocks[log->block_count++];
    *block = (struct memory_block){0};
    return block;
}

void memory_log_mark(struct memory_log *log, struct memory_mark of)
{
    log->marks = mem_grow(log->marks, &log->mark_room, log->mark_count + 1, sizeof *log->marks);
    log->marks[log->mark_count++] = of;
}

void memory_log_owner(struct memory_log *log, struct memory_owner of)
{
    log->owners = mem_grow(log->owners, &log->owner_room, log->owner_count + 1, sizeof *log->owners);
    log->owners[log->owner_count++] = of;
}

uint8_t memory_log_stream(struct memory_log *log, int64_t stream)
{
    const uint32_t known = map_get(&log->stream_ids, stream);
    if (known != MAP_NONE)
        return (uint8_t)known;
    if (log->streams == MEMORY_ANY_STREAM)
        return MEMORY_ANY_STREAM;
    map_put(&log->stream_ids, stream, log->streams);
    return (uint8_t)log->streams++;
}

/* ---- words ---- */

static str file_name(str path)
{
    size_t slash = path.len;
    while (slash && path.at[slash - 1] != '/' && path.at[slash - 1] != '\\')
        slash--;
    return str_from(path, slash);
}

str memory_frame_words(const struct memory_log *log, uint32_t frame, struct arena *arena)
{
    if (frame == MEMORY_NONE)
        return S("");
    const struct memory_frame *of = &log->frames[frame];
    const str file = file_name(intern_text(log->names, of->file)), name = intern_text(log->names, of->name);
    return str_printf(arena, "%.*s:%lld %.*s", (int)file.len, file.at, (long long)of->line, (int)name.len, name.at);
}
