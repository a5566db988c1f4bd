/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begin and end events. Each lane has a stack of what has begun, kept as a
 * chain through one array. An end belongs to the innermost begin of its name
 * near the top of the stack; if none has it, to the top itself.
 */
#include "base/mem.h"
#include "kineto.h"

enum { NONE = UINT32_MAX, MOST_OPEN = 1 << 18, LOOK_DOWN = 64 };

struct open_event {
    struct event event;
    int64_t offset;
    uint32_t below; /* the one below on its lane; of a free place: the next free one */
    bool live;
};

static uint32_t *top_of(struct kineto *k, uint32_t lane)
{
    const size_t before = k->open_lanes;
    if (lane >= before) {
        k->open_top = mem_grow(k->open_top, &k->open_lanes, lane + (size_t)1, sizeof *k->open_top);
        for (size_t i = before; i < k->open_lanes; i++)
            k->open_top[i] = NONE;
    }
    return &k->open_top[lane];
}

static uint32_t free_place(struct kineto *k)
{
    if (k->open_freed) {
        const uint32_t place = k->open_free;
        k->open_free = k->open[place].below;
        k->open_freed--;
        return place;
    }
    k->open = mem_grow(k->open, &k->open_room, k->open_count + 1, sizeof *k->open);
    return (uint32_t)k->open_count++;
}

void kineto_begin(struct kineto *k, const struct event *event)
{
    if (k->open_count - k->open_freed == MOST_OPEN) {
        trace_note(k->trace, NOTE_DROPPED, k->event_offset, "event dropped: too many have begun and not ended");
        return;
    }
    const uint32_t place = free_place(k);
    uint32_t *const top = top_of(k, event->lane);
    k->open[place] = (struct open_event){*event, k->event_offset, *top, true};
    *top = place;
}

/* The link to what the end belongs to; NULL where nothing is open. */
static uint32_t *link_of(struct kineto *k, const struct event *end)
{
    uint32_t *const top = top_of(k, end->lane);
    if (*top == NONE)
        return NULL;
    if (!end->name)
        return top;
    uint32_t *link = top;
    for (int i = 0; i < LOOK_DOWN && *link != NONE; i++) {
        if (k->open[*link].event.name == end->name)
            return link;
        link = &k->open[*link].below;
    }
    trace_note(k->trace, NOTE_REPAIRED, k->event_offset, "an end of another name taken for the innermost begin");
    return top;
}

static void finish(struct kineto *k, struct event *event, int64_t end_ns)
{
    if (end_ns < event->start_ns)
        trace_note(k->trace, NOTE_REPAIRED, k->event_offset, "an end before its begin: duration taken as 0");
    event->dur_ns = end_ns < event->start_ns ? 0 : end_ns - event->start_ns;
    kineto_commit(k, event);
}

/* What the args of the end say comes on top of what those of the begin said. */
static void join_attributes(struct event *event, const struct event *end)
{
    for (uint64_t has = end->has; has; has &= has - 1) {
        const enum attr attr = (enum attr)__builtin_ctzll(has);
        event_set(event, attr, end->attr[attr]);
    }
}

void kineto_end(struct kineto *k, const struct event *end)
{
    uint32_t *const link = link_of(k, end);
    if (!link) {
        trace_note(k->trace, NOTE_DROPPED, k->event_offset, "event dropped: an end without a begin");
        return;
    }
    const uint32_t place = *link;
    struct open_event *const open = &k->open[place];
    *link = open->below;
    join_attributes(&open->event, end);
    finish(k, &open->event, end->start_ns);
    open->live = false;
    open->below = k->open_free;
    k->open_free = place;
    k->open_freed++;
}

void kineto_close_open(struct kineto *k)
{
    const int64_t last_ns = k->seen.last_ns;
    for (size_t i = 0; i < k->open_count; i++) {
        struct open_event *const open = &k->open[i];
        if (!open->live)
            continue;
        k->event_offset = open->offset;
        trace_note(k->trace, NOTE_REPAIRED, open->offset, "a begin without an end: it lasts to the end of the trace");
        finish(k, &open->event, last_ns > open->event.start_ns ? last_ns : open->event.start_ns);
    }
    mem_free(k->open);
    mem_free(k->open_top);
}
