/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace itself says of compilations, to be joined with a log. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/sum.h"
#include "compiled.h"

/* Clocks that began with the machine say less than this: it is 2001. */
#define EPOCH_FROM ((int64_t)1000000000 * 1000000000)

/* ---- names ---- */

enum about { NOTHING, ANNOTATION, BACKWARD_ANNOTATION, COMPILATION, BACKWARD, REGION, KERNEL };

static const str region = {"Torch-Compiled Region: ", 23};

/* "entire_frame_compile_data: fn_name=..., compile_id=0/1": what stands behind the word; "" */
static str id_of(str name)
{
    static const str word = {"compile_id=", 11};
    const char *const at = memmem(name.at, name.len, word.at, word.len);
    str rest = at ? str_from(name, (size_t)(at - name.at) + word.len) : S(""), id;
    return str_cut(&rest, ',', &id) ? str_trim(id) : S("");
}

/* "graph_0_cpp_fused_mul_0", as CPU kernels are recorded: without the number of the graph. */
static str kernel_of(str name)
{
    str rest = name, word;
    int64_t number;
    if (str_starts(name, S("graph_")) && str_cut(&rest, '_', &word) && str_cut(&rest, '_', &word) &&
        str_int(word, &number))
        return rest;
    return name;
}

static enum about about_of(str name)
{
    if (str_starts(name, S("entire_frame_compile_data:")) && id_of(name).len)
        return ANNOTATION;
    if (str_starts(name, S("entire_backward_compile_data:")) && id_of(name).len)
        return BACKWARD_ANNOTATION;
    if (str_eq(name, S("backward._backward_impl (dynamo_timed)")))
        return BACKWARD;
    if (str_eq(name, S("_compile.compile_inner (dynamo_timed)")))
        return COMPILATION;
    if (str_starts(name, region))
        return REGION;
    return str_starts(kernel_of(name), S("triton_")) || str_starts(kernel_of(name), S("cpp_fused")) ? KERNEL : NOTHING;
}

/* ---- rows ---- */

struct taking {
    const struct trace *trace;
    struct arena *arena;
    struct step_range range;
    int64_t start_ns, end_ns; /* of the selected steps */
    const uint8_t *about;     /* by text id */
    struct keyed *ids;        /* annotations by time */
    uint32_t id_count;
    struct compiled_trace *out;
};

static const uint8_t *about_names(const struct trace *trace, struct arena *arena)
{
    const uint32_t texts = trace_text_count(trace);
    uint8_t *about = arena_array(arena, texts, sizeof *about);
    for (uint32_t id = 0; id < texts; id++)
        about[id] = (uint8_t)about_of(trace_text(trace, id));
    return about;
}

/* A kernel of Triton runs on a device, where its launch bears the same name; one of C++ is an operator. */
static enum about about_row(const struct taking *taking, uint32_t row)
{
    const enum about about = taking->about[taking->trace->name[row]];
    const uint8_t kind = taking->trace->kind[row];
    if (about == NOTHING || (kind > EVENT_ANNOTATION && kind != EVENT_KERNEL))
        return NOTHING;
    const bool device = about == KERNEL && str_starts(trace_name(taking->trace, row), S("triton_"));
    return device == (kind == EVENT_KERNEL) ? about : NOTHING;
}

static uint32_t count_rows(const struct taking *taking, enum about about)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < taking->trace->count; row++)
        count += about_row(taking, row) == about;
    return count;
}

static void take_ids(struct taking *taking, struct arena *scratch)
{
    const uint32_t most = count_rows(taking, ANNOTATION) + count_rows(taking, BACKWARD_ANNOTATION);
    taking->ids = arena_array(scratch, most, sizeof *taking->ids);
    for (uint32_t row = 0; row < taking->trace->count; row++)
        if (about_row(taking, row) == ANNOTATION || about_row(taking, row) == BACKWARD_ANNOTATION)
            taking->ids[taking->id_count++] = (struct keyed){taking->trace->start_ns[row], row};
    sort_keyed(taking->ids, taking->id_count);
}

/* The id that was annotated so last on the thread before the compilation began, at most 100 ms before. */
static str id_before(const struct taking *taking, uint32_t row, enum about annotation)
{
    enum { NEAR_NS = 100000000, MOST = 64 };
    const struct trace *trace = taking->trace;
    const int64_t at_ns = trace->start_ns[row];
    size_t i = keyed_below(taking->ids, taking->id_count, at_ns + 1);
    for (int tries = 0; i-- > 0 && tries < MOST && taking->ids[i].key >= at_ns - NEAR_NS; tries++)
        if (trace->lane[taking->ids[i].row] == trace->lane[row] && about_row(taking, taking->ids[i].row) == annotation)
            return str_copy(taking->arena, id_of(trace_name(trace, taking->ids[i].row)));
    return S("");
}

static int64_t epoch_of(const struct trace *trace, int64_t at_ns)
{
    const int64_t epoch_ns = sum_add(sum_add(trace->info.base_ns, trace->origin_ns), at_ns);
    return epoch_ns > EPOCH_FROM && !sum_is_beyond(epoch_ns) ? epoch_ns : -1;
}

static struct compiled_event event_of(const struct taking *taking, uint32_t row, enum about annotation)
{
    const struct trace *trace = taking->trace;
    const uint32_t step = trace_step_at(trace, trace->start_ns[row]);
    const bool selected =
        step != STEP_NONE && step >= taking->range.first && step < (uint64_t)taking->range.first + taking->range.count;
    return (struct compiled_event){
        .id = id_before(taking, row, annotation),
        .process = trace->lanes[trace->lane[row]].process,
        .start_ns = trace->start_ns[row],
        .dur_ns = trace->dur_ns[row],
        .epoch_ns = epoch_of(trace, trace->start_ns[row]),
        .in_step = selected,
        .step = selected ? trace->steps[step].number : -1,
    };
}

static struct compiled_event *take_events(const struct taking *taking, enum about about, enum about annotation,
                                          uint32_t *count)
{
    struct compiled_event *events = arena_array(taking->arena, count_rows(taking, about), sizeof *events);
    *count = 0;
    for (uint32_t row = 0; row < taking->trace->count; row++)
        if (about_row(taking, row) == about)
            events[(*count)++] = event_of(taking, row, annotation);
    return events;
}

/* ---- what ran ---- */

/* Sums by name, of the rows that are about it and begin in the selected steps. */
static struct compiled_run *take_runs(const struct taking *taking, enum about about, uint32_t *count)
{
    const struct trace *trace = taking->trace;
    struct intern *names = intern_new();
    struct compiled_run *runs = NULL;
    size_t room = 0;
    for (uint32_t row = 0; row < trace->count; row++) {
        if (about_row(taking, row) != about || trace->start_ns[row] < taking->start_ns ||
            trace->start_ns[row] >= taking->end_ns)
            continue;
        const str name = trace_name(trace, row);
        const uint32_t id = intern_id(names, about == REGION ? str_from(name, region.len) : kernel_of(name));
        const size_t before = room;
        runs = mem_grow(runs, &room, (size_t)id + 1, sizeof *runs);
        if (room > before)
            memset(runs + before, 0, (room - before) * sizeof *runs);
        runs[id].count++;
        sum_to(&runs[id].total_ns, trace->dur_ns[row]);
    }
    *count = runs ? intern_count(names) : 0;
    for (uint32_t id = 0; id < *count; id++)
        runs[id].name = str_copy(taking->arena, intern_text(names, id));
    intern_free(names);
    return arena_move(taking->arena, runs, *count * sizeof *runs);
}

/* ---- one trace ---- */

void compiled_run(const struct trace *trace, const struct selection *selection, struct arena *arena,
                  struct compiled_trace *out)
{
    struct arena scratch = {0};
    struct taking taking = {.trace = trace,
                            .arena = arena,
                            .range = selection_steps(trace, selection),
                            .about = about_names(trace, &scratch),
                            .out = out};
    selection_window(trace, selection, &taking.start_ns, &taking.end_ns);
    const uint32_t lane = trace_main_lane(trace);
    *out = (struct compiled_trace){.rank = trace->info.rank,
                                   .process = lane == LANE_NONE ? -1 : trace->lanes[lane].process,
                                   .steps = taking.range.count};
    take_ids(&taking, &scratch);
    out->events = take_events(&taking, COMPILATION, ANNOTATION, &out->event_count);
    out->backwards = take_events(&taking, BACKWARD, BACKWARD_ANNOTATION, &out->backward_count);
    out->kernels = take_runs(&taking, KERNEL, &out->kernel_count);
    out->regions = take_runs(&taking, REGION, &out->region_count);
    arena_free(&scratch);
}
