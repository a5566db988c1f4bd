/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <string.h>

#include "base/mem.h"

struct rows {
    int64_t *at;
    size_t count, room;
};

static void add_row(struct rows *rows, int64_t row)
{
    rows->at = mem_grow(rows->at, &rows->room, rows->count + 1, sizeof *rows->at);
    rows->at[rows->count++] = row;
}

/* A row that is the first at some times or later: at those of first <= index <= last. */
struct reached {
    int64_t row;
    uint32_t first, last;
};

static uint32_t first_after(const struct memory_times *times, uint32_t from, int64_t time_ns)
{
    uint32_t low = from, high = times->count;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (times->at[mid].time_ns <= time_ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/*
 * The rows of the device at which times are reached, each once, in order; times that none reaches are at the end. Takes the
 * rows of the device, however many times there are.
 */
static struct reached *reach_times(const struct memory_log *log, uint16_t device, const struct memory_times *times,
                                   uint32_t *count)
{
    struct reached *reached = NULL;
    size_t room = 0;
    uint32_t next = 0;
    const size_t end = memory_end_row(log, device);
    *count = 0;
    for (size_t i = memory_first_row(log, device); i <= end && next < times->count; i++) {
        const uint32_t after = i == end ? times->count : first_after(times, next, log->events[i].time_ns);
        if (after == next)
            continue;
        reached = mem_grow(reached, &room, *count + (size_t)1, sizeof *reached);
        reached[(*count)++] = (struct reached){(int64_t)i, next, after - 1};
        next = after;
    }
    return reached;
}

static int64_t row_at(const struct memory_log *log, uint16_t device, int64_t time_ns)
{
    size_t i = memory_first_row(log, device);
    while (i < memory_end_row(log, device) && log->events[i].time_ns < time_ns)
        i++;
    return (int64_t)i;
}

static void add_step(struct memory_steps *steps, int64_t number, int64_t first, int64_t end)
{
    if (end > first)
        steps->at[steps->count++] = (struct memory_step){number, first, end};
}

/* ---- by what the recording tells ---- */

static bool by_recording(const struct memory_common *common, uint16_t device, struct memory_steps *steps,
                         struct arena *arena)
{
    const struct memory_log *log = common->log;
    uint32_t count;
    if (!common->steps.count)
        return false;
    struct reached *reached = reach_times(log, device, &common->steps, &count);
    const int64_t end = row_at(log, device, common->steps_end_ns);
    steps->source = STEPS_BY_RECORDING;
    steps->at = arena_array(arena, count, sizeof *steps->at);
    for (uint32_t i = 0; i < count; i++)
        add_step(steps, common->steps.at[reached[i].last].number, reached[i].row,
                 i + 1 < count ? reached[i + 1].row : end);
    mem_free(reached);
    return steps->count;
}

/* The optimizer that comes first is at the end of each step. */
static bool by_optimizer(const struct memory_common *common, uint16_t device, struct memory_steps *steps,
                         struct arena *arena)
{
    uint32_t count;
    if (common->optimizer_ends.count < 2)
        return false;
    struct reached *reached = reach_times(common->log, device, &common->optimizer_ends, &count);
    int64_t first = (int64_t)memory_first_row(common->log, device);
    steps->source = STEPS_BY_OPTIMIZER;
    steps->at = arena_array(arena, count, sizeof *steps->at);
    for (uint32_t i = 0; i < count; first = reached[i++].row)
        add_step(steps, reached[i].first, first, reached[i].row);
    mem_free(reached);
    return steps->count;
}

/* ---- by frames ---- */

/* Rows at which events of the flag begin; `left`: rows at which they are over instead. */
static void changes(const struct memory_log *log, uint16_t device, unsigned flag, bool left, struct rows *rows)
{
    bool inside = false;
    for (size_t i = memory_first_row(log, device); i < memory_end_row(log, device); i++) {
        const struct memory_event *event = &log->events[i];
        const struct memory_context *context = &log->contexts[event->context];
        if (event->action != MEMORY_ALLOC || !context->recorded)
            continue;
        const bool now = context->flags & flag;
        if (now != inside && inside == left)
            add_row(rows, (int64_t)i);
        inside = now;
    }
    if (inside && left)
        add_row(rows, (int64_t)memory_end_row(log, device));
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
            steps->at[i] =
                (struct memory_step){i, i ? rows.at[i - 1] : (int64_t)memory_first_row(log, device), rows.at[i]};
    }
    mem_free(rows.at);
    return steps->count;
}

/* ---- optimizers ---- */

static void find_optimizers(const struct memory_common *common, uint16_t device, struct memory_steps *steps,
                            struct arena *arena)
{
    uint32_t count = 0;
    struct rows rows = {0};
    struct reached *reached = reach_times(common->log, device, &common->optimizer_begins, &count);
    for (uint32_t i = 0; i < count; i++)
        add_row(&rows, reached[i].row);
    if (!common->optimizer_begins.count)
        changes(common->log, device, FRAME_IN_OPTIMIZER, false, &rows);
    steps->optimizers = (uint32_t)rows.count;
    steps->optimizer = arena_array(arena, rows.count, sizeof *rows.at);
    if (rows.count)
        memcpy(steps->optimizer, rows.at, rows.count * sizeof *rows.at);
    mem_free(reached);
    mem_free(rows.at);
}

static str words_of(const struct memory_log *log, enum memory_step_source source)
{
    static const char *const words[] = {
        [STEPS_BY_NONE] = "no steps are told",
        [STEPS_BY_RECORDING] = "steps are the ranges ProfilerStep",
        [STEPS_BY_OPTIMIZER] = "steps end with Optimizer.step",
        [STEPS_BY_FRAMES] = "steps end with allocations in an optimizer",
        [STEPS_BY_BACKWARD] = "steps end with a backward",
    };
    return source == STEPS_BY_RECORDING && log->step_count ? log->steps_told_by : str_of(words[source]);
}

struct memory_steps memory_steps_of(const struct memory_common *common, uint16_t device, struct arena *arena)
{
    struct memory_steps steps = {0};
    const struct memory_log *log = common->log;
    find_optimizers(common, device, &steps, arena);
    if (!by_recording(common, device, &steps, arena) && !by_optimizer(common, device, &steps, arena) &&
        !by_changes(log, device, FRAME_IN_OPTIMIZER, true, STEPS_BY_FRAMES, &steps, arena) &&
        !by_changes(log, device, FRAME_IN_BACKWARD, true, STEPS_BY_BACKWARD, &steps, arena))
        steps.source = STEPS_BY_NONE;
    steps.told_by = words_of(log, steps.source);
    return steps;
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
