/* SPDX-License-Identifier: Apache-2.0 */
/* From definitions to what they lead to: names that read them, and definitions through which they are seen. */
#include "source/private.h"

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

static void pair_uses(const struct file *file, uint32_t *first, uint32_t *fill)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t node = 0; node < tree->count; node++)
        if (tree->kind[node] == SYN_NAME)
            pair(first, fill, flow_resolve(&file->flow, flow_read_def(&file->flow, node)), node);
}

static void pair_nexts(const struct file *file, uint32_t *first, uint32_t *fill)
{
    const struct flow *flow = &file->flow;
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

static void index_pairs(const struct file *file, void (*each)(const struct file *, uint32_t *, uint32_t *),
                        uint32_t **first, uint32_t **to)
{
    const uint32_t count = file->flow.def_count;
    *first = mem_zeroed((count + 2) * sizeof **first);
    each(file, *first, NULL);
    for (uint32_t d = 2; d < count + 2; d++)
        (*first)[d] += (*first)[d - 1];
    *to = mem_zeroed(((*first)[count + 1] + 1) * sizeof **to);
    each(file, *first, *to);
}

void flow_index(struct file *file)
{
    index_pairs(file, pair_uses, &file->flow.first_use, &file->flow.uses);
    index_pairs(file, pair_nexts, &file->flow.first_next, &file->flow.nexts);
}
