/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the experiments over one graph. */
#include "base/sum.h"
#include "lab.h"
#include "verdict.h"

/* What part of its time each account takes: part / 2. */
enum { NOTHING, HALF, WHOLE };
struct paces {
    int part[CHARGES];
};

static struct paces as_recorded(void)
{
    struct paces paces;
    for (int charge = 0; charge < CHARGES; charge++)
        paces.part[charge] = WHOLE;
    return paces;
}

static void set_resource(struct paces *paces, enum resource resource, int part)
{
    for (int charge = 0; charge < CHARGES; charge++)
        if (resource_of((enum charge)charge) == resource)
            paces->part[charge] = part;
}

/* Those that a faster machine would speed up, twice as fast; those that a change could hide, free. */
static int part_in_table(enum resource resource)
{
    return resource == RESOURCE_DEVICE || resource == RESOURCE_HOST ? HALF : NOTHING;
}

static int64_t paced(const struct paces *paces, uint8_t charge, int64_t ns)
{
    return paces->part[charge] == WHOLE ? ns : ns * paces->part[charge] / WHOLE;
}

static void set_paces(struct lab *lab, const struct paces *paces)
{
    const struct net *net = &lab->graph->net;
    const struct charge_slice *slice = lab->charges.slices, *end = slice + lab->charges.slice_count;
    for (uint32_t node = 0; node < lab->steps.until; node++) {
        int64_t own = net->work[node], work = 0;
        for (; slice < end && slice->node == node; slice++) {
            work += paced(paces, slice->charge, slice->ns);
            own -= slice->ns;
        }
        lab->work[node] = work + paced(paces, lab->charges.of[node], own);
    }
}

static int64_t saved(struct lab *lab, const struct paces *paces)
{
    set_paces(lab, paces);
    return lab_saved_ns(lab);
}

static void run_table(struct lab *lab, struct verdict *out)
{
    for (int r = 0; r < RESOURCE_NONE; r++) {
        struct paces paces = as_recorded();
        if (!out->time_ns[r])
            continue;
        set_resource(&paces, r, NOTHING);
        out->removed_ns[r] = saved(lab, &paces);
        const int part = part_in_table(r);
        set_resource(&paces, r, part);
        out->saved_ns[r] = part ? saved(lab, &paces) : out->removed_ns[r];
    }
}

/* Two resources at no time at all. */
static void run_pairs(struct lab *lab, struct verdict *out)
{
    for (int a = 0; a < RESOURCE_NONE; a++)
        for (int b = a + 1; b < RESOURCE_NONE; b++) {
            struct paces paces = as_recorded();
            if (!out->time_ns[a] || !out->time_ns[b])
                continue;
            set_resource(&paces, a, NOTHING);
            set_resource(&paces, b, NOTHING);
            const int64_t ns = saved(lab, &paces);
            if (ns > out->pair_ns) {
                out->pair_ns = ns;
                out->pair[0] = a;
                out->pair[1] = b;
            }
        }
}

/* ---- what the steps hold ---- */

static void take(struct verdict *out, uint8_t charge, int64_t ns)
{
    sum_to(&out->time_ns[resource_of(charge)], ns);
}

static void take_times(const struct lab *lab, struct verdict *out)
{
    const struct net *net = &lab->graph->net;
    const struct charge_slice *slice = lab->charges.slices, *end = slice + lab->charges.slice_count;
    for (uint32_t node = 0; node < lab->steps.until; node++) {
        const bool inside = net->start[node] >= lab->steps.from_ns;
        int64_t own = net->work[node];
        for (; slice < end && slice->node == node; slice++) {
            own -= slice->ns;
            if (inside)
                take(out, slice->charge, slice->ns);
        }
        if (inside)
            take(out, lab->charges.of[node], own);
    }
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

/* When the last of what a node waits for lets it go, as recorded; `edge` is the first edge into it or a later node. */
static int64_t let_go_ns(const struct net *net, uint32_t node, uint32_t *edge)
{
    int64_t at = INT64_MIN;
    if (net->before[node] != NODE_NONE)
        at = net_arrival(net, NULL, &(struct edge){net->before[node], node, EDGE_LANE});
    for (; *edge < net->edge_count && net->edges[*edge].to <= node; ++*edge) {
        const int64_t arrival = net->edges[*edge].to == node ? net_arrival(net, NULL, &net->edges[*edge]) : at;
        at = arrival > at ? arrival : at;
    }
    return at;
}

enum { QUEUED_NS = 30 * 1000 }; /* a launch takes some microseconds; from here on it waits for something */

/* How long the device lay idle although its next work was let go, for longer than a launch takes. */
static int64_t held_ns(const struct lab *lab)
{
    const struct net *net = &lab->graph->net;
    int64_t busy_until = lab->steps.from_ns, held = 0;
    uint32_t edge = 0;
    for (uint32_t node = 0; node < lab->steps.until; node++) {
        if (net->kind[node] != NODE_DEVICE)
            continue;
        const int64_t start = net->start[node], from = let_go_ns(net, node, &edge);
        const int64_t idle = start - (from > busy_until ? from : busy_until);
        if (from != INT64_MIN && idle > QUEUED_NS)
            sum_to(&held, idle);
        busy_until = net_end(net, node) > busy_until ? net_end(net, node) : busy_until;
    }
    return held;
}

/* The first and the last step carry the edges of the recording. */
static struct step_range judged(const struct trace *trace, const struct selection *selection)
{
    struct step_range range = selection_steps(trace, selection);
    if (!selection->limited && range.count >= 4) {
        range.first++;
        range.count -= 2;
    }
    return range;
}

static bool is_first(const struct trace *trace, struct step_range range)
{
    return trace->step_count == 1 && range.count == 1 && trace->step_source != STEPS_NONE &&
           trace->steps[range.first].number == 0;
}

void verdict_run(const struct graph *graph, const struct work_classes *classes, const struct selection *selection,
                 struct verdict *out)
{
    struct arena scratch = {0};
    const struct step_range range = judged(graph->trace, selection);
    struct lab lab = lab_open(graph, classes, range, &scratch);
    *out = (struct verdict){.steps = range.count, .step_ns = lab.as_is_ns, .first_only = is_first(graph->trace, range)};
    take_times(&lab, out);
    count_work(graph, selection_steps(graph->trace, selection), out);
    const struct trace_oddities odd = trace_oddities(graph->trace);
    out->launches = odd.launches;
    out->lost = odd.graph_launches ? 0 : odd.launches_without_kernel; /* what is captured runs with its graph */
    out->device = out->work > 0;
    out->held_ns = held_ns(&lab);
    out->explained_ns = lab_explained_ns(&lab);
    run_table(&lab, out);
    if (verdict_answer(out).bound == BOUND_BALANCED)
        run_pairs(&lab, out);
    arena_free(&scratch);
}
