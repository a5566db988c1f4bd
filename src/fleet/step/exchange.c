/* SPDX-License-Identifier: Apache-2.0 */
#include "exchange.h"

#include "architecture.h"

/* ---- groups and their collectives ---- */

/* Ranks that talk, how many of them share a server, how many such groups share its network, servers where told, or 0. */
struct group {
    double ranks, local, beside, servers;
};

static double servers_of(const struct group *group)
{
    return group->servers > 0 ? group->servers : ceil(group->ranks / group->local);
}

/* (n - 1) / n: the share of a message that is not there already. */
static double elsewhere(double n)
{
    return (n - 1) / n;
}

/* Hops of a collective, there and back along a ring, or between servers a tree where that is shorter. */
static double network_hops(double servers, double passes, bool trees)
{
    const double ring = passes * (servers - 1);
    return trees ? lesser(ring, passes * ceil(log2(servers))) : ring;
}

/*
 * Rings within each server and between them. `bytes` counts what a rank of a flat ring sends and receives, passes x 2 x
 * (n - 1) / n of the message; the same message takes (local - 1) / local of it within the server, (servers - 1) / servers
 * of it through the server's network.
 */
static struct exchange along_rings(double bytes, const struct group *group, double passes, bool trees)
{
    struct exchange exchange = {.servers = servers_of(group), .ranks = group->ranks, .both_ways = true};
    if (group->ranks <= 1)
        return exchange;
    const double whole = bytes / elsewhere(group->ranks);
    exchange.message_bytes = whole / (2 * passes);
    exchange.bytes[RESOURCE_GPU_LINK] = whole * elsewhere(group->local);
    exchange.messages[RESOURCE_GPU_LINK] = passes * (group->local - 1);
    if (exchange.servers > 1) {
        exchange.bytes[RESOURCE_NETWORK] = whole * elsewhere(exchange.servers) * group->beside;
        exchange.messages[RESOURCE_NETWORK] = network_hops(exchange.servers, passes, trees);
    }
    return exchange;
}

static void into_buckets(struct exchange *exchange, double bucket_bytes)
{
    if (bucket_bytes <= 0 || exchange->message_bytes <= bucket_bytes)
        return;
    const double buckets = ceil(exchange->message_bytes / bucket_bytes);
    exchange->message_bytes = bucket_bytes;
    for (int link = 0; link < RESOURCES; link++)
        exchange->messages[link] *= buckets;
}

/* ---- weights ---- */

/* One pull and one push, of half the bytes each. */
static struct exchange central(double bytes)
{
    return (struct exchange){
        .messages = {[RESOURCE_HOST_LINK] = 2, [RESOURCE_NETWORK] = 2},
        .message_bytes = bytes / 2,
        .servers = 2,
    };
}

/* All bytes pass all links of the row. */
static void over_links(const struct architecture_row *row, double bytes, struct exchange *exchange)
{
    for (int link = RESOURCE_HOST_LINK; link < RESOURCES; link++)
        exchange->bytes[link] = row->link[link] ? bytes : 0;
}

static struct group data_group(const struct layout *layout)
{
    const double room = greater(1, floor(layout->per_server / layout->tensor));
    return (struct group){
        .ranks = layout->data,
        .local = lesser(layout->data, room),
        .beside = lesser(layout->tensor, layout->per_server),
        .servers = layout->data == layout->cnodes ? layout->servers : 0,
    };
}

struct exchange exchange_of_weights(const struct job *job, const struct layout *layout, const struct cluster *cluster)
{
    const struct architecture_row *row = &architecture_rows[job->architecture];
    const double bytes = job_figure(job, JOB_WEIGHT_BYTES, 0);
    struct exchange exchange = {0};
    if (row->traffic == TRAFFIC_CENTRAL) {
        exchange = central(bytes);
    } else if (row->traffic != TRAFFIC_NONE) {
        const struct group group = data_group(layout);
        exchange = along_rings(bytes, &group, row->passes, row->trees);
    }
    if (!row->today)
        over_links(row, bytes, &exchange);
    into_buckets(&exchange, cluster->bucket_bytes);
    return exchange;
}

/* ---- parts of a model ---- */

struct exchange exchange_of_tensors(const struct job *job, const struct layout *layout)
{
    const struct group group = {layout->tensor, lesser(layout->tensor, layout->per_server), 1, 0};
    return along_rings(job_figure(job, JOB_TENSOR_BYTES, 0), &group, 2, true);
}

/* To the next stage and from it. The stage whose neighbour is on another server is the slowest, and all wait for it. */
struct exchange exchange_of_stages(const struct job *job, const struct layout *layout)
{
    const double bytes = job_figure(job, JOB_PIPELINE_BYTES, 0);
    const double micro_batches = job_figure(job, JOB_MICRO_BATCHES, 1);
    struct exchange exchange = {.servers = 2, .both_ways = true, .message_bytes = bytes / (4 * micro_batches)};
    if (layout->pipeline <= 1)
        return exchange;
    const bool leaves = layout->cnodes > layout->per_server;
    const enum resource link = leaves ? RESOURCE_NETWORK : RESOURCE_GPU_LINK;
    const double beside = leaves ? lesser(layout->cnodes / layout->pipeline, layout->per_server) : 1;
    exchange.servers = leaves ? 2 : 1;
    exchange.bytes[link] = bytes * greater(1, beside);
    exchange.messages[link] = 2 * micro_batches;
    return exchange;
}

/* Between all pairs: all GPUs of a server send what goes to other servers at the same time. There and back, twice. */
struct exchange exchange_of_experts(const struct job *job, const struct layout *layout)
{
    const double bytes = job_figure(job, JOB_EXPERT_BYTES, 0);
    const double room = greater(1, floor(layout->per_server / layout->tensor));
    const struct group group = {layout->expert, lesser(layout->expert, room), layout->per_server, 0};
    struct exchange exchange = {.servers = servers_of(&group), .both_ways = true, .message_bytes = bytes / 8};
    if (group.ranks <= 1)
        return exchange;
    const double peers = group.ranks - 1;
    exchange.bytes[RESOURCE_GPU_LINK] = bytes * (group.local - 1) / peers;
    exchange.bytes[RESOURCE_NETWORK] = bytes * (group.ranks - group.local) / peers * group.beside;
    exchange.messages[RESOURCE_GPU_LINK] = group.local > 1 ? 4 : 0;
    exchange.messages[RESOURCE_NETWORK] = exchange.servers > 1 ? 4 : 0;
    return exchange;
}

/* ---- seconds ---- */

/* GPUs that are not linked talk over PCIe. */
static enum resource present(enum resource link, const struct cluster *cluster)
{
    return link == RESOURCE_GPU_LINK && cluster->rate[link] <= 0 ? RESOURCE_HOST_LINK : link;
}

/* Servers of a ring wait for the slowest; where they are two, what each sends and receives has one way between them. */
static double together_s(const struct exchange *exchange, const struct scaling *scaling, double bytes_s,
                         double latency_s)
{
    const bool two = exchange->ranks > 0 && exchange->servers == 2 && scaling->two_servers > 0;
    return (latency_s + (two ? scaling->two_servers : 1) * bytes_s) *
           scaling_slowest(scaling->network_spread, exchange->ranks);
}

/* The seconds of what is meant for one link on another. */
static double link_s(const struct exchange *exchange, enum resource meant, const struct cluster *cluster,
                     enum resource link)
{
    const double efficiency = cluster_efficiency(cluster, link, exchange->message_bytes, exchange->servers);
    const double ways = exchange->both_ways && cluster->duplex ? 2 : 1;
    const double bytes_s = exchange->bytes[meant] / (ways * efficiency * cluster->rate[link]);
    const double latency_s = exchange->messages[meant] * cluster->latency_s[link];
    return meant == RESOURCE_NETWORK ? together_s(exchange, &cluster->scaling, bytes_s, latency_s)
                                     : latency_s + bytes_s;
}

void exchange_add(const struct exchange *exchange, const struct cluster *cluster, double host_sharers,
                  double *by_resource_s)
{
    for (int i = RESOURCE_HOST_LINK; i < RESOURCES; i++) {
        if (exchange->bytes[i] <= 0)
            continue;
        const enum resource link = present((enum resource)i, cluster);
        const double sharers = link == RESOURCE_HOST_LINK ? host_sharers : 1;
        by_resource_s[link] += sharers * link_s(exchange, (enum resource)i, cluster, link);
    }
}
