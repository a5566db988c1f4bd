/* SPDX-License-Identifier: Apache-2.0 */
#include "account.h"

#include "base/order.h"
#include "base/sort.h"
#include "base/sum.h"

enum { POINTS = 240 };

/* ---- the walk over the events, in their order ---- */

struct walk {
    const struct memory_lives *lives;
    struct memory_account *out;
    int64_t held, reserved;
    int64_t *change; /* by row, from the first of the device: bytes that are held more from it on */
    uint32_t step;
};

static int64_t reserved_change(const struct memory_event *event)
{
    switch (event->action) {
    case MEMORY_SEGMENT:
    case MEMORY_MAP:
        return event->bytes;
    case MEMORY_UNSEGMENT:
    case MEMORY_UNMAP:
        return -event->bytes;
    default:
        return 0;
    }
}

static int64_t reserved_begin(const struct memory_log *log, uint16_t device)
{
    int64_t reserved = 0;
    if (log->reserved_begin)
        return log->reserved_begin[device];
    if (!log->has_segments)
        return -1;
    for (size_t i = log->segment_begin[device]; i < log->segment_begin[device + 1]; i++)
        sum_to(&reserved, log->segments[i].bytes);
    for (size_t i = memory_first_row(log, device); i < memory_end_row(log, device); i++)
        sum_to(&reserved, -reserved_change(&log->events[i]));
    return larger_of(reserved, 0);
}

static int64_t held_begin(const struct memory_lives *lives)
{
    int64_t held = 0;
    for (size_t i = 0; i < lives->count; i++)
        if (lives->at[i].born == LIFE_BEFORE)
            sum_to(&held, lives->at[i].bytes);
    return held;
}

static void reach(struct walk *walk, int64_t row, int64_t time_ns)
{
    struct memory_account *out = walk->out;
    if (walk->held > out->peak) {
        out->peak = walk->held;
        out->peak_row = row;
        out->peak_ns = time_ns;
        out->reserved_at_peak = walk->reserved;
    }
    out->reserved_peak = larger_of(out->reserved_peak, walk->reserved);
}

/* Steps come in the order of rows, and so does the walk. */
static void reach_in_step(struct walk *walk, int64_t row)
{
    const struct memory_steps *steps = &walk->out->steps;
    while (walk->step < steps->count && steps->at[walk->step].end <= row)
        walk->step++;
    if (walk->step == steps->count || steps->at[walk->step].first > row)
        return;
    struct memory_step_numbers *numbers = &walk->out->step_numbers[walk->step];
    numbers->peak = larger_of(numbers->peak, walk->held);
    numbers->reserved = larger_of(numbers->reserved, walk->reserved);
    numbers->end = walk->held;
}

static void out_of_memory(struct walk *walk, const struct memory_event *event, int64_t row, struct arena *arena)
{
    struct memory_account *out = walk->out;
    out->outs = arena_one_more(arena, out->outs, out->out_count, sizeof *out->outs);
    out->outs[out->out_count++] = (struct memory_out){.row = row,
                                                      .time_ns = event->time_ns,
                                                      .asked = event->bytes,
                                                      .device_free = event->address,
                                                      .held = walk->held,
                                                      .reserved = walk->reserved,
                                                      .context = event->context};
}

static void point(struct memory_account *out, uint32_t index, const struct walk *walk, int64_t time_ns)
{
    struct memory_point *at = &out->timeline[index];
    if (index >= out->points) {
        for (uint32_t i = out->points; i <= index; i++)
            out->timeline[i] = (struct memory_point){.time_ns = -1, .held = -1, .reserved = -1};
        out->points = index + 1;
    }
    if (walk->held > at->held)
        at->time_ns = time_ns;
    at->held = larger_of(at->held, walk->held);
    at->reserved = larger_of(at->reserved, walk->reserved);
}

static void count_events(const struct memory_log *log, uint16_t device, struct memory_account *out)
{
    for (size_t i = memory_first_row(log, device); i < memory_end_row(log, device); i++) {
        const struct memory_event *event = &log->events[i];
        out->allocations += event->action == MEMORY_ALLOC;
        out->frees += event->action == MEMORY_FREE;
        out->frames |= event->action == MEMORY_ALLOC && log->contexts[event->context].recorded;
        if (event->time_ns >= 0) {
            out->first_ns = out->first_ns < 0 ? event->time_ns : smaller_of(out->first_ns, event->time_ns);
            out->last_ns = larger_of(out->last_ns, event->time_ns);
        }
    }
}

static int64_t *changes_of(const struct memory_lives *lives, struct arena *arena)
{
    const size_t first = memory_first_row(lives->log, lives->device);
    int64_t *change = arena_array(arena, memory_end_row(lives->log, lives->device) - first, sizeof *change);
    for (size_t i = 0; i < lives->count; i++) {
        const struct memory_life *life = &lives->at[i];
        if (life->born != LIFE_BEFORE)
            sum_to(&change[life->born - (int64_t)first], life->bytes);
        if (life->died != LIFE_AFTER)
            sum_to(&change[life->died - (int64_t)first], -life->bytes);
    }
    return change;
}

/* Each event has one of its own where there are few. */
static uint32_t point_of(size_t nth, size_t events)
{
    return (uint32_t)(events < POINTS ? nth : (uint64_t)nth * POINTS / events);
}

static void walk_events(struct walk *walk, struct arena *arena)
{
    const struct memory_log *log = walk->lives->log;
    struct memory_account *out = walk->out;
    const size_t first = memory_first_row(log, walk->lives->device), end = memory_end_row(log, walk->lives->device);
    out->timeline = arena_array(arena, smaller_of((int64_t)(end - first), POINTS), sizeof *out->timeline);
    reach(walk, LIFE_BEFORE, -1);
    for (size_t i = first; i < end; i++) {
        const struct memory_event *event = &log->events[i];
        sum_to(&walk->held, walk->change[i - first]);
        if (walk->reserved >= 0)
            walk->reserved = larger_of(sum_add(walk->reserved, reserved_change(event)), 0);
        reach(walk, (int64_t)i, event->time_ns);
        reach_in_step(walk, (int64_t)i);
        if (event->action == MEMORY_OOM)
            out_of_memory(walk, event, (int64_t)i, arena);
        point(out, point_of(i - first, end - first), walk, event->time_ns);
    }
    out->end = walk->held;
    out->reserved_end = walk->reserved;
}

/* ---- all of it ---- */

static void tell_layouts(const struct memory_lives *lives, struct memory_account *out)
{
    enum { MOST_REPLAYED = 20 };
    out->at_end = memory_layout_end(lives->log, lives->device);
    out->at_peak = memory_layout_at(lives, out->peak_row + 1, memory_request_large());
    for (uint32_t i = 0; i < out->out_count && i < MOST_REPLAYED; i++)
        out->outs[i].layout =
            memory_layout_at(lives, out->outs[i].row, memory_request_of(lives->log, out->outs[i].row));
}

/* The middle one of the changes from the end of a step to that of the next, without the first step. */
static int64_t growth_of(const struct memory_account *out, struct arena *scratch)
{
    const uint32_t count = out->steps.count;
    if (count < 3)
        return 0;
    int64_t *changes = arena_array(scratch, count - 2, sizeof *changes);
    for (uint32_t i = 2; i < count; i++)
        changes[i - 2] = sum_add(out->step_numbers[i].end, -out->step_numbers[i - 1].end);
    sort_values(changes, count - 2);
    return changes[(count - 2) / 2];
}

void memory_account_of(const struct memory_common *common, uint16_t device, struct arena *arena,
                       struct memory_account *out)
{
    const struct memory_log *log = common->log;
    struct arena scratch = {0};
    *out = (struct memory_account){
        .log = log, .device = log->device_id[device], .first_ns = -1, .last_ns = -1, .peak = -1, .reserved_peak = -1};
    count_events(log, device, out);
    struct memory_lives lives = memory_lives_of(log, device);
    out->unmatched = lives.unmatched;
    out->doubled = lives.doubled;
    out->steps = memory_steps_of(common, device, arena);
    out->step_numbers = arena_array(arena, out->steps.count, sizeof *out->step_numbers);
    for (uint32_t i = 0; i < out->steps.count; i++)
        out->step_numbers[i] = (struct memory_step_numbers){.number = out->steps.at[i].number, .reserved = -1};
    out->begin = held_begin(&lives);
    out->begin_known = log->has_segments || (log->held_begin && !(log->begin_partial && log->begin_partial[device]));
    out->reserved_begin = reserved_begin(log, device);
    struct walk walk = {.lives = &lives,
                        .out = out,
                        .held = out->begin,
                        .reserved = out->reserved_begin,
                        .change = changes_of(&lives, &scratch)};
    walk_events(&walk, arena);
    out->growth = growth_of(out, &scratch);
    arena_free(&scratch);
    out->peak_step = memory_step_at(&out->steps, out->peak_row);
    memory_categorise(&lives, &out->steps, &common->owners);
    account_lines(&lives, common->group_of, out, arena);
    account_leaks(&lives, common->group_of, out, arena);
    tell_layouts(&lives, out);
    memory_lives_free(&lives);
}
