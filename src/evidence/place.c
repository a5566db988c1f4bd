/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include "base/hash.h"
#include "base/map.h"

enum { MOST_OPERATORS = 12 }; /* of one chain named; then an ellipsis */

/* The way from the innermost frame that is wanted down to a frame. */
struct way {
    uint32_t frame;   /* ROW_NONE: none is wanted */
    uint32_t below;   /* the frame that it called; ROW_NONE */
    uint32_t builtin; /* the innermost builtin below it; ROW_NONE */
};

struct stacks {
    const struct trace *trace;
    struct place_filter filter;
    struct frame *frames;    /* by text, where parsed */
    bool *parsed;            /* by text */
    uint8_t *wanted;         /* by text: 0 not asked, 1 no, 2 yes */
    uint32_t *alike;         /* by text: the first text that names the same function */
    uint32_t *order, *of;    /* by row of a frame: among its siblings of that name; how many there are */
    struct way *ways;        /* by row of a frame: to itself, from outside */
    struct frame *of_stacks; /* by text of a call stack: its innermost frame that is wanted */
    bool *stack_read;        /* by text */
    bool has_frames;
};

const struct frame *stacks_frame(const struct stacks *stacks, uint32_t text)
{
    if (!stacks->parsed[text]) {
        stacks->parsed[text] = true;
        stacks->frames[text] = frame_parse(trace_text(stacks->trace, text));
    }
    return &stacks->frames[text];
}

static bool not_of_library(const void *context, const struct frame *function)
{
    return !frame_of_library(function);
}

static bool filter_wants(const struct stacks *stacks, const struct frame *frame)
{
    return frame->kind == FRAME_FUNCTION && stacks->filter.wanted(stacks->filter.context, frame);
}

bool stacks_wants(struct stacks *stacks, uint32_t text)
{
    uint8_t *known = &stacks->wanted[text];
    if (!*known)
        *known = 1 + filter_wants(stacks, stacks_frame(stacks, text));
    return *known == 2;
}

/* ---- frames of one name: builtins differ by the address of their object ---- */

static int64_t key_of(const struct frame *frame, uint32_t salt)
{
    const uint64_t file = hash_bytes(frame->file.at, frame->file.len);
    const uint64_t name = hash_bytes(frame->name.at, frame->name.len);
    return (int64_t)hash_mix(hash_mix(file ^ (uint64_t)frame->line) ^ name ^ ((uint64_t)frame->kind << 32) ^ salt);
}

bool same_function(const struct frame *a, const struct frame *b)
{
    return a->kind == b->kind && a->line == b->line && str_eq(a->name, b->name) && str_eq(a->file, b->file);
}

static uint32_t find_alike(const struct stacks *stacks, struct map *first, uint32_t text)
{
    const struct frame *frame = stacks_frame(stacks, text);
    for (uint32_t salt = 0;; salt++) {
        const int64_t key = key_of(frame, salt);
        const uint32_t known = map_get(first, key);
        if (known == MAP_NONE) {
            map_put(first, key, text);
            return text;
        }
        if (same_function(stacks_frame(stacks, known), frame))
            return known;
    }
}

/* ---- which call of its name a frame is ---- */

static int64_t sibling_key(const struct stacks *stacks, uint32_t row)
{
    const uint32_t parent = stacks->trace->parent[row];
    const uint64_t where = parent == ROW_NONE ? UINT64_MAX - stacks->trace->lane[row] : parent;
    return (int64_t)(where << 32 | stacks->alike[stacks->trace->name[row]]);
}

static void count_lane(struct stacks *stacks, uint32_t lane)
{
    const struct rows rows = trace_rows(stacks->trace, lane, NEST_PYTHON);
    struct map counts = {0};
    for (uint32_t i = 0; i < rows.count; i++) {
        const int64_t key = sibling_key(stacks, rows.at[i]);
        const uint32_t before = map_get(&counts, key);
        stacks->order[rows.at[i]] = before == MAP_NONE ? 0 : before;
        map_put(&counts, key, stacks->order[rows.at[i]] + 1);
    }
    for (uint32_t i = 0; i < rows.count; i++)
        stacks->of[rows.at[i]] = map_get(&counts, sibling_key(stacks, rows.at[i]));
    map_free(&counts);
}

/* From that of the frame around it, which is known by then; so a stack may be as deep as it likes. */
static struct way find_way(struct stacks *stacks, uint32_t frame)
{
    const struct trace *trace = stacks->trace;
    if (stacks_wants(stacks, trace->name[frame]))
        return (struct way){frame, ROW_NONE, ROW_NONE};
    const uint32_t around = trace->parent[frame];
    struct way way = {ROW_NONE, ROW_NONE, ROW_NONE};
    if (around != ROW_NONE)
        way = stacks->ways[around];
    if (way.frame == around)
        way.below = frame;
    if (stacks_frame(stacks, trace->name[frame])->kind == FRAME_BUILTIN)
        way.builtin = frame;
    return way;
}

static void find_ways(struct stacks *stacks, uint32_t lane)
{
    const struct rows rows = trace_rows(stacks->trace, lane, NEST_PYTHON); /* who is around comes before */
    for (uint32_t i = 0; i < rows.count; i++)
        stacks->ways[rows.at[i]] = find_way(stacks, rows.at[i]);
}

static void find_orders(struct stacks *stacks)
{
    const struct trace *trace = stacks->trace;
    struct map first = {0};
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_PYTHON && !stacks->alike[trace->name[row]])
            stacks->alike[trace->name[row]] = find_alike(stacks, &first, trace->name[row]);
    map_free(&first);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        count_lane(stacks, lane);
        find_ways(stacks, lane);
    }
}

struct stacks *stacks_new(const struct trace *trace, struct place_filter filter, struct arena *arena)
{
    const uint32_t texts = trace_text_count(trace);
    struct stacks *stacks = arena_alloc(arena, sizeof *stacks);
    *stacks = (struct stacks){.trace = trace, .filter = filter};
    if (!filter.wanted)
        stacks->filter.wanted = not_of_library;
    stacks->frames = arena_array(arena, texts, sizeof *stacks->frames);
    stacks->parsed = arena_array(arena, texts, sizeof *stacks->parsed);
    stacks->wanted = arena_array(arena, texts, sizeof *stacks->wanted);
    stacks->alike = arena_array(arena, texts, sizeof *stacks->alike);
    stacks->of_stacks = arena_array(arena, texts, sizeof *stacks->of_stacks);
    stacks->stack_read = arena_array(arena, texts, sizeof *stacks->stack_read);
    stacks->has_frames = trace->kinds[EVENT_PYTHON] > 0;
    if (!stacks->has_frames)
        return stacks;
    stacks->order = arena_array(arena, trace->count, sizeof *stacks->order);
    stacks->of = arena_array(arena, trace->count, sizeof *stacks->of);
    stacks->ways = arena_array(arena, trace->count, sizeof *stacks->ways);
    find_orders(stacks);
    return stacks;
}

uint32_t stacks_order(const struct stacks *stacks, uint32_t row, uint32_t *of)
{
    *of = stacks->of[row];
    return stacks->order[row];
}

/* ---- the place of a row ---- */

/* The forward operator that this row is the backward of; ROW_NONE. */
static uint32_t forward_of(const struct trace *trace, uint32_t row)
{
    for (uint32_t at = trace_operator(trace, row); at != ROW_NONE; at = trace->parent[at]) {
        const uint32_t forward = trace_forward(trace, at);
        if (forward != ROW_NONE)
            return forward;
    }
    return ROW_NONE;
}

/* The host row whose stack is the row's. */
static uint32_t stack_row(const struct trace *trace, uint32_t row, bool *backward)
{
    *backward = false;
    if (event_on_device(trace->kind[row]))
        row = trace->cause[row];
    if (row == ROW_NONE || trace_frame(trace, row) != ROW_NONE)
        return row;
    const uint32_t forward = forward_of(trace, row);
    *backward = forward != ROW_NONE;
    return *backward ? forward : row;
}

static struct way way_to(struct stacks *stacks, uint32_t row)
{
    const uint32_t frame = stacks->has_frames ? trace_frame(stacks->trace, row) : ROW_NONE;
    return frame == ROW_NONE ? (struct way){ROW_NONE, ROW_NONE, ROW_NONE} : stacks->ways[frame];
}

static bool drives_autograd(str name)
{
    return str_starts(name, S("autograd::engine"));
}

/* The outermost operator around the row that began since. */
static str outermost(const struct trace *trace, uint32_t row, int64_t since_ns)
{
    str top = S("");
    for (uint32_t at = trace_operator(trace, row); at != ROW_NONE; at = trace->parent[at])
        if (trace->kind[at] == EVENT_OPERATOR && trace->start_ns[at] >= since_ns &&
            !drives_autograd(trace_name(trace, at)))
            top = trace_name(trace, at);
    return top;
}

/* ---- call stacks as texts: "inner.py(136): to_tensor;outer.py(97): __call__" ---- */

static struct frame first_wanted(const struct stacks *stacks, str stack)
{
    str part;
    while (str_cut(&stack, ';', &part)) {
        const struct frame frame = frame_parse(str_trim(part));
        if (filter_wants(stacks, &frame))
            return frame;
    }
    return (struct frame){.kind = FRAME_OTHER};
}

static void place_by_stack(struct stacks *stacks, uint32_t row, struct place *place)
{
    const struct trace *trace = stacks->trace;
    uint32_t text = 0;
    for (uint32_t at = trace_operator(trace, row); at != ROW_NONE && !text; at = trace->parent[at])
        text = (uint32_t)trace_attr_or(trace, at, ATTR_CALL_STACK, 0);
    if (!text)
        return;
    if (!stacks->stack_read[text]) {
        stacks->stack_read[text] = true;
        stacks->of_stacks[text] = first_wanted(stacks, trace_text(trace, text));
    }
    place->function = stacks->of_stacks[text];
    place->line = place->function.line;
    place->function.line = -1;
}

/* ---- whole ---- */

static void set_callee(const struct stacks *stacks, uint32_t row, struct place *place)
{
    const struct trace *trace = stacks->trace;
    str file;
    place->callee_row = row;
    place->callee = *stacks_frame(stacks, trace->name[row]);
    place->order = stacks->order[row];
    place->of = stacks->of[row];
    if (!frame_parse_place(trace_attr_text(trace, row, ATTR_CALL_FROM), &file, &place->line))
        place->line = -1;
}

static void place_by_frames(const struct stacks *stacks, const struct way *way, struct place *place)
{
    const struct trace *trace = stacks->trace;
    place->row = way->frame;
    place->function = *stacks_frame(stacks, trace->name[way->frame]);
    if (way->builtin != ROW_NONE)
        place->builtin = stacks_frame(stacks, trace->name[way->builtin])->name;
    if (way->below != ROW_NONE)
        set_callee(stacks, way->below, place);
}

bool place_outward(struct stacks *stacks, struct place *place)
{
    if (place->row == ROW_NONE || stacks->trace->parent[place->row] == ROW_NONE)
        return false;
    const struct way way = stacks->ways[stacks->trace->parent[place->row]];
    if (way.frame == ROW_NONE)
        return false;
    const uint32_t callee = way.below == ROW_NONE ? place->row : way.below;
    place->row = way.frame;
    place->function = *stacks_frame(stacks, stacks->trace->name[way.frame]);
    set_callee(stacks, callee, place);
    return true;
}

struct place place_of(struct stacks *stacks, uint32_t row)
{
    const struct trace *trace = stacks->trace;
    struct place place = {.line = -1, .order = ORDER_NONE, .row = ROW_NONE, .callee_row = ROW_NONE};
    const uint32_t host = stack_row(trace, row, &place.backward);
    if (host == ROW_NONE)
        return place;
    const struct way way = way_to(stacks, host);
    const bool own_stack = way.frame != ROW_NONE && !place.backward;
    place.op = outermost(trace, place.backward ? row : host, own_stack ? trace->start_ns[way.frame] : INT64_MIN);
    if (way.frame != ROW_NONE)
        place_by_frames(stacks, &way, &place);
    else
        place_by_stack(stacks, host, &place);
    return place;
}

str place_operators(const struct trace *trace, uint32_t row, struct arena *arena)
{
    str chain = S("");
    uint32_t at = trace_operator(trace, row);
    uint32_t named = 0;
    for (; at != ROW_NONE; at = trace->parent[at]) {
        const str name = trace_name(trace, at);
        if (trace->kind[at] != EVENT_OPERATOR)
            continue;
        if (named++ == MOST_OPERATORS)
            return str_printf(arena, "... > %.*s", (int)chain.len, chain.at);
        chain = chain.len ? str_printf(arena, "%.*s > %.*s", (int)name.len, name.at, (int)chain.len, chain.at) : name;
    }
    return chain;
}

str place_annotation(const struct trace *trace, uint32_t row)
{
    if (event_on_device(trace->kind[row]))
        row = trace->cause[row];
    uint32_t at = row == ROW_NONE ? row : trace_open_at(trace, trace->lane[row], NEST_ANNOTATION, trace->start_ns[row]);
    while (at != ROW_NONE && str_starts(trace_name(trace, at), S("ProfilerStep#")))
        at = trace->parent[at];
    return at == ROW_NONE ? S("") : trace_name(trace, at);
}
