/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto.h"

#include "base/mem.h"
#include "lanes.h"

/* ---- the clocks of several traces ---- */

/* Starts that lie further apart are of clocks that do not tell the time of day. */
static const int64_t furthest_ns = INT64_C(86400000000000);

/* Where each trace begins in the file. Without a time of day in all of them each begins at 0. */
static void find_offsets(const struct perfetto_trace *traces, uint32_t count, int64_t *offsets)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    bool known = true;
    for (uint32_t i = 0; i < count; i++) {
        offsets[i] = 0;
        known &= trace_epoch(traces[i].trace, &offsets[i]);
        first = offsets[i] < first ? offsets[i] : first;
        last = offsets[i] > last ? offsets[i] : last;
    }
    known = known && count > 1 && (uint64_t)last - (uint64_t)first <= (uint64_t)furthest_ns;
    for (uint32_t i = 0; i < count; i++)
        offsets[i] = known ? offsets[i] - first : 0;
}

/* ---- one trace ---- */

struct writing {
    struct output *out;
    const struct perfetto_trace *of;
    int64_t offset_ns;
    uint32_t index;
    struct arena scratch;
    uint32_t processes; /* written for this trace */
    uint64_t flows;
};

/* Ids of processes are the file's own: ranks of several machines may share theirs. */
static int64_t process_id(const struct writing *writing)
{
    return ((int64_t)writing->index + 1) * 100000 + writing->processes;
}

static uint64_t put_process(struct writing *writing, str name)
{
    writing->processes++;
    const struct track track = {
        .kind = TRACK_PROCESS,
        .order = (int32_t)writing->processes,
        .process = process_id(writing),
        .name = str_printf(&writing->scratch, "rank %lld: %.*s", (long long)writing->of->rank, (int)name.len, name.at)};
    return track_put(writing->out, &track);
}

static void put_marks(struct writing *writing, uint64_t parent, int32_t order, const struct perfetto_track *from)
{
    struct output *out = writing->out;
    const struct track track = {.kind = TRACK_PLAIN, .parent = parent, .order = order, .name = from->name};
    struct sequence sequence = sequence_begin(out, track_put(out, &track));
    for (uint32_t i = 0; i < from->count; i++) {
        const struct perfetto_mark *mark = &from->marks[i];
        event_own_name(&sequence, mark->name);
        if (mark->row != ROW_NONE)
            event_number(&sequence, S("event"), mark->row);
        if (mark->note.len)
            event_text(&sequence, S("what"), mark->note);
        sequence_event(&sequence, TYPE_BEGIN, writing->offset_ns + mark->start_ns);
        sequence_event(&sequence, TYPE_END, writing->offset_ns + mark->end_ns);
    }
}

static void put_own(struct writing *writing)
{
    const struct trace *trace = writing->of->trace;
    struct perfetto_mark *marks = arena_array(&writing->scratch, trace->step_count, sizeof *marks);
    for (uint32_t i = 0; i < trace->step_count; i++)
        marks[i] = (struct perfetto_mark){trace->steps[i].start_ns, trace->steps[i].end_ns, trace->steps[i].row,
                                          str_printf(&writing->scratch, "step %lld", (long long)trace->steps[i].number),
                                          S("")};
    const uint64_t parent = put_process(writing, S("steptime"));
    if (trace->step_source != STEPS_NONE)
        put_marks(writing, parent, 0, &(struct perfetto_track){S("steps"), marks, trace->step_count});
    for (uint32_t i = 0; i < writing->of->track_count; i++)
        put_marks(writing, parent, (int32_t)i + 1, &writing->of->tracks[i]);
}

static bool same_process(const struct lane *a, const struct lane *b)
{
    return a->device == b->device && a->process_text == b->process_text &&
           (a->process_text || a->process == b->process);
}

static str process_name(const struct trace *trace, const struct lane *lane, struct arena *scratch)
{
    const str name = trace_text(trace, lane->process_name), text = trace_text(trace, lane->process_text);
    if (text.len)
        return text;
    return str_printf(scratch, "%s%s%s %lld", name.at ? name.at : "", name.len ? ", " : "",
                      lane->device ? "device" : "process", (long long)lane->process);
}

static void put_lanes(struct writing *writing, const struct backward *backward)
{
    const struct trace *trace = writing->of->trace;
    bool *done = arena_array(&writing->scratch, trace->lane_count, sizeof *done);
    for (uint32_t i = 0; i < trace->lane_count; i++) {
        if (done[i])
            continue;
        const uint64_t parent = put_process(writing, process_name(trace, &trace->lanes[i], &writing->scratch));
        for (uint32_t lane = i; lane < trace->lane_count; lane++) {
            if (done[lane] || !same_process(&trace->lanes[i], &trace->lanes[lane]))
                continue;
            done[lane] = true;
            const struct lane_place place = {trace,  writing->offset_ns, writing->flows, process_id(writing),
                                             parent, (int32_t)lane};
            struct arena scratch = {0};
            lane_put(writing->out, &place, lane, backward, &scratch);
            arena_free(&scratch);
        }
    }
}

static void find_backward(const struct trace *trace, struct backward *backward)
{
    for (uint32_t row = trace->count; row--;) {
        const uint32_t forward = trace->kind[row] == EVENT_OPERATOR ? trace_forward(trace, row) : (uint32_t)ROW_NONE;
        if (forward == ROW_NONE)
            continue;
        backward->next[row] = backward->first[forward];
        backward->first[forward] = row + 1;
    }
}

static void open_told(struct told *told, const struct trace *trace)
{
    const size_t count = (size_t)trace_text_count(trace) + 1;
    told->number = mem_zeroed(count * sizeof *told->number);
    told->sequence = mem_zeroed(count * sizeof *told->sequence);
}

static void close_told(struct told *told)
{
    mem_free(told->number);
    mem_free(told->sequence);
}

static void put_trace(struct writing *writing)
{
    const struct trace *trace = writing->of->trace;
    const size_t rows = (size_t)trace->count + 1;
    struct backward backward = {mem_zeroed(rows * sizeof(uint32_t)), mem_zeroed(rows * sizeof(uint32_t))};
    open_told(&writing->out->names, trace);
    open_told(&writing->out->values, trace);
    find_backward(trace, &backward);
    put_own(writing);
    put_lanes(writing, &backward);
    close_told(&writing->out->names);
    close_told(&writing->out->values);
    mem_free(backward.first);
    mem_free(backward.next);
    arena_free(&writing->scratch);
}

struct perfetto_counts perfetto_write(const struct perfetto_trace *traces, uint32_t count, perfetto_put_fn *put,
                                      void *context)
{
    struct output out = {.put = put, .context = context};
    struct arena arena = {0};
    int64_t *offsets = arena_array(&arena, count, sizeof *offsets);
    find_offsets(traces, count, offsets);
    uint64_t flows = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct writing writing = {.out = &out, .of = &traces[i], .offset_ns = offsets[i], .index = i, .flows = flows};
        put_trace(&writing);
        flows += 2 * (uint64_t)traces[i].trace->count;
    }
    output_flush(&out);
    struct buf *const rooms[] = {&out.packet, &out.packets, &out.event, &out.inner, &out.interned};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        buf_free(rooms[i]);
    arena_free(&arena);
    return out.counts;
}
