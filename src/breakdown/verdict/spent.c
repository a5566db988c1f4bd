/* SPDX-License-Identifier: Apache-2.0 */
#include "spent.h"

#include "base/mem.h"

static void add(struct spending *spending, uint32_t node, enum resource resource, int64_t ns)
{
    struct spent *last = spending->count ? &spending->at[spending->last[resource]] : NULL;
    if (last && last->node == node && last->resource == resource) {
        last->ns += ns;
        last->odd += ns & 1;
        return;
    }
    spending->at = mem_grow(spending->at, &spending->room, spending->count + 1, sizeof *spending->at);
    spending->last[resource] = spending->count;
    spending->at[spending->count++] = (struct spent){node, resource, ns & 1, ns};
}

void spent_resources(const struct lab *lab, enum resource of[CHARGES])
{
    for (int charge = 0; charge < CHARGES; charge++) {
        of[charge] = charged_to(&lab->charges, (enum charge)charge);
        if (lab->hostwork && of[charge] == RESOURCE_HOST)
            of[charge] = RESOURCE_BESIDE;
    }
}

enum resource spent_of_node(const struct lab *lab, const enum resource of[CHARGES], uint32_t node)
{
    if (lab->hostwork && node_is_operator(&lab->charges, node))
        return hostwork_resource(lab->hostwork, lab->graph->row[node]);
    return of[lab->charges.of[node]];
}

struct spending spending_of(const struct lab *lab, int64_t from_ns)
{
    const struct net *net = &lab->graph->net;
    const struct charges *charges = &lab->charges;
    struct spending spending = {0};
    enum resource of[CHARGES];
    spent_resources(lab, of);
    for (uint32_t node = 0, slice = 0; node < lab->judged.steps.until; node++) {
        const bool told = net_end(net, node) > from_ns;
        int64_t own = net->work[node];
        for (; slice < charges->slice_count && charges->slices[slice].node == node; slice++) {
            own -= charges->slices[slice].ns;
            if (told)
                add(&spending, lab->joined.of[node], of[charges->slices[slice].charge], charges->slices[slice].ns);
        }
        if (told && own)
            add(&spending, lab->joined.of[node], spent_of_node(lab, of, node), own);
    }
    return spending;
}

void spending_free(struct spending *spending)
{
    mem_free(spending->at);
}
