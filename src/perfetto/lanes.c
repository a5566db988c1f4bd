/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes.h"

/*
 * Slices of a track nest. Events that do not (kernels of a stream that overlap, what a recorder rounded) go to a second
 * track, a third ...; what fits on none of them is shortened on the last.
 */
enum { MOST_LINES = 16 };

static const struct {
    enum attr attr;
    const char *name;
} told[] = {
    {ATTR_SEQUENCE, "sequence"},
    {ATTR_INPUT_DIMS, "input_dims"},
    {ATTR_INPUT_STRIDES, "input_strides"},
    {ATTR_INPUT_TYPES, "input_types"},
    {ATTR_CONCRETE_INPUTS, "concrete_inputs"},
    {ATTR_CALL_STACK, "call_stack"},
    {ATTR_MODULE, "module"},
    {ATTR_CALL_FROM, "call_from"},
    {ATTR_BYTES, "bytes"},
    {ATTR_GRID, "grid"},
    {ATTR_BLOCK, "block"},
    {ATTR_REGISTERS, "registers"},
    {ATTR_SHARED_MEMORY, "shared_memory_bytes"},
    {ATTR_OCCUPANCY, "occupancy_percent"},
    {ATTR_SYNC_KIND, "sync_kind"},
    {ATTR_WAIT_STREAM, "wait_stream"},
    {ATTR_COLLECTIVE, "collective"},
    {ATTR_IN_ELEMENTS, "in_elements"},
    {ATTR_OUT_ELEMENTS, "out_elements"},
    {ATTR_DTYPE, "dtype"},
    {ATTR_GROUP_SIZE, "group_size"},
    {ATTR_GROUP_NAME, "group_name"},
    {ATTR_GROUP_RANKS, "group_ranks"},
    {ATTR_COLLECTIVE_SEQ, "collective_seq"},
    {ATTR_FLOPS, "flops"},
};

static const char *const nest_words[NESTS] = {
    [NEST_CALLS] = "operators and calls",
    [NEST_ANNOTATION] = "annotations",
    [NEST_PYTHON] = "Python",
    [NEST_ASIDE] = "aside",
    [NEST_WORK] = "work",
    [NEST_SYNC] = "waits",
    [NEST_DEVICE_ANNOTATION] = "annotations of the device",
};

/* ---- one event ---- */

/* Twice the row of what is caused, one more for the backward operator of a forward one. */
static uint64_t flow_id(const struct lane_place *place, uint32_t row, bool backward)
{
    return place->flows + 2 * (uint64_t)row + backward + 1;
}

static void put_flows(struct sequence *sequence, const struct lane_place *place, const struct backward *backward,
                      uint32_t row)
{
    const struct trace *trace = place->trace;
    if (event_is_device_work((enum event_kind)trace->kind[row])) {
        if (trace->cause[row] != ROW_NONE)
            event_flow(sequence, flow_id(place, row, false), true);
        return;
    }
    const struct rows caused = trace_caused(trace, row);
    for (uint32_t i = 0; i < caused.count; i++)
        event_flow(sequence, flow_id(place, caused.at[i], false), false);
    if (trace->kind[row] != EVENT_OPERATOR)
        return;
    if (trace_forward(trace, row) != ROW_NONE)
        event_flow(sequence, flow_id(place, row, true), true);
    for (uint32_t next = backward->first[row]; next; next = backward->next[next - 1])
        event_flow(sequence, flow_id(place, next - 1, true), false);
}

static void put_event(struct sequence *sequence, const struct lane_place *place, const struct backward *backward,
                      uint32_t row, enum event_type type)
{
    const struct trace *trace = place->trace;
    event_name(sequence, trace, trace->name[row]);
    if (trace->kind[row] != EVENT_PYTHON)
        event_number(sequence, S("event"), row);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        int64_t value;
        if (trace_attr(trace, row, told[i].attr, &value))
            event_attr(sequence, trace, told[i].attr, told[i].name, value);
    }
    put_flows(sequence, place, backward, row);
    sequence_event(sequence, type, place->offset_ns + trace->start_ns[row]);
}

/* ---- a nest of a lane ---- */

/* What is open on a track: the ends of slices, the innermost last. */
struct line {
    struct sequence sequence;
    int64_t *ends;
    uint32_t open, room;
};

struct nest_place {
    struct output *out;
    const struct lane_place *place;
    const struct backward *backward;
    uint64_t parent;
    int32_t order;
    str name;
    struct line lines[MOST_LINES];
    uint32_t line_count;
    struct arena *scratch;
};

static void close_until(struct nest_place *nest, struct line *line, int64_t time_ns)
{
    for (; line->open && line->ends[line->open - 1] <= time_ns; line->open--)
        sequence_event(&line->sequence, TYPE_END, nest->place->offset_ns + line->ends[line->open - 1]);
}

static struct line *new_line(struct nest_place *nest)
{
    struct line *line = &nest->lines[nest->line_count++];
    const struct track track = {.kind = TRACK_PLAIN,
                                .parent = nest->parent,
                                .order = nest->order,
                                .name = nest->line_count == 1
                                            ? nest->name
                                            : str_printf(nest->scratch, "%.*s, overlapping %u", (int)nest->name.len,
                                                         nest->name.at, nest->line_count - 1)};
    line->sequence = sequence_begin(nest->out, track_put(nest->out, &track));
    return line;
}

static struct line *line_for(struct nest_place *nest, int64_t start_ns, int64_t end_ns)
{
    for (uint32_t i = 0; i < nest->line_count; i++) {
        struct line *line = &nest->lines[i];
        close_until(nest, line, start_ns);
        if (!line->open || line->ends[line->open - 1] >= end_ns)
            return line;
    }
    return nest->line_count < MOST_LINES ? new_line(nest) : NULL;
}

static void push_end(struct nest_place *nest, struct line *line, int64_t end_ns)
{
    line->ends = line->open == line->room ? arena_one_more(nest->scratch, line->ends, line->open, sizeof *line->ends)
                                          : line->ends;
    line->room = line->open == line->room ? (line->room ? 2 * line->room : 1) : line->room;
    line->ends[line->open++] = end_ns;
}

static void put_slice(struct nest_place *nest, uint32_t row)
{
    const struct trace *trace = nest->place->trace;
    const int64_t start_ns = trace->start_ns[row];
    int64_t end_ns = trace_end_ns(trace, row);
    struct line *line = line_for(nest, start_ns, end_ns);
    if (!line) {
        line = &nest->lines[MOST_LINES - 1];
        end_ns = line->ends[line->open - 1];
        nest->out->counts.shortened++;
    }
    put_event(&line->sequence, nest->place, nest->backward, row, TYPE_BEGIN);
    push_end(nest, line, end_ns);
}

static void put_instant(struct nest_place *nest, uint32_t row)
{
    const int64_t at_ns = nest->place->trace->start_ns[row];
    struct line *line = line_for(nest, at_ns, at_ns);
    put_event(&line->sequence, nest->place, nest->backward, row, TYPE_INSTANT);
}

static void put_nest(struct nest_place *nest, struct rows rows)
{
    const struct trace *trace = nest->place->trace;
    for (uint32_t i = 0; i < rows.count; i++) {
        int64_t total;
        if (trace->kind[rows.at[i]] != EVENT_INSTANT)
            put_slice(nest, rows.at[i]);
        else if (!trace_attr(trace, rows.at[i], ATTR_TOTAL_ALLOCATED, &total))
            put_instant(nest, rows.at[i]);
    }
    for (uint32_t i = 0; i < nest->line_count; i++)
        close_until(nest, &nest->lines[i], INT64_MAX);
}

/* ---- allocations ---- */

static void put_memory(struct output *out, const struct lane_place *place, uint64_t parent, str name, struct rows rows)
{
    const struct trace *trace = place->trace;
    struct sequence sequence = {0};
    for (uint32_t i = 0; i < rows.count; i++) {
        int64_t total;
        if (!trace_attr(trace, rows.at[i], ATTR_TOTAL_ALLOCATED, &total))
            continue;
        if (!sequence.id)
            sequence = sequence_begin(
                out,
                track_put(out, &(struct track){.kind = TRACK_BYTES, .parent = parent, .order = NESTS, .name = name}));
        event_counter(&sequence, total);
        sequence_event(&sequence, TYPE_COUNTER, place->offset_ns + trace->start_ns[rows.at[i]]);
    }
}

/* ---- a lane ---- */

static str lane_name(const struct trace *trace, const struct lane *lane, struct arena *scratch)
{
    const str name = trace_text(trace, lane->name), id = trace_text(trace, lane->id_text);
    if (name.len)
        return name;
    return id.len ? id : str_printf(scratch, "%s %lld", lane->device ? "stream" : "thread", (long long)lane->id);
}

/* Perfetto draws the tracks of a thread without its name. */
static str track_name(str lane, const char *what, struct arena *scratch)
{
    return str_printf(scratch, "%.*s: %s", (int)lane.len, lane.at, what);
}

void lane_put(struct output *out, const struct lane_place *place, uint32_t lane, const struct backward *backward,
              struct arena *scratch)
{
    const struct trace *trace = place->trace;
    const struct track thread = {.kind = TRACK_THREAD,
                                 .parent = place->parent,
                                 .order = place->order,
                                 .process = place->process,
                                 .thread = (int64_t)lane + 1,
                                 .name = lane_name(trace, &trace->lanes[lane], scratch)};
    const uint64_t track = track_put(out, &thread);
    for (int nest = 0; nest < NESTS; nest++) {
        const str name = track_name(thread.name, nest_words[nest], scratch);
        struct nest_place at = {out, place, backward, track, nest, name, .scratch = scratch};
        put_nest(&at, trace_rows(trace, lane, (enum nest)nest));
    }
    put_memory(out, place, track, track_name(thread.name, "allocated", scratch), trace_rows(trace, lane, NEST_ASIDE));
}
