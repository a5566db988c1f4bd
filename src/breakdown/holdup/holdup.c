/* SPDX-License-Identifier: Apache-2.0 */
#include "holdup.h"

#include <stdlib.h>

#include "base/sum.h"
#include "breakdown/idle/node_phase.h"
#include "breakdown/kernels/operators_origin.h"
#include "habit.h"
#include "ops/rows/kernel_title.h"
#include "ops/rows/phase.h"
#include "stretches.h"

enum {
    LEAST_PART = 50,  /* a group that takes less than this part of the steps is not looked at */
    KERNELS_MOST = 3, /* of kernels so many names */
};

struct work {
    const struct trace *trace;
    const uint8_t *phases;
    struct lab lab;
    struct stretches stretches;
    struct origins *origins;
    struct arena *arena; /* of the result */
};

/* ---- which ---- */

struct candidate {
    uint32_t group;
    int64_t time_ns;
};

static int longest_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return (x->group > y->group) - (x->group < y->group);
}

/* The recorder is no cause that can be mended, and of the rest the largest count; but for some of kernels, those of the host. */
static uint32_t choose(const struct work *w, struct candidate *chosen, struct arena *scratch)
{
    struct candidate *all = arena_array(scratch, w->stretches.group_count, sizeof *all);
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->stretches.group_count; i++)
        if (w->stretches.groups[i].cause != CAUSE_RECORDER &&
            w->stretches.groups[i].time_ns >= w->lab.selected.as_is_ns / LEAST_PART)
            all[count++] = (struct candidate){i, w->stretches.groups[i].time_ns};
    qsort(all, count, sizeof *all, longest_first);
    uint32_t taken = 0, kernels = 0;
    for (uint32_t i = 0; i < count && taken < HOLDUPS_MOST; i++)
        if (w->stretches.groups[all[i].group].cause != CAUSE_DEVICE || kernels++ < KERNELS_MOST)
            chosen[taken++] = all[i];
    return taken;
}

/* ---- what it would gain ---- */

static bool is_shown(const struct holdups *holdups, int64_t saved_ns)
{
    return saved_ns >= holdups->step_ns / 100;
}

bool holdup_is_shown(const struct holdups *holdups, const struct holdup *holdup)
{
    return is_shown(holdups, holdup->saved_ns);
}

/* Neither their own time nor what they wait for: a call that is gone synchronises nothing. `run_of`: by group, or none. */
static void take_away(struct work *w, const uint8_t *run_of)
{
    const struct net *net = &w->lab.joined.net;
    for (uint32_t node = 0; node < net->count; node++)
        for (int run = 0; run < ABREAST; run++)
            lab_works(&w->lab, node)[run] = net->work[node];
    memset(w->lab.runs.freed, 0, net->count * sizeof *w->lab.runs.freed);
    for (size_t i = 0; i < w->stretches.count; i++) {
        const struct loss *loss = &w->stretches.losses[i];
        const uint8_t run = run_of[loss->group];
        if (run == ABREAST)
            continue;
        lab_works(&w->lab, loss->node)[run] -= loss->ns;
        w->lab.runs.freed[loss->node] |= (uint8_t)(loss->waits << run);
    }
}

static void find_savings(struct work *w, const struct candidate *chosen, uint32_t count, int64_t *saved_ns,
                         struct arena *scratch)
{
    uint8_t *run_of = arena_room(scratch, w->stretches.group_count, sizeof *run_of);
    for (uint32_t first = 0; first < count; first += ABREAST) {
        int64_t saved[ABREAST];
        memset(run_of, ABREAST, w->stretches.group_count);
        for (uint32_t run = 0; run < ABREAST && first + run < count; run++)
            run_of[chosen[first + run].group] = (uint8_t)run;
        take_away(w, run_of);
        lab_save(&w->lab, &w->lab.selected, 0, saved);
        for (uint32_t run = 0; run < ABREAST && first + run < count; run++)
            saved_ns[first + run] = saved[run];
    }
}

/* ---- what it is ---- */

/* Of a call the operator, of a kernel that which launched it; of a frame the one that called it. */
static str event_around(const struct work *w, uint32_t row)
{
    const struct trace *trace = w->trace;
    if (event_is_device_work(trace->kind[row])) {
        row = trace->cause[row];
        if (row == ROW_NONE)
            return S("");
    }
    if (trace->kind[row] == EVENT_PYTHON)
        return trace->parent[row] == ROW_NONE ? S("") : trace_name(trace, trace->parent[row]);
    if (trace->kind[row] > EVENT_ANNOTATION)
        return S("");
    for (uint32_t at = trace->parent[row]; at != ROW_NONE; at = trace->parent[at])
        if (trace->kind[at] == EVENT_OPERATOR)
            return trace_name(trace, at);
    return S("");
}

/* The range that the user marked around it, but for that of the step. */
static str range_around(const struct work *w, uint32_t node)
{
    const struct trace *trace = w->trace;
    uint32_t row = trace_open_at(trace, graph_lane(w->lab.graph, node), NEST_ANNOTATION, w->lab.graph->net.start[node]);
    for (; row != ROW_NONE; row = trace->parent[row])
        if (!str_starts(trace_name(trace, row), S("ProfilerStep")))
            return trace_name(trace, row);
    return S("");
}

/* A launch stands for the kernel that it launched. */
static uint32_t event_of(const struct work *w, const struct place *stretch, enum cause cause)
{
    const uint32_t row = stretch->row;
    if (cause != CAUSE_MODULES || row == ROW_NONE || w->trace->kind[row] != EVENT_RUNTIME)
        return row;
    return w->trace->cause[row] == ROW_NONE ? row : w->trace->cause[row];
}

enum { SOON_NS = 1000 * 1000 };

/* What was compiled or loaded: the kernel that the thread launches next, if it does so soon. */
static str kernel_behind(const struct work *w, const struct place *stretch, enum cause cause)
{
    const struct trace *trace = w->trace;
    if ((cause != CAUSE_COMPILATION && cause != CAUSE_MODULES) || trace->kind[stretch->row] == EVENT_RUNTIME)
        return S("");
    const struct rows calls = trace_rows(trace, graph_lane(w->lab.graph, stretch->node), NEST_CALLS);
    const int64_t until = trace_end_ns(trace, stretch->row) + SOON_NS;
    for (uint32_t i = trace_first_from(trace, calls, w->lab.graph->net.start[stretch->node]);
         i < calls.count && trace->start_ns[calls.at[i]] < until; i++)
        if (trace->cause[calls.at[i]] != ROW_NONE)
            return trace_name(trace, trace->cause[calls.at[i]]);
    return S("");
}

static void name(struct work *w, const struct stretch_group *group, struct holdup *out)
{
    const struct place *longest = &group->longest;
    const uint32_t event = event_of(w, longest, group->cause);
    out->row = longest->row == ROW_NONE ? w->lab.graph->row[longest->node] : longest->row;
    out->what = out->title = out->inside = out->line = S("");
    if (longest->row == ROW_NONE)
        return;
    const bool says =
        group->cause <= CAUSE_SYNC || group->cause == CAUSE_PAUSE || group->cause == CAUSE_DEVICE || group->is_long;
    if (says) {
        out->what = str_copy(w->arena, trace_name(w->trace, event));
        out->title = event_title(w->trace->kind[event], out->what, w->arena);
        const str kernel = kernel_behind(w, longest, group->cause);
        str around = kernel.len ? kernel : event_around(w, longest->row);
        around = around.len ? around : range_around(w, longest->node);
        const bool alone = group->cause == CAUSE_NO_LAUNCH ||
                           str_eq(around, out->what) /* the event is what stands around */
                           || group->cause == CAUSE_LOADING || group->cause == CAUSE_LOADER_WAIT;
        out->inside = alone ? S("") : str_copy(w->arena, around);
        const uint32_t line = origin_line(w->origins, longest->row);
        out->line = line ? str_copy(w->arena, line_title(trace_text(w->trace, line))) : S("");
    }
}

/* Of a kernel that of its launch, whose phase it has. */
static const char *phase_of(const struct work *w, const struct place *stretch, enum cause cause)
{
    if (cause == CAUSE_LOADING || cause == CAUSE_LOADER_WAIT)
        return "loader";
    const enum phase phase = cause == CAUSE_DEVICE ? (enum phase)w->phases[stretch->row]
                                                   : node_phase(w->lab.graph, w->phases, stretch->node);
    return phase == PHASE_NONE ? "" : phase_word(phase).at;
}

static struct holdup describe(struct work *w, uint32_t index, int64_t saved_ns)
{
    const struct stretch_group *group = &w->stretches.groups[index];
    struct holdup holdup = {.cause = group->cause,
                            .is_long = group->is_long,
                            .times = group->times,
                            .time_ns = group->time_ns,
                            .longest_ns = group->longest_ns,
                            .saved_ns = saved_ns};
    name(w, group, &holdup);
    holdup.phase = phase_of(w, &group->longest, group->cause);
    habit_find(w->trace, &group->seen, w->lab.selected.range, &holdup);
    return holdup;
}

/* Savings that are more than there is overlap: then one run without all of them says what there is to gain. */
static void find_together(struct work *w, const struct candidate *chosen, const int64_t *saved_ns, struct holdups *out,
                          struct arena *scratch)
{
    uint8_t *run_of = arena_room(scratch, w->stretches.group_count, sizeof *run_of);
    int64_t sum_ns = 0, saved[ABREAST];
    memset(run_of, ABREAST, w->stretches.group_count);
    for (uint32_t i = 0; i < out->count; i++) {
        if (!is_shown(out, saved_ns[i]))
            continue;
        run_of[chosen[i].group] = 0;
        sum_to(&sum_ns, saved_ns[i]);
    }
    if (sum_ns <= out->step_ns)
        return;
    take_away(w, run_of);
    lab_save(&w->lab, &w->lab.selected, 0, saved);
    out->together_ns = saved[0];
}

struct holdups holdups_run(const struct lab *lab, const uint8_t *phases, bool with_kernels, struct arena *arena)
{
    struct arena scratch = {0};
    struct work w = {.trace = lab->graph->trace, .phases = phases, .lab = *lab, .arena = arena};
    w.lab.runs.freed = arena_room(&scratch, lab->joined.net.count, sizeof *w.lab.runs.freed);
    w.stretches = stretches_of(lab, with_kernels);
    w.origins = origins_new(w.trace, &scratch);
    struct candidate chosen[HOLDUPS_MOST];
    int64_t saved_ns[HOLDUPS_MOST];
    struct holdups out = {
        .steps = w.lab.selected.range.count, .step_ns = w.lab.selected.bare_ns, .bare_share = w.lab.bare_share};
    out.count = choose(&w, chosen, &scratch);
    find_savings(&w, chosen, out.count, saved_ns, &scratch);
    find_together(&w, chosen, saved_ns, &out, &scratch);
    out.at = arena_array(arena, out.count, sizeof *out.at);
    for (uint32_t i = 0; i < out.count; i++)
        out.at[i] = describe(&w, chosen[i].group, saved_ns[i]);
    if (out.count)
        qsort(out.at, out.count, sizeof *out.at, holdup_order);
    stretches_free(&w.stretches);
    arena_free(&scratch);
    return out;
}
