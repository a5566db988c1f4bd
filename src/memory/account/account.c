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
    int64_t *change; /* by row: bytes that are held more from it on; in heap memory */
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
    for (size_t i = 0; i < log->segment_count; i++)
        if (log->segments[i].device == device)
            sum_to(&reserved, log->segments[i].bytes);
    for (size_t i = 0; i < log->event_count; i++)
        if (log->events[i].device == device)
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

static uint64_t events_of(const struct memory_log *log, uint16_t device, struct memory_account *out)
{
    uint64_t count = 0;
    for (size_t i = 0; i < log->event_count; i++) {
        const struct memory_event *event = &log->events[i];
        if (event->device != device)
            continue;
        count++;
        out->allocations += event->action == MEMORY_ALLOC;
        out->frees += event->action == MEMORY_FREE;
        out->frames |= event->action == MEMORY_ALLOC && log->contexts[event->context].recorded;
        if (event->time_ns >= 0) {
            out->first_ns = out->first_ns < 0 ? event->time_ns : smaller_of(out->first_ns, event->time_ns);
            out->last_ns = larger_of(out->last_ns, event->time_ns);
        }
    }
    return count;
}

static void fill_changes(const struct memory_lives *lives, int64_t *change)
{
    for (size_t i = 0; i < lives->count; i++) {
        const struct memory_life *life = &lives->at[i];
        if (life->born != LIFE_BEFORE)
            sum_to(&change[life->born], life->bytes);
        if (life->died != LIFE_AFTER)
            sum_to(&change[life->died], -life->bytes);
    }
}

static void walk_events(struct walk *walk, uint64_t events, struct arena *arena)
{
    const struct memory_log *log = walk->lives->log;
    struct memory_account *out = walk->out;
    out->timeline = arena_array(arena, POINTS, sizeof *out->timeline);
    reach(walk, LIFE_BEFORE, -1);
    uint64_t nth = 0;
    for (size_t i = 0; i < log->event_count; i++) {
        const struct memory_event *event = &log->events[i];
        if (event->device != walk->lives->device)
            continue;
        sum_to(&walk->held, walk->change[i]);
        if (walk->reserved >= 0)
            walk->reserved = larger_of(sum_add(walk->reserved, reserved_change(event)), 0);
        reach(walk, (int64_t)i, event->time_ns);
        reach_in_step(walk, (int64_t)i);
        if (event->action == MEMORY_OOM)
            out_of_memory(walk, event, (int64_t)i, arena);
        point(out, (uint32_t)(nth++ * POINTS / events), walk, event->time_ns);
    }
    out->end = walk->held;
    out->reserved_end = walk->reserved;
}

/* ---- all of it ---- */

static void tell_layouts(const struct memory_lives *lives, struct memory_account *out)
{
    enum { MOST_REPLAYED = 20 };
    out->at_end = memory_layout_end(lives->log, lives->device);
    out->at_peak = memory_layout_at(lives, out->peak_row + 1);
    for (uint32_t i = 0; i < out->out_count && i < MOST_REPLAYED; i++)
        out->outs[i].layout = memory_layout_at(lives, out->outs[i].row);
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

void memory_account_of(const struct memory_log *log, uint16_t device, struct arena *arena, struct memory_account *out)
{
    struct arena scratch = {0};
    *out = (struct memory_account){
        .log = log, .device = log->device_id[device], .first_ns = -1, .last_ns = -1, .peak = -1, .reserved_peak = -1};
    const uint64_t events = events_of(log, device, out);
    struct memory_lives lives = memory_lives_of(log, device);
    out->unmatched = lives.unmatched;
    out->doubled = lives.doubled;
    out->steps = memory_steps_of(log, device, arena);
    out->step_numbers = arena_array(arena, out->steps.count, sizeof *out->step_numbers);
    for (uint32_t i = 0; i < out->steps.count; i++)
        out->step_numbers[i] = (struct memory_step_numbers){.number = out->steps.at[i].number, .reserved = -1};
    out->begin = held_begin(&lives);
    out->reserved_begin = reserved_begin(log, device);
    struct walk walk = {.lives = &lives,
                        .out = out,
                        .held = out->begin,
                        .reserved = out->reserved_begin,
                        .change = arena_array(&scratch, log->event_count, sizeof *walk.change)};
    fill_changes(&lives, walk.change);
    walk_events(&walk, events, arena);
    out->growth = growth_of(out, &scratch);
    arena_free(&scratch);
    out->peak_step = memory_step_at(&out->steps, out->peak_row);
    memory_categorise(&lives, &out->steps);
    account_lines(&lives, out, arena);
    account_leaks(&lives, out, arena);
    tell_layouts(&lives, out);
    memory_lives_free(&lives);
}
