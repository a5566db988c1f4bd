/* SPDX-License-Identifier: Apache-2.0 */
#include "cause_track.h"

#include "ops/rows/phase.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "cause_facts.h"

/* ---- the cause of an event ---- */

/* Names are judged once a sort of event. */
enum sort { CALL, FRAME, RANGE, ASIDE, SORTS };

struct judge {
    const struct trace *trace;
    const struct work_classes *classes;
    struct cause_facts *facts;
    uint8_t *known; /* by text and sort: cause + 1 */
};

static enum sort sort_of(enum event_kind kind)
{
    switch (kind) {
    case EVENT_RUNTIME:
        return CALL;
    case EVENT_PYTHON:
        return FRAME;
    case EVENT_OPERATOR:
    case EVENT_ANNOTATION:
        return RANGE;
    default:
        return ASIDE;
    }
}

static enum cause cause_of(const struct judge *judge, uint32_t row)
{
    const struct trace *trace = judge->trace;
    const enum event_kind kind = trace->kind[row];
    uint8_t *known = &judge->known[(size_t)trace->name[row] * SORTS + sort_of(kind)];
    if (!*known)
        *known = (uint8_t)(1 + cause_of_name(trace_name(trace, row), kind));
    const enum cause cause = (enum cause)(*known - 1);
    if (cause == CAUSE_NONE && sort_of(kind) == RANGE && work_host_communication(judge->classes, row))
        return CAUSE_COLLECTIVE;
    return cause_refined(judge->facts, row, cause);
}

/* ---- the events of a lane that say something ---- */

struct item {
    int64_t start_ns, end_ns;
    uint32_t row;
    enum cause cause;
};

struct items {
    struct item *at;
    size_t count, room;
};

static bool begins_capture(str name)
{
    return str_has(name, S("StreamBeginCapture"));
}

static bool ends_capture(str name)
{
    return str_has(name, S("StreamEndCapture"));
}

/* A capture lasts from its first call to its last. */
static void close_capture(const struct judge *judge, uint32_t row, size_t from, struct items *items)
{
    for (size_t i = items->count; i-- > from;)
        if (items->at[i].cause == CAUSE_CAPTURE && begins_capture(trace_name(judge->trace, items->at[i].row)) &&
            items->at[i].start_ns == judge->trace->start_ns[items->at[i].row]) {
            items->at[i].end_ns = trace_end_ns(judge->trace, row);
            return;
        }
}

static void add_item(struct items *items, struct item item)
{
    items->at = mem_grow(items->at, &items->room, items->count + 1, sizeof *items->at);
    items->at[items->count++] = item;
}

enum { HOLE_NS = 1000 * 1000 };

/*
 * What the event around a capture does by itself for 1 ms or more belongs to it: before, memory is collected and caches
 * are emptied, and after it what was recorded is looked through. No call shows that.
 */
static void add_holes(const struct judge *judge, uint32_t begin, struct items *items)
{
    const struct trace *trace = judge->trace;
    const uint32_t around = trace->parent[begin];
    if (around == ROW_NONE)
        return;
    const struct rows rows = trace_rows(trace, trace->lane[around], NEST_CALLS);
    const int64_t end = trace_end_ns(trace, around);
    int64_t busy_until = trace->start_ns[around];
    for (uint32_t i = trace_first_from(trace, rows, busy_until); i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (trace->start_ns[row] == trace->start_ns[around] && trace_end_ns(trace, row) >= end)
            continue; /* itself, or what stands around it */
        const int64_t start = trace->start_ns[row] < end ? trace->start_ns[row] : end;
        if (start - busy_until >= HOLE_NS)
            add_item(items, (struct item){busy_until, start, begin, CAUSE_CAPTURE});
        if (start == end)
            return;
        busy_until = trace_end_ns(trace, row) > busy_until ? trace_end_ns(trace, row) : busy_until;
    }
    if (end - busy_until >= HOLE_NS)
        add_item(items, (struct item){busy_until, end, begin, CAUSE_CAPTURE});
}

enum { IMPORT_CALLS = 16 }; /* looked at before the first compilation */

/*
 * The compiler is loaded when it is used first, for which no event stands. A pause in nothing of 1 ms or more that ends
 * before the first compilation by no more than a tenth of its own length belongs to it. Where frames were recorded they tell.
 */
static void add_import(const struct judge *judge, uint32_t first, struct items *items)
{
    const struct trace *trace = judge->trace;
    if (trace->kind[first] != EVENT_OPERATOR || trace->kinds[EVENT_PYTHON])
        return;
    uint32_t outermost = first;
    while (trace->parent[outermost] != ROW_NONE)
        outermost = trace->parent[outermost];
    const struct rows rows = trace_rows(trace, trace->lane[first], NEST_CALLS);
    const int64_t start = trace->start_ns[outermost];
    int64_t pause_end = start;
    uint32_t looked = 0;
    for (uint32_t i = trace_first_from(trace, rows, start); i-- > 0 && looked < IMPORT_CALLS; looked++) {
        if (trace->parent[rows.at[i]] != ROW_NONE)
            continue;
        const int64_t pause_start = trace_end_ns(trace, rows.at[i]);
        if (pause_end - pause_start >= HOLE_NS && start - pause_end <= (pause_end - pause_start) / 10)
            add_item(items, (struct item){pause_start, pause_end, first, CAUSE_COMPILATION});
        pause_end = trace->start_ns[rows.at[i]];
    }
}

static void add_rows(const struct judge *judge, struct rows rows, struct items *items)
{
    uint32_t captured = ROW_NONE; /* the event whose holes were added last */
    uint32_t begun = ROW_NONE;    /* the capture begun last */
    bool compiled = false;        /* a compilation was seen */
    size_t from = items->count;   /* captures from here on are open */
    for (uint32_t i = 0; i < rows.count; i++) {
        const enum cause cause = cause_of(judge, rows.at[i]);
        if (cause == CAUSE_NONE)
            continue;
        if (cause == CAUSE_COMPILATION && !compiled)
            add_import(judge, rows.at[i], items);
        compiled |= cause == CAUSE_COMPILATION;
        if (cause == CAUSE_CAPTURE && ends_capture(trace_name(judge->trace, rows.at[i]))) {
            close_capture(judge, rows.at[i], from, items);
            from = items->count;
        }
        if (cause == CAUSE_CAPTURE && begins_capture(trace_name(judge->trace, rows.at[i])) &&
            judge->trace->parent[rows.at[i]] != captured) {
            captured = judge->trace->parent[rows.at[i]];
            begun = rows.at[i];
            add_holes(judge, rows.at[i], items);
        }
        const int64_t start = judge->trace->start_ns[rows.at[i]];
        const bool goes_with =
            cause == CAUSE_CAPTURE && captured != ROW_NONE && judge->trace->parent[rows.at[i]] == captured;
        add_item(items,
                 (struct item){start, trace_end_ns(judge->trace, rows.at[i]), goes_with ? begun : rows.at[i], cause});
    }
}

/* By start; what stands around another begins before it or, at the same time, ends after it. */
static void sort_items(struct items *items)
{
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, items->count, sizeof *order);
    struct item *sorted = arena_array(&scratch, items->count, sizeof *sorted);
    for (size_t i = 0; i < items->count; i++)
        order[i] = (struct keyed){-items->at[i].end_ns, (uint32_t)i};
    sort_keyed(order, items->count);
    for (size_t i = 0; i < items->count; i++)
        order[i].key = items->at[order[i].row].start_ns;
    sort_keyed(order, items->count);
    for (size_t i = 0; i < items->count; i++)
        sorted[i] = items->at[order[i].row];
    if (items->count)
        memcpy(items->at, sorted, items->count * sizeof *sorted);
    arena_free(&scratch);
}

/* ---- stretches ---- */

struct cutting {
    const struct trace *trace;
    struct item *open;
    size_t depth, open_room;
    int64_t at_ns;
    struct cause_stretch *stretches;
    size_t count, room;
};

/*
 * What is said of the whole by what stands around: a sleep of the loader is loading, memory of a search is search, a launch
 * that takes long is the loading that the recorder tells of, and who waits inside of anything waits for that.
 */
static bool belongs_to(enum cause inner, enum cause outer)
{
    if (inner == CAUSE_WAITING)
        return outer != CAUSE_WAITING && outer != CAUSE_RECORDER;
    if (outer == CAUSE_LOADING)
        return inner == CAUSE_SLEEP;
    if (outer == CAUSE_MODULES)
        return inner == CAUSE_MODULES;
    return outer == CAUSE_SEARCH && inner >= CAUSE_START && inner <= CAUSE_NO_CACHE;
}

static struct item inmost(const struct cutting *c)
{
    const struct item *top = &c->open[c->depth - 1];
    for (size_t i = c->depth - 1; i-- > 0;)
        if (belongs_to(top->cause, c->open[i].cause))
            return c->open[i];
    return *top;
}

static void put(struct cutting *c, int64_t end_ns)
{
    const struct item item = inmost(c);
    struct cause_stretch *last = c->count ? &c->stretches[c->count - 1] : NULL;
    if (last && last->row == item.row && last->end_ns == c->at_ns) {
        last->end_ns = end_ns;
        return;
    }
    c->stretches = mem_grow(c->stretches, &c->room, c->count + 1, sizeof *c->stretches);
    c->stretches[c->count++] = (struct cause_stretch){c->at_ns, end_ns, item.row, item.cause};
}

/* Everything up to a time; what had ended by then is closed. */
static void cut_until(struct cutting *c, int64_t time_ns)
{
    while (c->depth && c->at_ns < time_ns) {
        const int64_t end = c->open[c->depth - 1].end_ns;
        if (end <= c->at_ns) {
            c->depth--;
            continue;
        }
        const int64_t until = end < time_ns ? end : time_ns;
        put(c, until);
        c->at_ns = until;
    }
    c->at_ns = time_ns;
}

static struct cause_track cut(const struct trace *trace, const struct items *items, struct arena *arena)
{
    struct cutting c = {.trace = trace, .at_ns = INT64_MIN};
    for (size_t i = 0; i < items->count; i++) {
        cut_until(&c, items->at[i].start_ns);
        c.open = mem_grow(c.open, &c.open_room, c.depth + 1, sizeof *c.open);
        c.open[c.depth++] = items->at[i];
    }
    cut_until(&c, INT64_MAX);
    struct cause_stretch *at = arena_array(arena, c.count, sizeof *at);
    if (c.count)
        memcpy(at, c.stretches, c.count * sizeof *at);
    mem_free(c.stretches);
    mem_free(c.open);
    return (struct cause_track){at, (uint32_t)c.count};
}

/* ---- all ---- */

static bool is_thread(const struct trace *trace, uint32_t lane)
{
    return !trace->lanes[lane].device &&
           (trace_rows(trace, lane, NEST_CALLS).count || trace_rows(trace, lane, NEST_ANNOTATION).count);
}

/* What stands on lanes that are no threads concerns the whole process: it is told of the training thread. */
static void add_process(const struct judge *judge, uint32_t thread, struct items *items)
{
    for (uint32_t lane = 0; thread == trace_main_lane(judge->trace) && lane < judge->trace->lane_count; lane++)
        if (!judge->trace->lanes[lane].device && !is_thread(judge->trace, lane))
            add_rows(judge, trace_rows(judge->trace, lane, NEST_ASIDE), items);
}

struct cause_track *cause_tracks_of(const struct trace *trace, const struct work_classes *classes, struct arena *arena)
{
    struct arena scratch = {0};
    struct cause_track *tracks = arena_array(arena, trace->lane_count, sizeof *tracks);
    const struct judge judge = {trace, classes, cause_facts_new(trace, &scratch),
                                arena_array(&scratch, (size_t)trace_text_count(trace) * SORTS, 1)};
    struct items items = {0};
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        if (!is_thread(trace, lane))
            continue;
        items.count = 0;
        for (enum nest nest = NEST_CALLS; nest <= NEST_ASIDE; nest++)
            add_rows(&judge, trace_rows(trace, lane, nest), &items);
        add_process(&judge, lane, &items);
        sort_items(&items);
        tracks[lane] = cut(trace, &items, arena);
    }
    mem_free(items.at);
    arena_free(&scratch);
    return tracks;
}

uint32_t cause_track_find(const struct cause_track *track, int64_t time_ns)
{
    return (uint32_t)search_after(track->at, track->count, sizeof *track->at, offsetof(struct cause_stretch, end_ns),
                                  time_ns);
}

struct judged_rows rows_judge(const struct trace *trace, struct arena *arena)
{
    const struct work_classes *classes = work_classes_new(trace, arena);
    return (struct judged_rows){
        .classes = classes, .phases = phases_of(trace, arena), .tracks = cause_tracks_of(trace, classes, arena)};
}
