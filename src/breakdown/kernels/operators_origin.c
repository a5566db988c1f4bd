/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame's answer is its parent's unless it says something itself, so answers
 * are made top down: a walk up to the first frame that is answered, then back.
 */
#include "operators_origin.h"

#include "ops/rows/frame.h"

struct origin {
    uint32_t module, line; /* text ids; 0: none */
};

/* What a frame's name says by itself. */
enum says { SAYS_UNKNOWN, SAYS_LIBRARY, SAYS_USER, SAYS_MODULE };

struct origins {
    const struct trace *trace;
    struct arena *arena;
    uint8_t *says;          /* by text id: enum says; SAYS_UNKNOWN: not judged */
    struct origin *answers; /* by row of a frame */
    uint64_t *answered;     /* a bit a row */
    uint32_t *path;         /* room for the frames of a walk */
    uint32_t path_room;
};

struct origins *origins_new(const struct trace *trace, struct arena *arena)
{
    struct origins *origins = arena_alloc(arena, sizeof *origins);
    *origins = (struct origins){.trace = trace, .arena = arena};
    origins->says = arena_array(arena, trace_text_count(trace), 1);
    if (!trace->kinds[EVENT_PYTHON])
        return origins;
    origins->answers = arena_array(arena, trace->count, sizeof *origins->answers);
    origins->answered = arena_array(arena, trace->count / 64 + 1, sizeof *origins->answered);
    return origins;
}

/* A name of no known form is taken for the user's. */
static enum says judge(str name)
{
    const struct frame frame = frame_parse(name);
    if (frame.kind == FRAME_MODULE)
        return SAYS_MODULE;
    const bool unknown = frame.kind == FRAME_OTHER && !str_starts(name, S("<"));
    return !unknown && frame_of_library(&frame) ? SAYS_LIBRARY : SAYS_USER;
}

static enum says says(struct origins *origins, uint32_t frame)
{
    uint8_t *known = &origins->says[origins->trace->name[frame]];
    if (*known == SAYS_UNKNOWN)
        *known = (uint8_t)judge(trace_name(origins->trace, frame));
    return *known;
}

/* The user's line: exact where the callee names the line that it was called from, else the function. */
static struct origin origin_below(struct origins *origins, uint32_t frame, struct origin above, bool above_is_user)
{
    const enum says kind = says(origins, frame);
    struct origin own = above;
    if (kind == SAYS_MODULE)
        own.module = origins->trace->name[frame];
    if (kind == SAYS_USER)
        own.line = origins->trace->name[frame];
    else if (above_is_user)
        own.line = (uint32_t)trace_attr_or(origins->trace, frame, ATTR_CALL_FROM, above.line);
    return own;
}

static bool is_answered(const struct origins *origins, uint32_t frame)
{
    return origins->answered[frame / 64] >> (frame % 64) & 1;
}

static void push(struct origins *origins, uint32_t count, uint32_t frame)
{
    if (count == origins->path_room) {
        const uint32_t room = origins->path_room ? origins->path_room * 2 : 64;
        uint32_t *more = arena_array(origins->arena, room, sizeof *more);
        if (count)
            memcpy(more, origins->path, count * sizeof *more);
        origins->path = more;
        origins->path_room = room;
    }
    origins->path[count] = frame;
}

static struct origin of_frame(struct origins *origins, uint32_t frame)
{
    const struct trace *trace = origins->trace;
    uint32_t count = 0, at = frame;
    for (; at != ROW_NONE && !is_answered(origins, at); at = trace->parent[at])
        push(origins, count++, at);
    struct origin origin = at == ROW_NONE ? (struct origin){0, 0} : origins->answers[at];
    while (count > 0) {
        const uint32_t below = origins->path[--count];
        origin = origin_below(origins, below, origin, at != ROW_NONE && says(origins, at) == SAYS_USER);
        origins->answers[below] = origin;
        origins->answered[below / 64] |= (uint64_t)1 << below % 64;
        at = below;
    }
    return origin;
}

/* The forward operator that this row is the backward of; the row itself. */
static uint32_t forward_of(const struct trace *trace, uint32_t row)
{
    for (uint32_t at = trace_operator(trace, row); at != ROW_NONE; at = trace->parent[at]) {
        const uint32_t forward = trace_forward(trace, at);
        if (forward != ROW_NONE)
            return forward;
    }
    return row;
}

static struct origin of_row(struct origins *origins, uint32_t row)
{
    const struct trace *trace = origins->trace;
    if (event_on_device(trace->kind[row]))
        row = trace->cause[row];
    if (row == ROW_NONE || !origins->answers)
        return (struct origin){0, 0};
    uint32_t frame = trace_frame(trace, forward_of(trace, row));
    if (frame == ROW_NONE)
        frame = trace_frame(trace, row);
    return frame == ROW_NONE ? (struct origin){0, 0} : of_frame(origins, frame);
}

/* Older recordings write modules and stacks beside the operators instead of frames. */
static uint32_t written_beside(const struct trace *trace, uint32_t row, enum attr attr)
{
    int64_t text = 0;
    for (uint32_t at = trace_operator(trace, row); at != ROW_NONE && !text; at = trace->parent[at])
        text = trace_attr_or(trace, at, attr, 0);
    return (uint32_t)text;
}

uint32_t origin_module(struct origins *origins, uint32_t row)
{
    const struct origin origin = of_row(origins, row);
    return origin.module ? origin.module : written_beside(origins->trace, row, ATTR_MODULE);
}

uint32_t origin_line(struct origins *origins, uint32_t row)
{
    const struct origin origin = of_row(origins, row);
    return origin.line ? origin.line : written_beside(origins->trace, row, ATTR_CALL_STACK);
}

str line_title(str line)
{
    size_t file = 0;
    for (size_t i = 0; i < line.len && line.at[i] != '('; i++)
        if (line.at[i] == '/')
            file = i + 1;
    return file ? str_from(line, file) : line;
}
