/* SPDX-License-Identifier: Apache-2.0 */
#include "node_phase.h"

enum { NEAR = 16 }; /* calls before and after a stretch that are looked at */

static enum phase phase_of_call(const struct trace *trace, const uint8_t *phases, uint32_t row)
{
    for (; row != ROW_NONE && trace->kind[row] <= EVENT_RUNTIME; row = trace->parent[row])
        if (trace->kind[row] == EVENT_OPERATOR)
            return (enum phase)phases[row];
    return PHASES;
}

/* Where the calls beside it are in no operator, or their rows are missing: of the nearest that are. */
static enum phase phase_around(const struct graph *graph, const uint8_t *phases, uint32_t node)
{
    const struct trace *trace = graph->trace;
    const struct rows calls = trace_rows(trace, graph_lane(graph, node), NEST_CALLS);
    const int64_t end = graph_end_ns(graph, node);
    const uint32_t at = trace_first_from(trace, calls, graph->net.start[node]);
    enum phase before = PHASES, after = PHASES;
    for (uint32_t i = at; i > 0 && before == PHASES && at - i < NEAR; i--)
        before = phase_of_call(trace, phases, calls.at[i - 1]);
    for (uint32_t i = at; i < calls.count && after == PHASES && i - at < NEAR; i++)
        if (trace->start_ns[calls.at[i]] >= end)
            after = phase_of_call(trace, phases, calls.at[i]);
    return before == after && before != PHASES ? before : PHASE_NONE;
}

/* What the ranges around the middle of a node say: "DistributedDataParallel.forward", "Optimizer.step#AdamW.step". */
static enum phase phase_of_range(const struct graph *graph, uint32_t node)
{
    const struct trace *trace = graph->trace;
    const int64_t middle = graph->net.start[node] + graph->net.work[node] / 2;
    uint32_t row = trace_open_at(trace, graph_lane(graph, node), NEST_ANNOTATION, middle);
    for (; row != ROW_NONE; row = trace->parent[row]) {
        const str name = trace_name(trace, row);
        const enum phase phase = str_ends(name, S(".forward")) ? PHASE_FORWARD : phase_of_name(name);
        if (phase != PHASE_NONE)
            return phase;
    }
    return PHASE_NONE;
}

/* Most stretches have calls of operators on both sides, which needs no search. */
enum phase node_phase(const struct graph *graph, const uint8_t *phases, uint32_t node)
{
    const struct net *net = &graph->net;
    const enum phase own = phase_of_call(graph->trace, phases, graph->row[node]);
    if (net->kind[node] == NODE_CALL && own != PHASES)
        return own;
    const uint32_t before = net->before[node];
    const bool beside = net->kind[node] != NODE_CALL && before != NODE_NONE && net->kind[before] == NODE_CALL;
    const enum phase other = beside ? phase_of_call(graph->trace, phases, graph->row[before]) : PHASES;
    if (own != PHASES && other != PHASES)
        return own == other ? own : PHASE_NONE;
    const enum phase around = phase_around(graph, phases, node);
    return around == PHASE_NONE ? phase_of_range(graph, node) : around;
}
