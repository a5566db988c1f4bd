/* SPDX-License-Identifier: Apache-2.0 */
#include "net.h"

static bool check_nodes(const struct net *net)
{
    for (uint32_t node = 0; node < net->count; node++) {
        const uint32_t before = net->before[node];
        if (net->work[node] < 0 || net->kind[node] >= NET_KINDS || (before != NODE_NONE && before >= node))
            return false;
        if (net->start && node && net->start[node - 1] > net->start[node])
            return false;
    }
    return true;
}

static bool check_edge(const struct net *net, const struct edge *edge)
{
    return edge->from < net->count && edge->to < net->count && edge->kind < EDGE_KINDS_MOST &&
           net_floor(net, edge->to, edge->kind) >= 0;
}

static bool check_edges(const struct net *net)
{
    for (uint32_t i = 0; i < net->edge_count; i++) {
        const struct edge *edge = &net->edges[i];
        if (!check_edge(net, edge) || edge->from >= edge->to || (i && net->edges[i - 1].to > edge->to))
            return false;
    }
    for (uint32_t i = 0; i < net->carry_count; i++) {
        const struct carry *carry = &net->carries[i];
        if (!check_edge(net, &carry->edge) || !carry->back || (i && net->carries[i - 1].edge.to > carry->edge.to))
            return false;
    }
    return true;
}

bool net_check(const struct net *net)
{
    return check_nodes(net) && check_edges(net);
}
