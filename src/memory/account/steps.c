/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

struct rows {
    int64_t *at;
    size_t count, room;
};

static void add_row(struct rows *rows, int64_t row)
{
    rows->at = mem_grow(rows->at, &rows->room, rows->count + 1, sizeof *rows->at);
    rows->at[rows->count++] = row;
}

/* Times, sorted, become the first row of the device at that time or later. */
static void times_to_rows(const struct memory_log *log, uint16_t device, int64_t *times, size_t count)
{
    size_t next = 0;
    sort_values(times, count);
    for (size_t i = 0; i < log->event_count && next < count; i++)
        if (log->events[i].device == device)
            while (next < count && log->events[i].time_ns >= times[next])
                times[next++] = (int64_t)i;
    while (next < count)
        times[next++] = (int64_t)log->event_count;
}

/* ---- by marks ---- */

static str text_of(const struct memory_log *log, uint32_t name)
{
    return intern_text(log->names, name);
}

static int64_t number_of(str name, int64_t otherwise)
{
    int64_t number;
    return str_starts(name, S("ProfilerStep#")) && str_int(str_from(name, 13), &number) ? number : otherwise;
}

static int by_time(const void *a, const void *b)
{
    const struct memory_mark *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Marks of a name that begins so, of one end alone, in order of time. */
static struct memory_mark *marks_of(const struct memory_log *log, str prefix, bool end, struct arena *arena,
                                    uint32_t *count)
{
    struct memory_mark *marks = arena_array(arena, log->mark_count, sizeof *marks);
    *count = 0;
    for (size_t i = 0; i < log->mark_count; i++)
        if (log->marks[i].end == end && log->marks[i].time_ns >= 0 &&
            str_starts(text_of(log, log->marks[i].name), prefix))
            marks[(*count)++] = log->marks[i];
    qsort(marks, *count, sizeof *marks, by_time);
    return marks;
}

static void fill_steps(const struct memory_log *log, uint16_t device, const struct memory_mark *marks, uint32_t count,
                       int64_t last_ns, struct memory_steps *steps, struct arena *arena)
{
    int64_t *rows = arena_array(arena, (size_t)count + 1, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = marks[i].time_ns;
    rows[count] = last_ns;
    times_to_rows(log, device, rows, (size_t)count + 1);
    steps->at = arena_array(arena, count, sizeof *steps->at);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i + 1] > rows[i])
            steps->at[steps->count++] =
                (struct memory_step){number_of(text_of(log, marks[i].name), i), rows[i], rows[i + 1]};
}

static bool by_profiler(const struct memory_log *log, uint16_t device, struct memory_steps *steps, struct arena *arena)
{
    uint32_t count, ends;
    const struct memory_mark *marks = marks_of(log, S("ProfilerStep#"), false, arena, &count);
    const struct memory_mark *closed = marks_of(log, S("ProfilerStep#"), true, arena, &ends);
    if (!count)
        return false;
    steps->source = STEPS_BY_PROFILER;
    fill_steps(log, device, marks, count, ends ? closed[ends - 1].time_ns : INT64_MAX, steps, arena);
    return steps->count;
}

/* The optimizer that comes first is at the end of each step. */
static bool by_optimizer(const struct memory_log *log, uint16_t device, struct memory_steps *steps, struct arena *arena)
{
    uint32_t count, kept = 0;
    struct memory_mark *marks = marks_of(log, S("Optimizer.step#"), true, arena, &count);
    for (uint32_t i = 0; i < count; i++)
        if (marks[i].name == marks[0].name)
            marks[kept++] = marks[i];
    if (kept < 2)
        return false;
    steps->source = STEPS_BY_OPTIMIZER;
    int64_t *rows = arena_array(arena, kept, sizeof *rows);
    for (uint32_t i = 0; i < kept; i++)
        rows[i] = marks[i].time_ns;
    times_to_rows(log, device, rows, kept);
    steps->at = arena_array(arena, kept, sizeof *steps->at);
    for (uint32_t i = 0; i < kept; i++)
        if (rows[i] > (i ? rows[i - 1] : 0))
            steps->at[steps->count++] = (struct memory_step){i, i ? rows[i - 1] : 0, rows[i]};
    return steps->count;
}

/* ---- by frames ---- */

/* Rows at which events of the flag begin; `left`: rows at which they are over instead. */
static void changes(const struct memory_log *log, uint16_t device, unsigned flag, bool left, struct rows *rows)
{
    bool inside = false;
    for (size_t i = 0; i < log->event_count; i++) {
        const struct memory_event *event = &log->events[i];
        const struct memory_context *context = &log->contexts[event->context];
        if (event->device != device || event->action != MEMORY_ALLOC || !context->recorded)
            continue;
        const bool now = context->flags & flag;
        if (now != inside && inside == left)
            add_row(rows, (int64_t)i);
        inside = now;
    }
    if (inside && left)
        add_row(rows, (int64_t)log->event_count);
}

static bool by_changes(const struct memory_log *log, uint16_t device, unsigned flag, bool left,
                       enum memory_step_source source, struct memory_steps *steps, struct arena *arena)
{
    struct rows rows = {0};
    changes(log, device, flag, left, &rows);
    if (rows.count >= 2) {
        steps->source = source;
        steps->count = (uint32_t)rows.count;
        steps->at = arena_array(arena, rows.count, sizeof *steps->at);
        for (uint32_t i = 0; i < steps->count; i++)
            steps->at[i] = (struct memory_step){i, i ? rows.at[i - 1] : 0, rows.at[i]};
    }
    mem_free(rows.at);
    return steps->count;
}

/* ---- optimizers ---- */

static void find_optimizers(const struct memory_log *log, uint16_t device, struct memory_steps *steps,
                            struct arena *arena)
{
    uint32_t count;
    const struct memory_mark *marks = marks_of(log, S("Optimizer.step#"), false, arena, &count);
    struct rows rows = {0};
    for (uint32_t i = 0; i < count; i++)
        add_row(&rows, marks[i].time_ns);
    if (count)
        times_to_rows(log, device, rows.at, rows.count);
    else
        changes(log, device, FRAME_IN_OPTIMIZER, false, &rows);
    steps->optimizers = (uint32_t)rows.count;
    steps->optimizer = arena_array(arena, rows.count, sizeof *rows.at);
    if (rows.count)
        memcpy(steps->optimizer, rows.at, rows.count * sizeof *rows.at);
    mem_free(rows.at);
}

struct memory_steps memory_steps_of(const struct memory_log *log, uint16_t device, struct arena *arena)
{
    struct memory_steps steps = {0};
    find_optimizers(log, device, &steps, arena);
    if (by_profiler(log, device, &steps, arena) || by_optimizer(log, device, &steps, arena) ||
        by_changes(log, device, FRAME_IN_OPTIMIZER, true, STEPS_BY_FRAMES, &steps, arena) ||
        by_changes(log, device, FRAME_IN_BACKWARD, true, STEPS_BY_BACKWARD, &steps, arena))
        return steps;
    steps.source = STEPS_BY_NONE;
    return steps;
}

const char *memory_step_words(enum memory_step_source source)
{
    static const char *const words[] = {
        [STEPS_BY_NONE] = "no steps are told",
        [STEPS_BY_PROFILER] = "steps as the trace has them",
        [STEPS_BY_OPTIMIZER] = "steps end with Optimizer.step",
        [STEPS_BY_FRAMES] = "steps end with allocations in an optimizer",
        [STEPS_BY_BACKWARD] = "steps end with a backward",
    };
    return words[source];
}

/* ---- asking ---- */

uint32_t memory_step_at(const struct memory_steps *steps, int64_t row)
{
    uint32_t low = 0, high = steps->count;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (steps->at[mid].end <= row)
            low = mid + 1;
        else
            high = mid;
    }
    return low < steps->count && steps->at[low].first <= row ? low : MEMORY_NONE;
}

bool memory_optimizer_between(const struct memory_steps *steps, int64_t after, int64_t before)
{
    uint32_t low = 0, high = steps->optimizers;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (steps->optimizer[mid] <= after)
            low = mid + 1;
        else
            high = mid;
    }
    return low < steps->optimizers && steps->optimizer[low] < before;
}
