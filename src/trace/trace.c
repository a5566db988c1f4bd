/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a trace. The columns grow by doubling and belong to this file; what
 * follows from them is made once, in trace_finish, by the other files of the
 * room. The const pointers of struct trace always mirror the private ones.
 */
#include "trace.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>

#include "base/format.h"
#include "base/hash.h"
#include "base/mem.h"
#include "parallel/par.h"
#include "private.h"

enum { MOST_NOTES = 500 };

void trace_mirror(struct trace *t)
{
    const struct trace_private *p = t->private;
    t->start_ns = p->start_ns;
    t->dur_ns = p->dur_ns;
    t->name = p->name;
    t->lane = p->lane;
    t->parent = p->parent;
    t->cause = p->cause;
    t->kind = p->kind;
    t->attrs = p->attr;
    t->order = p->order;
    t->group = p->group;
    t->lanes = p->lanes;
    t->notes = p->notes;
    t->steps = p->steps;
}

struct trace *trace_new(void)
{
    struct trace *t = mem_zeroed(sizeof *t);
    t->private = mem_zeroed(sizeof *t->private);
    t->private->names = intern_new();
    t->private->last_lane = LANE_NONE;
    t->private->main_lane = LANE_NONE;
    t->info.rank = t->info.world_size = -1;
    trace_mirror(t);
    return t;
}

struct intern *trace_names(struct trace *t)
{
    return t->private->names;
}

struct arena *trace_arena(struct trace *t)
{
    return &t->private->arena;
}

/* ---- lanes ---- */

static bool same_lane(const struct lane *a, const struct lane *b)
{
    return a->device == b->device && a->process == b->process && a->id == b->id && a->process_text == b->process_text &&
           a->id_text == b->id_text;
}

static int64_t lane_hash(const struct lane *lane)
{
    uint64_t h = hash_word((uint64_t)lane->process * 2 + lane->device);
    h = hash_word(h ^ (uint64_t)lane->id);
    return (int64_t)hash_word(h ^ ((uint64_t)lane->process_text << 32 | lane->id_text));
}

static uint32_t add_lane(struct trace *t, struct lane lane, int64_t key)
{
    struct trace_private *p = t->private;
    p->lanes = mem_grow(p->lanes, &p->lanes_room, t->lane_count + (size_t)1, sizeof *p->lanes);
    lane.process_name = lane.name = 0;
    p->lanes[t->lane_count] = lane;
    t->lanes = p->lanes;
    map_put(&p->lane_index, key, t->lane_count);
    return t->lane_count++;
}

uint32_t trace_lane(struct trace *t, struct lane lane)
{
    struct trace_private *p = t->private;
    if (lane.process_text)
        lane.process = 0;
    if (lane.id_text)
        lane.id = 0;
    if (p->last_lane != LANE_NONE && same_lane(&p->lanes[p->last_lane], &lane))
        return p->last_lane;
    for (int64_t key = lane_hash(&lane);; key = (int64_t)((uint64_t)key + 1)) {
        const uint32_t found = map_get(&p->lane_index, key);
        if (found != MAP_NONE && !same_lane(&p->lanes[found], &lane))
            continue;
        return p->last_lane = found != MAP_NONE ? found : add_lane(t, lane, key);
    }
}

void trace_name_lane(struct trace *t, struct lane lane, uint32_t process_name, uint32_t name)
{
    struct lane *l = &t->private->lanes[trace_lane(t, lane)];
    if (process_name)
        l->process_name = process_name;
    if (name)
        l->name = name;
}

/* ---- events ---- */

static void grow_columns(struct trace *t, size_t room)
{
    struct trace_private *p = t->private;
    p->start_ns = mem_resize(p->start_ns, room * sizeof *p->start_ns);
    p->dur_ns = mem_resize(p->dur_ns, room * sizeof *p->dur_ns);
    p->name = mem_resize(p->name, room * sizeof *p->name);
    p->lane = mem_resize(p->lane, room * sizeof *p->lane);
    p->kind = mem_resize(p->kind, room * sizeof *p->kind);
    p->room = room;
}

void trace_make_room(struct trace *t, size_t rows)
{
    size_t room = t->private->room ? t->private->room : 1024;
    while (room - t->count < rows)
        room *= 2;
    if (room > t->private->room)
        grow_columns(t, room);
}

void trace_add(struct trace *t, const struct event *event)
{
    assert(event->start_ns > -EVENT_TIME_LIMIT && event->start_ns < EVENT_TIME_LIMIT);
    assert(event->dur_ns >= 0 && event->dur_ns < EVENT_TIME_LIMIT);
    struct trace_private *p = t->private;
    if (t->count == p->room)
        trace_make_room(t, 1);
    const uint32_t row = t->count++;
    p->start_ns[row] = event->start_ns;
    p->dur_ns[row] = event->dur_ns;
    p->name[row] = event->name;
    p->lane[row] = event->lane;
    p->kind[row] = (uint8_t)event->kind;
    t->kinds[event->kind]++;
    for (uint64_t has = event->has; has; has &= has - 1) {
        const int a = __builtin_ctzll(has);
        sparse_push(&p->attr[a], row, event->attr[a]);
    }
}

void trace_add_flow(struct trace *t, struct flow flow)
{
    struct trace_private *p = t->private;
    p->flows = mem_grow(p->flows, &p->flow_room, p->flow_count + 1, sizeof *p->flows);
    p->flows[p->flow_count++] = flow;
}

void trace_keep_note(struct trace *t, struct note note)
{
    struct trace_private *p = t->private;
    if (t->note_count >= MOST_NOTES)
        return;
    p->notes = mem_grow(p->notes, &p->notes_room, t->note_count + (size_t)1, sizeof *p->notes);
    p->notes[t->note_count++] = (struct note){note.kind, note.offset, str_printable(&p->arena, note.text)};
    t->notes = p->notes;
}

void trace_note(struct trace *t, enum note_kind kind, int64_t offset, const char *format, ...)
{
    t->repaired += kind == NOTE_REPAIRED;
    t->dropped += kind == NOTE_DROPPED;
    if (t->note_count >= MOST_NOTES)
        return;
    char text[400];
    va_list args;
    va_start(args, format);
    format_text_v(text, sizeof text, format, args);
    va_end(args);
    trace_keep_note(t, (struct note){kind, offset, str_of(text)});
}

/* ---- the finish ---- */

/* Times count from the earliest event, so that they are small, and the same for every base. */
static void shift_to_origin(struct trace *t)
{
    struct trace_private *p = t->private;
    if (!t->count)
        return;
    int64_t origin = INT64_MAX, end = INT64_MIN;
    for (uint32_t row = 0; row < t->count; row++)
        origin = p->start_ns[row] < origin ? p->start_ns[row] : origin;
    for (uint32_t row = 0; row < t->count; row++) {
        p->start_ns[row] -= origin;
        const int64_t row_end = p->start_ns[row] + p->dur_ns[row];
        end = row_end > end ? row_end : end;
    }
    for (size_t i = 0; i < p->flow_count; i++)
        p->flows[i].time_ns -= origin;
    t->origin_ns = origin;
    t->end_ns = end;
}

/* The two long parts of the finish do not need each other. */
static void nest_or_link(void *context, size_t i)
{
    if (i == 0)
        trace_nest(context);
    else
        trace_link_ids(context);
}

/* Nor do what rests on them: the other links, and who is whose forward. */
static void link_or_pair(void *context, size_t i)
{
    if (i == 0) {
        trace_link(context);
    } else {
        trace_pair(context);
        trace_find_main_lane(context);
    }
}

void trace_finish(struct trace *t)
{
    struct trace_private *p = t->private;
    trace_make_room(t, 0); /* an empty column has an address too */
    trace_set_strays_aside(t);
    for (int a = 0; a < ATTRS; a++)
        sparse_finish(&p->attr[a]);
    shift_to_origin(t);
    trace_mirror(t);
    par_each(2, 0, nest_or_link, t);
    trace_mirror(t);
    par_each(2, 0, link_or_pair, t);
    trace_find_steps(t);
    trace_find_devices(t);
    trace_mirror(t);
    trace_count_oddities(t);
    mem_free(p->flows);
    p->flows = NULL;
    p->flow_count = p->flow_room = 0;
}

void trace_free_rows(struct trace *t)
{
    struct trace_private *p = t->private;
    void *const owned[] = {p->start_ns, p->dur_ns, p->name, p->lane, p->kind, p->flows, p->notes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        mem_free(owned[i]);
    for (int a = 0; a < ATTRS; a++)
        sparse_free(&p->attr[a]);
    arena_free(&p->arena);
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    struct trace_private *p = t->private;
    trace_free_rows(t);
    void *const owned[] = {p->lanes, p->parent, p->cause, p->order, p->caused, p->group, p->steps, p->device_lanes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        mem_free(owned[i]);
    map_free(&p->lane_index);
    map_free(&p->far_operator);
    sparse_free(&p->forward);
    intern_free(p->names);
    mem_free(p);
    mem_free(t);
}

size_t trace_bytes(const struct trace *t)
{
    const struct trace_private *p = t->private;
    size_t bytes = p->room * (2 * sizeof(int64_t) + 2 * sizeof(uint32_t) + sizeof(uint8_t));
    bytes += (size_t)t->count * ((p->parent ? 1 : 0) + (p->cause ? 1 : 0) + (p->order ? 1 : 0)) * sizeof(uint32_t);
    bytes += p->caused_count * sizeof(uint32_t) + p->flow_room * sizeof *p->flows;
    for (int a = 0; a < ATTRS; a++)
        bytes += sparse_bytes(&p->attr[a]);
    bytes += sparse_bytes(&p->forward);
    return bytes + intern_bytes(p->names) + p->arena.bytes;
}
