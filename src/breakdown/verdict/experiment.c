/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the experiments over one graph. */
#include <string.h>

#include "base/sum.h"
#include "spent.h"
#include "verdict.h"

/* What part of its time each resource takes: part / 2. */
enum { NOTHING, HALF, WHOLE };
struct paces {
    int part[RESOURCES];
};

static struct paces as_recorded(void)
{
    struct paces paces;
    for (int resource = 0; resource < RESOURCES; resource++)
        paces.part[resource] = WHOLE;
    return paces;
}

/* Those that a faster machine would speed up, twice as fast; those that a change could hide, free. */
static int part_in_table(enum resource resource)
{
    return resource <= RESOURCE_BESIDE ? HALF : NOTHING;
}

static int64_t paced(const struct paces *paces, const struct spent *spent)
{
    switch (paces->part[spent->resource]) {
    case NOTHING:
        return 0;
    case HALF:
        return (spent->ns - spent->odd) / 2;
    default:
        return spent->ns;
    }
}

static void pace(struct paces *paces, const struct lab *lab, enum resource resource, int part)
{
    for (int r = 0; r < RESOURCES; r++)
        if (resource_has(resource, (enum resource)r, lab->hostwork != NULL))
            paces->part[r] = part;
}

static int64_t saved(const struct lab *lab, const struct spending *spending, const struct paces *paces)
{
    memset(lab->work, 0, lab->joined.net.count * sizeof *lab->work);
    for (size_t i = 0; i < spending->count; i++)
        lab->work[spending->at[i].node] += paced(paces, &spending->at[i]);
    return lab_saved_ns(lab, &lab->judged);
}

static void run_table(const struct lab *lab, const struct spending *spending, struct verdict *out)
{
    for (int r = 0; r < RESOURCE_NONE; r++) {
        struct paces paces = as_recorded();
        if (!out->time_ns[r])
            continue;
        pace(&paces, lab, r, NOTHING);
        out->removed_ns[r] = saved(lab, spending, &paces);
        const int part = part_in_table(r);
        pace(&paces, lab, r, part);
        out->saved_ns[r] = part ? saved(lab, spending, &paces) : out->removed_ns[r];
    }
}

/* Two resources at no time at all. */
static void run_pairs(const struct lab *lab, const struct spending *spending, struct verdict *out)
{
    for (int a = 0; a < RESOURCE_NONE; a++)
        for (int b = a + 1; b < RESOURCE_NONE; b++) {
            struct paces paces = as_recorded();
            if (!out->time_ns[a] || !out->time_ns[b] || !verdict_ranks(out, a) || !verdict_ranks(out, b))
                continue;
            pace(&paces, lab, a, NOTHING);
            pace(&paces, lab, b, NOTHING);
            const int64_t ns = saved(lab, spending, &paces);
            if (ns > out->pair_ns) {
                out->pair_ns = ns;
                out->pair[0] = a;
                out->pair[1] = b;
            }
        }
}

/* ---- what the steps hold ---- */

/* Of a node at work when the steps begin that part of it that an experiment changes. */
static int64_t within(const struct net *net, const struct spent *spent, int64_t from_ns)
{
    const int64_t start = net->start[spent->node], work = net->work[spent->node];
    if (start >= from_ns)
        return spent->ns;
    return work > 0 ? (int64_t)((double)spent->ns * (double)(net_end(net, spent->node) - from_ns) / (double)work) : 0;
}

static void take_times(const struct lab *lab, const struct spending *spending, struct verdict *out)
{
    for (size_t i = 0; i < spending->count; i++)
        sum_to(&out->time_ns[spending->at[i].resource],
               within(&lab->joined.net, &spending->at[i], lab->judged.steps.from_ns));
    for (int whole = 0; whole < RESOURCE_NONE; whole++)
        for (int part = 0; part < RESOURCE_NONE; part++)
            if (part != whole && resource_has(whole, part, lab->hostwork != NULL))
                sum_to(&out->time_ns[whole], out->time_ns[part]);
}

/* What a step is for: of the device; on a host alone the operators, each by its last stretch. */
static bool is_work(const struct lab *lab, uint32_t node)
{
    const struct graph *graph = lab->graph;
    if (!lab->hostwork)
        return graph->net.kind[node] == NODE_DEVICE;
    return graph->net.kind[node] == NODE_CALL && graph->trace->kind[graph->row[node]] == EVENT_OPERATOR &&
           graph->node_of[graph->row[node]] == node;
}

/* Of all selected steps: what is too little to judge by, and how much of it has no launch. */
static void count_work(const struct lab *lab, struct verdict *out)
{
    const struct graph *graph = lab->graph;
    const struct step_range range = lab->selected.range;
    const struct trace *trace = graph->trace;
    const struct step *first = trace->steps + range.first, *last = first + range.count - 1;
    for (uint32_t node = 0; range.count && node < graph->net.count; node++) {
        const int64_t start = graph->net.start[node];
        if (start < first->start_ns || start >= last->end_ns || !is_work(lab, node))
            continue;
        out->work++;
        out->unlaunched += !lab->hostwork && trace->cause[graph->row[node]] == ROW_NONE;
    }
}

enum { QUEUED_NS = 30 * 1000 }; /* a launch takes some microseconds; from here on it waits for something */

/* How long the device lay idle although its next work was let go, for longer than a launch takes. */
static int64_t held_ns(const struct lab *lab)
{
    const struct net *net = &lab->joined.net;
    int64_t busy_until = lab->judged.steps.from_ns, held = 0;
    for (uint32_t node = 0; node < lab->judged.joined.until; node++) {
        if (net->kind[node] != NODE_DEVICE)
            continue;
        const int64_t start = net->start[node], from = net->arrival[node];
        const int64_t idle = start - (from > busy_until ? from : busy_until);
        if (from != INT64_MIN && idle > QUEUED_NS)
            sum_to(&held, idle);
        busy_until = net_end(net, node) > busy_until ? net_end(net, node) : busy_until;
    }
    return held;
}

enum { BLANK_NS = 1000 * 1000 };

/* The training thread, and for so long that it is no pause between two operators: no event is open but the step. */
static bool is_blank(const struct lab *lab, uint32_t node)
{
    const struct graph *graph = lab->graph;
    if (graph->net.kind[node] == NODE_CALL || graph->net.work[node] < BLANK_NS ||
        lab->charges.of[node] != CHARGE_HOST + CAUSE_PYTHON || graph_lane(graph, node) != graph->main_lane)
        return false;
    const int64_t middle = graph->net.start[node] + graph->net.work[node] / 2;
    if (trace_open_at(graph->trace, graph->main_lane, NEST_PYTHON, middle) != ROW_NONE)
        return false;
    const uint32_t range = trace_open_at(graph->trace, graph->main_lane, NEST_ANNOTATION, middle);
    return range == ROW_NONE || str_starts(trace_name(graph->trace, range), S("ProfilerStep"));
}

/* In the judged steps; less what a cause stands over. */
static int64_t blank_ns(const struct lab *lab)
{
    const struct net *net = &lab->graph->net;
    int64_t blank = 0;
    for (uint32_t node = 0, slice = 0; node < lab->judged.steps.until; node++) {
        int64_t told = 0;
        for (; slice < lab->charges.slice_count && lab->charges.slices[slice].node == node; slice++)
            told += lab->charges.slices[slice].ns;
        if (net->start[node] >= lab->judged.steps.from_ns && net->work[node] - told >= BLANK_NS && is_blank(lab, node))
            sum_to(&blank, net->work[node] - told);
    }
    return blank;
}

/* Over half of the time of the steps that are left out, by what stands over the host's calls. */
static enum cause cause_left_out(const struct lab *lab)
{
    const struct graph *graph = lab->graph;
    const int64_t from = lab->judged.steps.from_ns, until = from + lab->judged.as_is_ns;
    int64_t ns[CAUSES] = {0};
    for (uint32_t i = 0; i < lab->charges.slice_count; i++) {
        const struct charge_slice *slice = &lab->charges.slices[i];
        const int64_t start = graph->net.start[slice->node];
        if (start >= lab->selected.steps.from_ns && slice->node < lab->selected.steps.until &&
            (start < from || start >= until))
            sum_to(&ns[slice->charge - CHARGE_HOST], slice->ns);
    }
    for (int cause = 0; cause < CAUSES; cause++)
        if (2 * ns[cause] > lab->selected.as_is_ns - lab->judged.as_is_ns)
            return (enum cause)cause;
    return CAUSE_NONE;
}

static bool is_first(const struct trace *trace, struct step_range range)
{
    return trace->step_count == 1 && range.count == 1 && trace->step_source != STEPS_NONE &&
           trace->steps[range.first].number == 0;
}

void verdict_run(const struct lab *lab, struct verdict *out)
{
    const struct trace *trace = lab->graph->trace;
    const struct step_range range = lab->judged.range;
    const struct trace_oddities odd = trace_oddities(trace);
    struct spending spending = spending_of(lab);
    *out =
        (struct verdict){.steps = range.count, .step_ns = lab->judged.as_is_ns, .first_only = is_first(trace, range)};
    take_times(lab, &spending, out);
    count_work(lab, out);
    out->launches = odd.launches;
    out->lost = odd.graph_launches ? 0 : odd.launches_without_kernel; /* what is captured runs with its graph */
    out->device = !lab->hostwork;
    out->held_ns = held_ns(lab);
    out->blank_ns = lab->hostwork ? blank_ns(lab) : 0;
    out->left_out_ns = lab->selected.as_is_ns - lab->judged.as_is_ns;
    out->left_out_cause = cause_left_out(lab);
    out->explained_ns = lab_explained_ns(lab, &lab->judged);
    run_table(lab, &spending, out);
    if (verdict_answer(out).bound == BOUND_BALANCED)
        run_pairs(lab, &spending, out);
    spending_free(&spending);
}
