/* SPDX-License-Identifier: Apache-2.0 */
#include "traced.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/sum.h"
#include "evidence/place.h"
#include "ops/rows/phase.h"

enum { MOST_DEVICES = 1024, HIGHEST_CLIMB = 200 };

struct reading {
    const struct trace *trace;
    struct memory_log *log;
    struct stacks *stacks;
    const uint8_t *phases;
    struct map frames;        /* by hash of what a frame says: its number */
    struct map devices;       /* by id */
    uint32_t *moves;          /* by text: 0 not asked, 1 no, 2: a frame that moves or makes a module */
    int64_t *held, *reserved; /* by device: what the last event said; -1: none came */
};

bool traced_has(const struct trace *trace)
{
    return trace_attr_count(trace, ATTR_ADDRESS) && trace_attr_count(trace, ATTR_TOTAL_ALLOCATED);
}

/* ---- from where ---- */

static uint32_t frame_of(struct reading *r, str name, str file, int64_t line)
{
    const uint32_t name_id = intern_id(r->log->names, name), file_id = intern_id(r->log->names, file);
    uint64_t hash = hash_add(hash_add(name_id, file_id), (uint64_t)line);
    for (uint32_t known; (known = map_get(&r->frames, (int64_t)hash)) != MAP_NONE; hash++) {
        const struct memory_frame *frame = &r->log->frames[known];
        if (frame->name == name_id && frame->file == file_id && frame->line == line)
            return known;
    }
    const uint32_t frame = memory_log_frame(r->log, name_id, file_id, line);
    map_put(&r->frames, (int64_t)hash, frame);
    return frame;
}

/* Whether a frame of Python is of Module.to and the like, or of a module that makes its parameters. */
static bool moves_module(struct reading *r, uint32_t text)
{
    uint32_t *known = &r->moves[text];
    if (!*known) {
        const struct frame *frame = stacks_frame(r->stacks, text);
        *known = 1;
        if (frame->kind == FRAME_FUNCTION) {
            const uint32_t of = frame_of(r, frame->name, frame->file, frame->line);
            *known += (r->log->frames[of].flags & FRAME_MOVES_MODULE) != 0;
        }
    }
    return *known == 2;
}

static bool in_move(struct reading *r, uint32_t row)
{
    uint32_t at = trace_frame(r->trace, row);
    for (int climb = 0; at != ROW_NONE && climb < HIGHEST_CLIMB; climb++, at = r->trace->parent[at])
        if (moves_module(r, r->trace->name[at]))
            return true;
    return false;
}

static unsigned flags_of(struct reading *r, uint32_t row, uint32_t operator)
{
    const uint32_t range = trace_open_at(r->trace, r->trace->lane[row], NEST_ANNOTATION, r->trace->start_ns[row]);
    const enum phase of_range = range == ROW_NONE ? PHASE_NONE : (enum phase)r->phases[range];
    const enum phase phase = operator== ROW_NONE ? of_range : (enum phase)r->phases[operator];
    if (phase == PHASE_BACKWARD)
        return FRAME_IN_BACKWARD;
    if (phase == PHASE_OPTIMIZER)
        return FRAME_IN_OPTIMIZER;
    if (in_move(r, row))
        return FRAME_MOVES_MODULE;
    return phase == PHASE_FORWARD ? FRAME_IN_FORWARD : 0;
}

static uint32_t context_of(struct reading *r, uint32_t row)
{
    const uint32_t operator= trace_operator(r->trace, row);
    const struct place place = place_of(r->stacks, operator== ROW_NONE ? row : operator);
    struct memory_context context = memory_context_empty();
    context.flags = (uint16_t)flags_of(r, row, operator);
    context.recorded = operator!= ROW_NONE || place_known(&place) || context.flags;
    context.of_forward = place.backward;
    if (operator!= ROW_NONE)
        context.node = intern_id(r->log->names, trace_name(r->trace, operator));
    if (place_known(&place)) {
        r->log->first_lines |= place.line < 0;
        const int64_t line = place.line >= 0 ? place.line : place.function.line;
        context.user = context.inner = frame_of(r, place.function.name, place.function.file, line);
    }
    return memory_log_context(r->log, context);
}

/* ---- events ---- */

/* MEMORY_NONE: of more devices than there can be. */
static uint32_t device_of(struct reading *r, uint32_t row)
{
    const bool host = trace_attr_or(r->trace, row, ATTR_MEMORY_KIND, 0) == 0;
    const int64_t id = host ? -1 : trace_attr_or(r->trace, row, ATTR_MEMORY_DEVICE, 0);
    const uint32_t known = map_get(&r->devices, id);
    if (known != MAP_NONE)
        return known;
    if (r->log->devices == MOST_DEVICES)
        return MEMORY_NONE;
    r->log->device_id[r->log->devices] = id;
    r->held[r->log->devices] = r->reserved[r->log->devices] = -1;
    map_put(&r->devices, id, r->log->devices);
    return r->log->devices++;
}

/* What was reserved more or less since the event before. */
static void note_reserved(struct reading *r, uint32_t row, uint32_t device, int64_t time_ns)
{
    int64_t now;
    if (r->log->device_id[device] < 0) /* the host's has no such thing, and 0 is recorded */
        return;
    if (!trace_attr(r->trace, row, ATTR_TOTAL_RESERVED, &now) || now < 0 || now > MEMORY_MOST_BYTES)
        return;
    const int64_t before = r->reserved[device];
    r->reserved[device] = now;
    if (before < 0)
        r->log->reserved_begin[device] = now;
    if (before < 0 || before == now)
        return;
    *memory_log_event(r->log) = (struct memory_event){.address = -1,
                                                      .bytes = now > before ? now - before : before - now,
                                                      .time_ns = time_ns,
                                                      .device = (uint16_t)device,
                                                      .action = now > before ? MEMORY_SEGMENT : MEMORY_UNSEGMENT};
}

static void add_event(struct reading *r, uint32_t row)
{
    int64_t bytes, address, total;
    if (!trace_attr(r->trace, row, ATTR_BYTES, &bytes) || !trace_attr(r->trace, row, ATTR_ADDRESS, &address) ||
        !trace_attr(r->trace, row, ATTR_TOTAL_ALLOCATED, &total))
        return;
    const uint32_t device = device_of(r, row);
    const int64_t time_ns = r->trace->start_ns[row];
    if (device == MEMORY_NONE || bytes == 0 || bytes > MEMORY_MOST_BYTES || bytes < -MEMORY_MOST_BYTES)
        return;
    note_reserved(r, row, device, time_ns);
    if (r->held[device] < 0) {
        r->held[device] = 0;
        /* The host's total counts from where a recorder began; one that is the first piece alone says nothing of before. */
        r->log->begin_partial[device] = r->log->device_id[device] < 0 && total <= (bytes > 0 ? bytes : 0);
        r->log->held_begin[device] = total >= 0 && total <= MEMORY_MOST_BYTES && total > bytes ? total - bytes : 0;
    }
    *memory_log_event(r->log) = (struct memory_event){.address = address,
                                                      .bytes = bytes > 0 ? bytes : -bytes,
                                                      .time_ns = time_ns,
                                                      .context = context_of(r, row),
                                                      .device = (uint16_t)device,
                                                      .action = bytes > 0 ? MEMORY_ALLOC : MEMORY_FREE};
}

static void add_events(struct reading *r)
{
    const struct trace *trace = r->trace;
    struct keyed *rows = NULL;
    size_t count = 0, room = 0;
    for (uint32_t row = 0; row < trace->count; row++) {
        if (trace->kind[row] != EVENT_INSTANT || !str_eq(trace_name(trace, row), S("[memory]")))
            continue;
        rows = mem_grow(rows, &room, count + 1, sizeof *rows);
        rows[count++] = (struct keyed){trace->start_ns[row], row};
    }
    if (count)
        sort_keyed(rows, count);
    for (size_t i = 0; i < count; i++)
        add_event(r, rows[i].row);
    mem_free(rows);
}

/* ---- marks ---- */

static void add_range(struct memory_log *log, str name, int64_t start_ns, int64_t end_ns)
{
    const uint32_t id = intern_id(log->names, name);
    memory_log_mark(log, (struct memory_mark){id, start_ns, false});
    memory_log_mark(log, (struct memory_mark){id, end_ns, true});
}

static void add_steps(const struct trace *trace, struct memory_log *log)
{
    if (trace->step_source == STEPS_NONE || !trace->step_count)
        return;
    struct memory_log_step *steps = arena_array(log->arena, trace->step_count, sizeof *steps);
    for (uint32_t i = 0; i < trace->step_count; i++)
        steps[i] = (struct memory_log_step){trace->steps[i].number, trace->steps[i].start_ns, trace->steps[i].end_ns};
    log->steps = steps;
    log->step_count = trace->step_count;
    log->steps_told_by = str_printf(log->arena, "steps as the trace has them: %s", step_source_id(trace->step_source));
}

static void add_marks(const struct trace *trace, struct memory_log *log)
{
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_ANNOTATION && str_starts(trace_name(trace, row), S("Optimizer.step#")))
            add_range(log, trace_name(trace, row), trace->start_ns[row], trace_end_ns(trace, row));
}

struct memory_log traced_log(const struct trace *trace, struct arena *arena)
{
    struct memory_log log = memory_log_new(arena);
    if (!traced_has(trace))
        return log;
    struct arena scratch = {0};
    log.device_id = arena_array(arena, MOST_DEVICES, sizeof *log.device_id);
    log.held_begin = arena_array(arena, MOST_DEVICES, sizeof *log.held_begin);
    log.begin_partial = arena_array(arena, MOST_DEVICES, sizeof *log.begin_partial);
    log.reserved_begin = arena_array(arena, MOST_DEVICES, sizeof *log.reserved_begin);
    struct reading r = {.trace = trace,
                        .log = &log,
                        .stacks = stacks_new(trace, (struct place_filter){0}, &scratch),
                        .phases = phases_of(trace, &scratch),
                        .moves = arena_array(&scratch, trace_text_count(trace), sizeof *r.moves),
                        .held = arena_array(&scratch, MOST_DEVICES, sizeof *r.held),
                        .reserved = arena_array(&scratch, MOST_DEVICES, sizeof *r.reserved)};
    for (int i = 0; i < MOST_DEVICES; i++)
        log.reserved_begin[i] = -1;
    add_events(&r);
    add_steps(trace, &log);
    add_marks(trace, &log);
    memory_log_by_device(&log);
    log.cut = trace->info.cut;
    map_free(&r.frames);
    map_free(&r.devices);
    arena_free(&scratch);
    return log;
}
