/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of one rank, and its collectives with what it did before each. */
#include "ranks.h"

#include "base/order.h"
#include "base/sort.h"
#include "base/span.h"
#include "base/stat.h"
#include "ops/words/shape.h"
#include "ranks_match.h"

struct run {
    const struct trace *trace;
    const struct work_classes *classes;
    const uint8_t *phases;    /* NULL: not known */
    const struct step *steps; /* the selected ones */
    struct arena *arena;      /* of the result */
    struct rank_numbers *out;
};

/* ---- the rank ---- */

static void describe(const struct run *run)
{
    const struct trace *trace = run->trace;
    struct rank_numbers *out = run->out;
    out->rank = trace->info.rank;
    out->world_size = trace->info.world_size;
    out->path = str_copy(run->arena, trace->info.path);
    out->host = str_copy(run->arena, trace->info.host);
    out->device = trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET] > 0;
    out->dated = trace_epoch(trace, &out->origin_ns);
    const struct trace_oddities odd = trace_oddities(trace);
    out->device_low_ns = odd.device_low_ns;
    out->device_high_ns = odd.device_high_ns;
}

static void measure_steps(const struct run *run, struct arena *scratch)
{
    int64_t *walls = arena_array(scratch, run->out->steps, sizeof *walls);
    for (uint32_t i = 0; i < run->out->steps; i++)
        walls[i] = run->steps[i].end_ns - run->steps[i].start_ns;
    const struct stat_summary summary = stat_summarise(walls, run->out->steps);
    run->out->step_ns = summary.sum;
    run->out->step_p50_ns = summary.p50;
}

static bool communicates(const struct run *run, uint32_t row)
{
    if (run->trace->kind[row] == EVENT_KERNEL)
        return work_class(run->classes, row) == WORK_COMMUNICATION;
    return !run->out->device && run->trace->kind[row] == EVENT_ANNOTATION && work_host_communication(run->classes, row);
}

static void measure_communication(const struct run *run)
{
    struct spans spans = {0};
    for (uint32_t row = 0; row < run->trace->count; row++)
        if (communicates(run, row))
            spans_add(&spans, run->trace->start_ns[row], trace_end_ns(run->trace, row));
    spans_tidy(&spans);
    for (uint32_t i = 0; i < run->out->steps; i++)
        run->out->communication_ns += spans_length_within(&spans, run->steps[i].start_ns, run->steps[i].end_ns);
    spans_free(&spans);
}

/* Elements of all tensors that a text of dimensions names. */
static double elements_of(str dims, struct arena *scratch)
{
    struct shape shape;
    double sum = 0;
    shape_parse(dims, scratch, &shape);
    for (uint32_t i = 0; i < shape.count && shape_fits(&shape); i++)
        for (uint32_t k = 0; k < shape.arguments[i].count; k++)
            sum += shape.arguments[i].tensors[k].rank ? (double)dims_elements(shape.arguments[i].tensors[k]) : 0;
    return sum;
}

/* How much there was to compute, whoever was fast at it. A text is parsed once. */
static void measure_sizes(const struct run *run, struct arena *scratch)
{
    const struct trace *trace = run->trace;
    if (!trace_attr_count(trace, ATTR_INPUT_DIMS) || !run->out->steps)
        return;
    double *known = arena_array(scratch, trace_text_count(trace), sizeof *known);
    const int64_t from = run->steps[0].start_ns, until = run->steps[run->out->steps - 1].end_ns;
    for (uint32_t row = 0; row < trace->count; row++) {
        const int64_t start = trace->start_ns[row];
        const bool inside = trace->kind[row] == EVENT_OPERATOR && start >= from && start < until;
        const int64_t text = inside ? trace_attr_or(trace, row, ATTR_INPUT_DIMS, 0) : 0;
        if (!text)
            continue;
        if (known[text] == 0)
            known[text] = 1 + elements_of(trace_text(trace, (uint32_t)text), scratch);
        run->out->elements += known[text] - 1;
    }
}

/* ---- its collectives ---- */

static int64_t step_number(const struct run *run, const struct collective *of)
{
    if (of->step != STEP_NONE)
        return run->trace->steps[of->step].number;
    const bool before = of->queued_before || (run->trace->step_count && of->call_ns < run->trace->steps[0].start_ns);
    return before ? STEP_BEFORE_ALL : STEP_AFTER_ALL;
}

/* Steps that are marked begin with the recording; those that are found may leave a part of a step before and behind them. */
static bool outside(const struct run *run, const struct collective *of)
{
    return run->trace->step_source != STEPS_ANNOTATED && of->step == STEP_NONE && !of->queued_before;
}

static bool selected(const struct run *run, const struct collective *of)
{
    if (run->out->steps == run->trace->step_count)
        return !outside(run, of);
    const uint32_t first = (uint32_t)(run->steps - run->trace->steps);
    return of->step != STEP_NONE && of->step >= first && of->step < first + run->out->steps;
}

/* Later than this (18 years from the start) is damage; sums of times that are kept do not overflow. */
static const int64_t latest_ns = (int64_t)1 << 59;

static bool sane(const struct collective *of)
{
    return of->call_ns < latest_ns && of->start_ns < latest_ns && of->dur_ns < latest_ns;
}

static void count_unknown(const struct run *run, const struct collective *of)
{
    struct rank_numbers *out = run->out;
    if (of->kind == COLLECTIVE_OTHER && !out->unknown_kinds++)
        out->unknown_kind = str_copy(run->arena, trace_name(run->trace, of->row));
}

static void take_collectives(const struct run *run, const struct collectives *table)
{
    struct rank_numbers *out = run->out;
    out->collectives = arena_array(run->arena, table->count, sizeof *out->collectives);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct collective *of = &table->at[i];
        if (!selected(run, of) || !sane(of))
            continue;
        count_unknown(run, of);
        out->collectives[out->collective_count++] = (struct rank_collective){.of = *of, .step = step_number(run, of)};
    }
    out->groups = arena_array(run->arena, table->group_count, sizeof *out->groups);
    for (uint32_t i = 0; i < table->group_count; i++) {
        out->groups[i] = table->groups[i];
        out->groups[i].name = str_copy(run->arena, table->groups[i].name);
    }
}

/* ---- what it did, by probes at both ends of each stretch ---- */

/* The ends of the collectives, ascending. Returns their number. */
static size_t ends_of(const struct rank_numbers *out, struct keyed *ends)
{
    size_t count = 0;
    for (uint32_t i = 0; i < out->collective_count; i++) {
        const struct collective *of = &out->collectives[i].of;
        if (of->dur_ns >= 0)
            ends[count++] = (struct keyed){of->start_ns + of->dur_ns, i};
    }
    sort_keyed(ends, count);
    return count;
}

/* For each collective: since the last end before it, since its step began, and its call. */
enum { PROBES = 3, PROBE_CALL = 2 };

static int64_t step_start(const struct run *run, const struct rank_collective *collective)
{
    if (collective->of.step != STEP_NONE)
        return run->trace->steps[collective->of.step].start_ns;
    return run->out->steps ? run->steps[0].start_ns : 0;
}

static void place_probes(const struct run *run, struct rank_probe *probes, struct arena *scratch)
{
    struct rank_numbers *out = run->out;
    struct keyed *ends = arena_array(scratch, out->collective_count, sizeof *ends);
    const size_t count = ends_of(out, ends);
    int64_t last_ns = out->steps ? run->steps[0].start_ns : 0;
    uint32_t after = RANK_FIRST;
    for (size_t i = 0, next = 0; i < out->collective_count; i++, probes += PROBES) {
        struct rank_collective *collective = &out->collectives[i];
        const int64_t call_ns = collective->of.call_ns;
        for (; next < count && ends[next].key <= call_ns; next++) {
            last_ns = ends[next].key;
            after = ends[next].row;
        }
        collective->after = after;
        probes[SINCE_COLLECTIVE].at_ns = smaller_of(last_ns, call_ns);
        probes[SINCE_STEP].at_ns = smaller_of(step_start(run, collective), call_ns);
        probes[PROBE_CALL].at_ns = call_ns;
    }
}

static void place_step_probes(const struct run *run, struct rank_probe *probes)
{
    for (uint32_t i = 0; i < run->out->steps; i++) {
        probes[2 * i].at_ns = run->steps[i].start_ns;
        probes[2 * i + 1].at_ns = run->steps[i].end_ns;
    }
}

static void add_difference(const struct rank_probe *from, const struct rank_probe *to, int64_t *into)
{
    for (int time = 0; time < RANK_TIMES; time++)
        into[time] += to->sum_ns[time] - from->sum_ns[time];
}

static void measure_times(const struct run *run, struct arena *scratch)
{
    struct rank_numbers *out = run->out;
    const size_t of_collectives = PROBES * (size_t)out->collective_count,
                 count = of_collectives + 2 * (size_t)out->steps;
    struct rank_probe *probes = arena_array(scratch, count, sizeof *probes), *of_steps = probes + of_collectives;
    place_probes(run, probes, scratch);
    place_step_probes(run, of_steps);
    rank_probes(run->trace, run->classes, run->phases, probes, count);
    struct rank_before *before = arena_array(scratch, out->collective_count, sizeof *before);
    for (uint32_t i = 0; i < out->collective_count; i++)
        for (int since = 0; since < RANK_SINCES; since++)
            add_difference(&probes[PROBES * (size_t)i + since], &probes[PROBES * (size_t)i + PROBE_CALL],
                           before[i].ns[since]);
    out->befores = rank_befores_of(before, out->collective_count, run->arena);
    for (uint32_t i = 0; i < out->steps; i++)
        add_difference(&of_steps[2 * i], &of_steps[2 * i + 1], out->time_ns);
}

void rank_run_judged(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                     const struct selection *selection, struct arena *arena, struct rank_numbers *out)
{
    struct arena scratch = {0};
    const struct step_range range = selection_steps(trace, selection);
    const struct run run = {trace, classes, phases, trace->steps + range.first, arena, out};
    const struct collectives table = collectives_of(trace, classes, &scratch);
    out->steps = range.count;
    describe(&run);
    measure_steps(&run, &scratch);
    measure_communication(&run);
    measure_sizes(&run, &scratch);
    take_collectives(&run, &table);
    measure_times(&run, &scratch);
    arena_free(&scratch);
}

void rank_run(const struct trace *trace, const struct selection *selection, struct arena *arena,
              struct rank_numbers *out)
{
    struct arena scratch = {0};
    rank_run_judged(trace, work_classes_new(trace, &scratch), NULL, selection, arena, out);
    arena_free(&scratch);
}
