/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the experiments over one graph. */
#include <string.h>

#include "base/sum.h"
#include "experiment.h"
#include "graph/bare.h"
#include "verdict.h"

/* A table's worth of them, and its pairs. */
enum { EXPERIMENTS_MOST = RESOURCES * RESOURCES };
struct experiments {
    const struct lab *lab;
    const struct spending *spending;
    struct experiment at[EXPERIMENTS_MOST];
    uint32_t count;
};

struct experiment experiment_plain(void)
{
    struct experiment plain = {.prompt = false};
    for (int resource = 0; resource < RESOURCES; resource++)
        plain.part[resource] = PACE_WHOLE;
    return plain;
}

/* As recorded, but for what the caller changes of it. */
static struct experiment *add(struct experiments *experiments)
{
    struct experiment *next = &experiments->at[experiments->count++];
    *next = experiment_plain();
    return next;
}

int experiment_part(enum resource resource)
{
    return verdict_halves(resource) ? PACE_HALF : PACE_NOTHING;
}

int64_t experiment_paced(const struct experiment *experiment, const struct spent *spent)
{
    switch (experiment->part[spent->resource]) {
    case PACE_NOTHING:
        return 0;
    case PACE_HALF:
        return (spent->ns - spent->odd) / 2;
    default:
        return spent->ns;
    }
}

void experiment_pace(struct experiment *experiment, const struct lab *lab, enum resource resource, int part)
{
    for (int r = 0; r < RESOURCES; r++)
        if (resource_has(resource, (enum resource)r, lab->hostwork != NULL))
            experiment->part[r] = part;
}

void experiments_fill(const struct lab *lab, const struct spending *spending, const struct experiment *some,
                      uint32_t count)
{
    memset(lab_works(lab, 0), 0, (size_t)lab->joined.net.count * ABREAST * sizeof(int64_t));
    for (size_t i = 0; i < spending->count; i++) {
        const struct spent *spent = &spending->at[i];
        int64_t *const works = lab_works(lab, spent->node);
        for (uint32_t run = 0; run < ABREAST; run++)
            works[run] += experiment_paced(&some[run < count ? run : count - 1], spent);
    }
}

/* Some of them side by side. */
static void run_abreast(const struct experiments *all, struct experiment *some, uint32_t count)
{
    int64_t saved_ns[ABREAST];
    uint32_t prompt = 0;
    for (uint32_t run = 0; run < ABREAST; run++)
        prompt |= (uint32_t)some[run < count ? run : count - 1].prompt << run;
    experiments_fill(all->lab, all->spending, some, count);
    lab_save(all->lab, &all->lab->judged, prompt, saved_ns);
    for (uint32_t run = 0; run < count; run++)
        some[run].saved_ns = saved_ns[run];
}

static void run_all(struct experiments *all)
{
    for (uint32_t first = 0; first < all->count; first += ABREAST)
        run_abreast(all, all->at + first, all->count - first < ABREAST ? all->count - first : ABREAST);
}

/* How far the graph explains the recording; each resource as in the table, and without it. */
static void run_table(struct experiments *all, struct verdict *out)
{
    uint32_t without[RESOURCES] = {0}, in_table[RESOURCES] = {0};
    all->count = 0;
    add(all)->prompt = true;
    for (int r = 0; r < RESOURCE_NONE; r++) {
        if (!out->time_ns[r])
            continue;
        without[r] = in_table[r] = all->count;
        experiment_pace(add(all), all->lab, r, PACE_NOTHING);
        if (experiment_part(r) == PACE_NOTHING)
            continue;
        in_table[r] = all->count;
        experiment_pace(add(all), all->lab, r, experiment_part(r));
    }
    run_all(all);
    out->explained_ns = out->step_ns - all->at[0].saved_ns;
    for (int r = 0; r < RESOURCE_NONE; r++) {
        out->removed_ns[r] = out->time_ns[r] ? all->at[without[r]].saved_ns : 0;
        out->saved_ns[r] = out->time_ns[r] ? all->at[in_table[r]].saved_ns : 0;
    }
}

/* Two resources at no time at all. */
static void run_pairs(struct experiments *all, struct verdict *out)
{
    enum resource pairs[EXPERIMENTS_MOST][2];
    all->count = 0;
    for (int a = 0; a < RESOURCE_NONE; a++)
        for (int b = a + 1; b < RESOURCE_NONE; b++) {
            if (!out->time_ns[a] || !out->time_ns[b] || !verdict_ranks(out, a) || !verdict_ranks(out, b))
                continue;
            pairs[all->count][0] = a;
            pairs[all->count][1] = b;
            struct experiment *pair = add(all);
            experiment_pace(pair, all->lab, a, PACE_NOTHING);
            experiment_pace(pair, all->lab, b, PACE_NOTHING);
        }
    run_all(all);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->at[i].saved_ns > out->pair_ns) {
            out->pair_ns = all->at[i].saved_ns;
            memcpy(out->pair, pairs[i], sizeof out->pair);
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

void experiment_times(const struct lab *lab, const struct window *window, const struct spending *spending,
                      int64_t time_ns[RESOURCES])
{
    for (size_t i = 0; i < spending->count; i++)
        sum_to(&time_ns[spending->at[i].resource], within(&lab->joined.net, &spending->at[i], window->steps.from_ns));
    for (int whole = 0; whole < RESOURCE_NONE; whole++)
        for (int part = 0; part < RESOURCE_NONE; part++)
            if (part != whole && resource_has(whole, part, lab->hostwork != NULL))
                sum_to(&time_ns[whole], time_ns[part]);
}

/* What a step is for: of the device; on a host alone the operators, each by its last stretch. */
static bool is_work(const struct lab *lab, uint32_t node)
{
    const struct graph *graph = lab->graph;
    if (!lab->hostwork)
        return graph->net.kind[node] == NODE_DEVICE;
    return graph->net.kind[node] == NODE_CALL && graph->trace->kind[graph->row[node]] == EVENT_OPERATOR &&
           graph_node_of(graph, graph->row[node]) == node;
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
        node_plain_cause(&lab->charges.causes, node) != CAUSE_PYTHON || graph_lane(graph, node) != graph->main_lane)
        return false;
    const int64_t middle = graph->net.start[node] + graph->net.work[node] / 2;
    if (trace_open_at(graph->trace, graph->main_lane, NEST_PYTHON, middle) != ROW_NONE)
        return false;
    if (!lab->hostwork) /* what a range is called does not say whether it waits for the device */
        return true;
    const uint32_t range = trace_open_at(graph->trace, graph->main_lane, NEST_ANNOTATION, middle);
    return range == ROW_NONE || str_starts(trace_name(graph->trace, range), S("ProfilerStep"));
}

/* What the judged steps hold before the first event of the training thread. */
static int64_t before_training_ns(const struct lab *lab)
{
    const struct graph *graph = lab->graph;
    const int64_t from = lab->judged.steps.from_ns;
    uint32_t node = 0;
    while (node < lab->judged.steps.until &&
           (graph->net.kind[node] == NODE_DEVICE || graph_lane(graph, node) != graph->main_lane))
        node++;
    return node < lab->judged.steps.until && graph->net.start[node] > from ? graph->net.start[node] - from : 0;
}

/* In the judged steps; less what a cause stands over. */
static int64_t blank_ns(const struct lab *lab)
{
    const struct net *net = &lab->graph->net;
    int64_t blank = lab->hostwork ? before_training_ns(lab) : 0;
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

/* What is added up of the recorded steps is the same part of the steps without the recorder. */
static void keep_parts(const struct lab *lab, struct verdict *out)
{
    const double part = lab->judged.as_is_ns > 0 ? (double)lab->judged.bare_ns / (double)lab->judged.as_is_ns : 1;
    for (int r = 0; r < RESOURCES; r++)
        out->time_ns[r] = graph_bare_ns(part, out->time_ns[r]);
    out->held_ns = graph_bare_ns(part, out->held_ns);
    out->blank_ns = graph_bare_ns(part, out->blank_ns);
    out->left_out_ns = graph_bare_ns(part, out->left_out_ns);
}

void verdict_run(const struct lab *lab, struct verdict *out)
{
    const struct trace *trace = lab->graph->trace;
    const struct step_range range = lab->judged.range;
    const struct trace_oddities odd = trace_oddities(trace);
    struct spending spending = spending_of(lab, lab->judged.steps.from_ns);
    *out = (struct verdict){.steps = range.count, .step_ns = lab->judged.bare_ns, .first_only = is_first(trace, range)};
    out->among = lab->among.count;
    experiment_times(lab, &lab->judged, &spending, out->time_ns);
    count_work(lab, out);
    out->launches = odd.launches;
    out->lost = odd.graph_launches ? 0 : odd.launches_without_kernel; /* what is captured runs with its graph */
    out->device = !lab->hostwork;
    out->held_ns = held_ns(lab);
    out->blank_ns = blank_ns(lab);
    out->left_out_ns = lab->selected.as_is_ns - lab->judged.as_is_ns;
    out->left_out_cause = cause_left_out(lab);
    out->bare_share = lab->bare_share;
    keep_parts(lab, out);
    struct experiments experiments = {.lab = lab, .spending = &spending};
    run_table(&experiments, out);
    if (verdict_answer(out).bound == BOUND_BALANCED)
        run_pairs(&experiments, out);
    spending_free(&spending);
}
