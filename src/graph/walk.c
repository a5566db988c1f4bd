/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's time is cut where a call begins or ends (its stretches), and each
 * stretch where the thread stops: in a wait for the device, or in a pause while
 * another thread works. What remains are the pieces.
 */
#include "walk.h"

static bool is_stream(const struct walk *walk)
{
    return walk->waits->trace->lanes[walk->lane].device;
}

static bool next_work(struct walk *walk, struct piece *piece)
{
    const struct trace *trace = walk->waits->trace;
    if (walk->next == walk->rows.count)
        return false;
    const uint32_t row = walk->rows.at[walk->next++];
    *piece = (struct piece){trace->start_ns[row], trace_end_ns(trace, row), row, NODE_DEVICE, GATE_NONE};
    return true;
}

/* ---- stretches of a thread ---- */

static void open_next(struct walk *walk)
{
    walk->open = walk->rows.at[walk->next++];
    if (walk->waits->trace->kind[walk->open] == EVENT_RUNTIME && walk->waits->trace->cause[walk->open] != ROW_NONE)
        walk->last_launch = walk->open;
}

/*
 * Moves to the next boundary of the lane: the start of a call inside the open
 * one (or after the gap), or the open one's end. False at the end of the lane.
 */
static bool next_stretch(struct walk *walk)
{
    const struct trace *trace = walk->waits->trace;
    const bool more = walk->next < walk->rows.count;
    const int64_t next_start = more ? trace->start_ns[walk->rows.at[walk->next]] : INT64_MAX;
    if (walk->open == ROW_NONE) {
        if (!more)
            return false;
        open_next(walk);
    } else if (next_start < trace_end_ns(trace, walk->open)) {
        open_next(walk);
    } else {
        walk->open = trace->parent[walk->open];
    }
    return true;
}

/* Where the stretch that begins at at_ns ends. Children may end after their parents, so no end is before at_ns. */
static int64_t stretch_end(const struct walk *walk)
{
    const struct trace *trace = walk->waits->trace;
    const int64_t next_start = walk->next < walk->rows.count ? trace->start_ns[walk->rows.at[walk->next]] : INT64_MAX;
    const int64_t open_end = walk->open == ROW_NONE ? INT64_MAX : trace_end_ns(trace, walk->open);
    int64_t end = next_start < open_end ? next_start : open_end;
    if (end == INT64_MAX)
        end = walk->end_ns;
    return end < walk->at_ns ? walk->at_ns : end;
}

/* ---- the first stretch ---- */

/* From the first to the last that is known of a thread; of the training thread annotations and Python frames count too. */
static void bound_lane(struct walk *walk)
{
    const struct trace *trace = walk->waits->trace;
    walk->at_ns = walk->rows.count ? trace->start_ns[walk->rows.at[0]] : INT64_MAX;
    if (walk->lane != trace_main_lane(trace))
        return;
    for (enum nest nest = NEST_CALLS; nest <= NEST_PYTHON; nest++) {
        const struct rows rows = trace_rows(trace, walk->lane, nest);
        for (uint32_t i = 0; i < rows.count; i++) {
            const uint32_t row = rows.at[i];
            if (trace->parent[row] != ROW_NONE)
                continue;
            if (trace->start_ns[row] < walk->at_ns)
                walk->at_ns = trace->start_ns[row];
            if (trace_end_ns(trace, row) > walk->end_ns)
                walk->end_ns = trace_end_ns(trace, row);
        }
    }
}

static void start_thread(struct walk *walk)
{
    bound_lane(walk);
    walk->until_ns = stretch_end(walk);
    const struct pause *first = walk->pauses.count ? walk->pauses.at : NULL;
    if (!first || first->start_ns != walk->at_ns || first->end_ns != walk->at_ns)
        return;
    walk->gate = GATE_THREAD;
    walk->partner = first->partner;
    walk->next_pause = 1;
}

enum { LAUNCHES_BACK = 4096 }; /* calls among which the last launch before the window is looked for */

static uint32_t last_launch_before(const struct trace *trace, struct rows rows, uint32_t next)
{
    for (uint32_t back = 0; next-- > 0 && back < LAUNCHES_BACK; back++)
        if (trace->kind[rows.at[next]] == EVENT_RUNTIME && trace->cause[rows.at[next]] != ROW_NONE)
            return rows.at[next];
    return ROW_NONE;
}

/* In the middle of a thread's work: with what is open there. */
static void enter_thread(struct walk *walk)
{
    const struct trace *trace = walk->waits->trace;
    const int64_t from = walk->waits->window.start_ns;
    walk->at_ns = from;
    walk->end_ns = walk->waits->window.end_ns;
    walk->open = trace_open_at(trace, walk->lane, walk->nest, from - 1);
    walk->last_launch = last_launch_before(trace, walk->rows, walk->next);
    walk->until_ns = stretch_end(walk);
}

struct walk walk_of(const struct waits *waits, uint32_t lane, struct pauses pauses)
{
    struct walk walk = {
        .waits = waits, .lane = lane, .pauses = pauses, .open = ROW_NONE, .waited = ROW_NONE, .last_launch = ROW_NONE};
    walk.nest = is_stream(&walk) ? NEST_WORK : NEST_CALLS;
    if (walk.nest == NEST_CALLS && !trace_rows(waits->trace, lane, NEST_CALLS).count)
        walk.nest = NEST_ANNOTATION;
    walk.rows = trace_rows(waits->trace, lane, walk.nest);
    walk.next = trace_first_from(waits->trace, walk.rows, waits->window.start_ns);
    if (is_stream(&walk) || !walk.rows.count)
        return walk;
    if (walk.next)
        enter_thread(&walk);
    else
        start_thread(&walk);
    return walk;
}

/* ---- stops ---- */

struct stop {
    int64_t start_ns, end_ns;
    enum gate gate;
};

/* The wait of the open call belongs to the stretch in which it ends. */
static bool find_wait(struct walk *walk, struct stop *stop)
{
    if (walk->open == ROW_NONE || walk->open == walk->waited ||
        !wait_of(walk->waits, walk->open, walk->last_launch, &walk->wait))
        return false;
    if (walk->wait.resume_ns < walk->at_ns || walk->wait.resume_ns > walk->until_ns)
        return false;
    walk->waited = walk->open;
    const int64_t enter = walk->wait.enter_ns > walk->at_ns ? walk->wait.enter_ns : walk->at_ns;
    *stop = (struct stop){enter, walk->wait.resume_ns, GATE_DEVICE};
    return true;
}

static bool find_pause(struct walk *walk, struct stop *stop)
{
    while (walk->next_pause < walk->pauses.count && walk->pauses.at[walk->next_pause].end_ns < walk->at_ns)
        walk->next_pause++;
    if (walk->next_pause == walk->pauses.count)
        return false;
    const struct pause *pause = &walk->pauses.at[walk->next_pause];
    if (pause->in_call != (walk->open != ROW_NONE) || pause->start_ns < walk->at_ns || pause->end_ns > walk->until_ns)
        return false;
    walk->next_pause++;
    walk->partner = pause->partner;
    *stop = (struct stop){pause->start_ns, pause->end_ns, GATE_THREAD};
    return true;
}

/* ---- pieces ---- */

static struct piece piece_until(struct walk *walk, int64_t end_ns)
{
    struct piece piece = {walk->at_ns, end_ns, walk->open, NODE_CALL, walk->gate};
    if (walk->open == ROW_NONE) {
        const bool after = walk->next == walk->rows.count;
        piece.row = walk->rows.at[walk->next - after];
        piece.kind = after ? NODE_AFTER : NODE_BETWEEN;
    }
    walk->gate = GATE_NONE;
    return piece;
}

/* The part of the stretch up to its next stop; false if it is empty and nothing depends on it. */
static bool next_part(struct walk *walk, struct piece *piece)
{
    struct stop stop;
    if (find_wait(walk, &stop) || find_pause(walk, &stop)) {
        *piece = piece_until(walk, stop.start_ns);
        walk->at_ns = stop.end_ns;
        walk->gate = stop.gate;
        return piece->end_ns > piece->start_ns || piece->gate != GATE_NONE;
    }
    *piece = piece_until(walk, walk->until_ns);
    walk->at_ns = walk->until_ns;
    return piece->end_ns > piece->start_ns || piece->gate != GATE_NONE;
}

static bool next_host(struct walk *walk, struct piece *piece)
{
    if (!walk->rows.count)
        return false;
    for (;;) {
        if (walk->at_ns < walk->until_ns || walk->gate != GATE_NONE) {
            if (next_part(walk, piece))
                return true;
            continue;
        }
        if (!next_stretch(walk))
            return false;
        walk->until_ns = stretch_end(walk);
    }
}

bool walk_next(struct walk *walk, struct piece *piece)
{
    const bool more = is_stream(walk) ? next_work(walk, piece) : next_host(walk, piece);
    return more && piece->start_ns < walk->waits->window.end_ns;
}
