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
    return resource == RESOURCE_DEVICE || resource == RESOURCE_HOST ? HALF : NOTHING;
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
        paces.part[r] = NOTHING;
        out->removed_ns[r] = saved(lab, spending, &paces);
        const int part = part_in_table(r);
        paces.part[r] = part;
        out->saved_ns[r] = part ? saved(lab, spending, &paces) : out->removed_ns[r];
    }
}

/* Two resources at no time at all. */
static void run_pairs(const struct lab *lab, const struct spending *spending, struct verdict *out)
{
    for (int a = 0; a < RESOURCE_NONE; a++)
        for (int b = a + 1; b < RESOURCE_NONE; b++) {
            struct paces paces = as_recorded();
            if (!out->time_ns[a] || !out->time_ns[b])
                continue;
            paces.part[a] = NOTHING;
            paces.part[b] = NOTHING;
            const int64_t ns = saved(lab, spending, &paces);
            if (ns > out->pair_ns) {
                out->pair_ns = ns;
                out->pair[0] = a;
                out->pair[1] = b;
            }
        }
}

/* ---- what the steps hold ---- */

static void take_times(const struct lab *lab, const struct spending *spending, struct verdict *out)
{
    for (size_t i = 0; i < spending->count; i++)
        if (lab->joined.net.start[spending->at[i].node] >= lab->judged.steps.from_ns)
            sum_to(&out->time_ns[spending->at[i].resource], spending->at[i].ns);
}

/* Of all selected steps: what is too little to judge by, and how much of it has no launch. */
static void count_work(const struct graph *graph, const struct step_range range, struct verdict *out)
{
    const struct trace *trace = graph->trace;
    const struct step *first = trace->steps + range.first, *last = first + range.count - 1;
    for (uint32_t node = 0; range.count && node < graph->net.count; node++) {
        const int64_t start = graph->net.start[node];
        if (graph->net.kind[node] != NODE_DEVICE || start < first->start_ns || start >= last->end_ns)
            continue;
        out->work++;
        out->unlaunched += trace->cause[graph->row[node]] == ROW_NONE;
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
    count_work(lab->graph, lab->selected.range, out);
    out->launches = odd.launches;
    out->lost = odd.graph_launches ? 0 : odd.launches_without_kernel; /* what is captured runs with its graph */
    out->device = out->work > 0;
    out->held_ns = held_ns(lab);
    out->explained_ns = lab_explained_ns(lab, &lab->judged);
    run_table(lab, &spending, out);
    if (verdict_answer(out).bound == BOUND_BALANCED)
        run_pairs(lab, &spending, out);
    spending_free(&spending);
}
