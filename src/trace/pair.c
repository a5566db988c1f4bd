/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forward operator of each backward one. Autograd gives both the same
 * sequence number, and the backward one the thread of its forward (not 0);
 * where numbers are missing the fwdbwd arrows join their starts.
 */
#include "base/hash.h"
#include "private.h"

static bool backward(const struct trace *t, uint32_t row)
{
    return trace_attr_or(t, row, ATTR_FORWARD_THREAD, 0) != 0 ||
           str_starts(trace_name(t, row), S("autograd::engine::evaluate_function"));
}

static void pair_by_sequence(struct trace *t)
{
    struct map forward = {0};
    int64_t sequence;
    for (uint32_t row = 0; row < t->count; row++)
        if (trace_attr(t, row, ATTR_SEQUENCE, &sequence) && !backward(t, row)) {
            const uint32_t known = map_get(&forward, sequence);
            if (known == MAP_NONE || t->start_ns[row] < t->start_ns[known]) /* the outermost began first */
                map_put(&forward, sequence, row);
        }
    for (uint32_t row = 0; row < t->count; row++)
        if (trace_attr(t, row, ATTR_SEQUENCE, &sequence) && backward(t, row)) {
            const uint32_t from = map_get(&forward, sequence);
            if (from != MAP_NONE && t->start_ns[from] <= t->start_ns[row])
                map_put(&t->private->forward, row, from);
        }
    map_free(&forward);
}

static void pair_by_flow(struct trace *t)
{
    const struct trace_private *p = t->private;
    struct map start_of = {0};
    for (size_t i = 0; i < p->flow_count; i++)
        if (p->flows[i].kind == FLOW_BACKWARD && !p->flows[i].finish)
            map_put(&start_of, p->flows[i].id, (uint32_t)i);
    for (size_t i = 0; i < p->flow_count; i++) {
        const struct flow *end = &p->flows[i];
        const uint32_t start = map_get(&start_of, end->id);
        if (end->kind != FLOW_BACKWARD || !end->finish || start == MAP_NONE)
            continue;
        const uint32_t to = trace_open_at(t, end->lane, NEST_CALLS, end->time_ns);
        const uint32_t from = trace_open_at(t, p->flows[start].lane, NEST_CALLS, p->flows[start].time_ns);
        if (to != ROW_NONE && from != ROW_NONE && map_get(&p->forward, to) == MAP_NONE)
            map_put(&t->private->forward, to, from);
    }
    map_free(&start_of);
}

void trace_pair(struct trace *t)
{
    if (trace_attr_count(t, ATTR_SEQUENCE))
        pair_by_sequence(t);
    if (t->private->flow_count)
        pair_by_flow(t);
}

uint32_t trace_forward(const struct trace *t, uint32_t row)
{
    const uint32_t found = map_get(&t->private->forward, row);
    return found == MAP_NONE ? ROW_NONE : found;
}
