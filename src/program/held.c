/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a step has to do with what came before it: how long the device is still
 * at work of the steps before, and how long the first step of all stood still for
 * something that is not recorded. It often begins while the device drains work
 * called before the recording, or while libraries load: a synchronisation lasts as
 * long as work that no step called, or work waits in its stream for nothing that
 * the trace knows.
 */
#include "base/sort.h"
#include "base/span.h"
#include "trace.h"

enum {
    HELD_LEAST_NS = 200 * 1000, /* shorter stretches are latencies */
    LOADING_NS = 1000 * 1000,
    MANY_TIMES = 20, /* the usual launch call */
};

/* The rows of a stream from the one that may reach into the step on. */
static uint32_t first_in_step(const struct step_program *p, struct rows work)
{
    const uint32_t first = trace_first_from(p->of->trace, work, p->step->start_ns);
    return first ? first - 1 : 0;
}

/* Device work of any recorded step, from this step's start. */
static void add_recorded(struct step_program *p, uint32_t lane, struct spans *recorded)
{
    const struct trace *trace = p->of->trace;
    const uint32_t own = (uint32_t)(p->step - trace->steps);
    const struct rows work = trace_rows(trace, lane, NEST_WORK);
    for (uint32_t i = first_in_step(p, work); i < work.count && trace->start_ns[work.at[i]] < p->step->end_ns; i++) {
        const uint32_t row = work.at[i], step = trace_step(trace, row);
        if (step == STEP_NONE)
            continue;
        const int64_t end_ns = trace_end_ns(trace, row) - p->step->start_ns;
        spans_add(recorded, trace->start_ns[row] - p->step->start_ns, end_ns);
        if (step < own && end_ns > p->result.behind_ns)
            p->result.behind_ns = end_ns;
    }
}

/* The host may run on while the device stands still, so that counts where the device ends the step. */
static bool ends_with_device(const struct step_program *p)
{
    int64_t end_ns = 0;
    for (uint32_t i = 0; i < p->result.launch_count; i++) {
        const struct program_launch *launch = &p->result.launches[i];
        if (launch->row >= 0 && launch->start_ns + launch->dur_ns > end_ns)
            end_ns = launch->start_ns + launch->dur_ns;
    }
    return end_ns >= p->result.wall_ns;
}

/* What was in the streams before the recording is not known: the first work of each may have waited for that. */
static void add_streams(struct step_program *p, struct spans *waiting)
{
    bool *begun = arena_array(&p->scratch, p->result.streams, sizeof *begun);
    for (uint32_t i = 0; i < p->result.launch_count; i++) {
        const struct program_launch *launch = &p->result.launches[i];
        if (launch->row < 0)
            continue;
        if (launch->call_start_ns >= 0 && !begun[launch->stream])
            spans_add(waiting, launch->call_start_ns, launch->start_ns);
        begun[launch->stream] = true;
    }
}

/* The end of the last work that began before the step's own, from the step's start, and that no recorded step called. */
static int64_t strange_end_ns(const struct step_program *p, int64_t first_ns)
{
    const struct trace *trace = p->of->trace;
    int64_t end_ns = 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows work = trace_rows(trace, lane, NEST_WORK);
        for (uint32_t i = first_in_step(p, work); i < work.count; i++) {
            const uint32_t row = work.at[i];
            if (trace->start_ns[row] - p->step->start_ns >= first_ns)
                break;
            const int64_t row_end_ns = trace_end_ns(trace, row) - p->step->start_ns;
            if (trace_step(trace, row) == STEP_NONE && row_end_ns > end_ns)
                end_ns = row_end_ns;
        }
    }
    return end_ns;
}

/* So may a host that waits before any work of the step has begun, while such work is at it. */
static void add_host(const struct step_program *p, struct spans *waiting)
{
    const struct program *program = &p->result;
    int64_t first_ns = INT64_MAX;
    for (uint32_t i = 0; i < program->launch_count; i++)
        if (program->launches[i].row >= 0 && program->launches[i].start_ns < first_ns)
            first_ns = program->launches[i].start_ns;
    const int64_t strange_ns = first_ns == INT64_MAX ? 0 : strange_end_ns(p, first_ns);
    for (uint32_t i = 0; i < program->sync_count; i++) {
        const int64_t end_ns = program->syncs[i].start_ns + program->syncs[i].dur_ns;
        if (program->syncs[i].start_ns < first_ns)
            spans_add(waiting, program->syncs[i].start_ns, end_ns < strange_ns ? end_ns : strange_ns);
    }
}

static int64_t usual_call_ns(const struct program *program, struct arena *scratch)
{
    struct keyed *calls = arena_array(scratch, program->launch_count, sizeof *calls);
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->launch_count; i++)
        if (program->launches[i].call_dur_ns > 0)
            calls[count++] = (struct keyed){program->launches[i].call_dur_ns, i};
    sort_keyed(calls, count);
    return count ? calls[count / 2].key : 0;
}

/* A launch that takes a millisecond, and many times the usual, while the device has nothing to do, loads code. */
static void add_loading(struct step_program *p, struct spans *waiting)
{
    const int64_t usual_ns = usual_call_ns(&p->result, &p->scratch);
    const int64_t least_ns = MANY_TIMES * usual_ns > LOADING_NS ? MANY_TIMES * usual_ns : LOADING_NS;
    for (uint32_t i = 0; i < p->result.launch_count; i++) {
        const struct program_launch *launch = &p->result.launches[i];
        if (!launch->blocking && launch->call_start_ns >= 0 && launch->call_dur_ns >= least_ns)
            spans_add(waiting, launch->call_start_ns, launch->call_start_ns + launch->call_dur_ns);
    }
}

static int64_t length_of_long(const struct spans *set)
{
    int64_t ns = 0;
    for (size_t i = 0; i < set->count; i++) {
        const int64_t dur_ns = set->at[i].end_ns - set->at[i].start_ns;
        ns += dur_ns >= HELD_LEAST_NS ? dur_ns : 0;
    }
    return ns;
}

void step_held(struct step_program *p)
{
    struct spans recorded = {0}, waiting = {0}, held = {0};
    for (uint32_t lane = 0; lane < p->of->trace->lane_count; lane++)
        add_recorded(p, lane, &recorded);
    if (p->step == p->of->trace->steps) {
        add_host(p, &waiting);
        add_loading(p, &waiting);
        if (ends_with_device(p))
            add_streams(p, &waiting);
    }
    spans_tidy(&recorded);
    spans_tidy(&waiting);
    spans_minus(&waiting, &recorded, &held);
    p->result.held_ns = length_of_long(&held);
    spans_free(&recorded);
    spans_free(&waiting);
    spans_free(&held);
}
