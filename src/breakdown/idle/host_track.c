/* SPDX-License-Identifier: Apache-2.0 */
#include "host_track.h"

#include "base/mem.h"

/* An event that ends inside another that ends later stays below it, unseen, until that one goes. */
static void drop_ended(struct host_track *track, int64_t time_ns)
{
    while (track->depth && track->stack[track->depth - 1].end_ns <= time_ns)
        track->depth--;
}

/* What goes on inside a launch, a wait or the data loader belongs to it. */
static void inherit(struct host_open *open, const struct host_open *outer)
{
    if (outer->state != HOST_IN_OPERATOR && outer->state != HOST_BETWEEN)
        open->state = outer->state;
}

static void push(struct host_track *track, struct host_events *events, const struct trace *trace, uint32_t row)
{
    drop_ended(track, trace->start_ns[row]);
    struct host_open open = track->marks ? host_open_mark(events, row) : host_open_call(events, row);
    if (track->depth)
        inherit(&open, &track->stack[track->depth - 1]);
    if (track->depth == track->room)
        track->stack = mem_grow(track->stack, &track->room, track->depth + 1, sizeof *track->stack);
    track->stack[track->depth++] = open;
}

void host_track_move(struct host_track *track, struct host_events *events, const struct trace *trace, int64_t time_ns)
{
    while (track->next < track->rows.count && trace->start_ns[track->rows.at[track->next]] <= time_ns)
        push(track, events, trace, track->rows.at[track->next++]);
    drop_ended(track, time_ns);
    const int64_t next_ns = track->next < track->rows.count ? trace->start_ns[track->rows.at[track->next]] : INT64_MAX;
    track->now = (struct host_now){HOST_BETWEEN, ROW_NONE, next_ns};
    if (!track->depth)
        return;
    const struct host_open *top = &track->stack[track->depth - 1];
    track->now = (struct host_now){top->state, top->row, next_ns < top->end_ns ? next_ns : top->end_ns};
}

void host_track_rewind(struct host_track *track)
{
    track->next = 0;
    track->depth = 0;
    track->now.until_ns = 0;
}

void host_track_free(struct host_track *track)
{
    mem_free(track->stack);
    track->stack = NULL;
}
