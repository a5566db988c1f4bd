/* SPDX-License-Identifier: Apache-2.0 */
/* From definitions to what they lead to: names that read them, and definitions through which they are seen. */
#include "flows.h"

#include "base/mem.h"

static bool is_binding(const struct flow *flow, uint32_t name)
{
    const uint32_t def = flow->def_of[name];
    return flow->defs[def].shown.name == name && flow->defs[def].shown.kind != DEFINED_OUTSIDE;
}

uint32_t flow_read_def(const struct flow *flow, uint32_t name)
{
    const uint32_t def = flow->def_of[name];
    if (def == NONE || !is_binding(flow, name))
        return def;
    return flow->defs[def].shown.kind == DEFINED_AUGMENT ? flow->defs[def].previous : NONE;
}

/* Either counts the pairs of each `from` (fill NULL), or lays them down behind one another. */
static void pair(uint32_t *first, uint32_t *fill, uint32_t from, uint32_t to)
{
    if (from == NONE)
        return;
    if (fill)
        fill[first[from + 1]++] = to;
    else
        first[from + 2]++;
}

static void pair_uses(const struct flow *flow, uint32_t *first, uint32_t *fill)
{
    for (uint32_t node = 0; node < flow->node_count; node++)
        pair(first, fill, flow_resolve(flow, flow_read_def(flow, node)), node);
}

static void pair_nexts(const struct flow *flow, uint32_t *first, uint32_t *fill)
{
    for (uint32_t d = 0; d < flow->def_count; d++) {
        const struct def *def = &flow->defs[d];
        if (def->same_as != NONE)
            pair(first, fill, flow_resolve(flow, d), d);
        if (def->shown.kind == DEFINED_CHANGE)
            pair(first, fill, flow_resolve(flow, def->previous), d);
        for (uint32_t i = 0; def->shown.kind == DEFINED_MEETING && i < def->operands; i++)
            pair(first, fill, flow_resolve(flow, flow->operands[def->first_operand + i]), d);
    }
}

typedef void pair_fn(const struct flow *flow, uint32_t *first, uint32_t *fill);

static void index_pairs(const struct flow *flow, pair_fn *each, uint32_t **first, uint32_t **to)
{
    const uint32_t count = flow->def_count;
    *first = mem_zeroed((count + 2) * sizeof **first);
    each(flow, *first, NULL);
    for (uint32_t d = 2; d < count + 2; d++)
        (*first)[d] += (*first)[d - 1];
    *to = mem_zeroed(((*first)[count + 1] + 1) * sizeof **to);
    each(flow, *first, *to);
}

void flow_index(struct flow *flow)
{
    index_pairs(flow, pair_uses, &flow->first_use, &flow->uses);
    index_pairs(flow, pair_nexts, &flow->first_next, &flow->nexts);
}
