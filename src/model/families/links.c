/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

#include <math.h>

struct exchange exchange_of(const struct kernel *kernel, const struct hardware *hardware)
{
    const int64_t kind = kernel->collective.kind - 1;
    const double ranks = (double)kernel->collective.ranks;
    const double local = fmin(ranks, (double)kernel->collective.server_ranks);
    return (struct exchange){
        .kind = kind < COLLECTIVE_KINDS ? (enum collective_kind)kind : COLLECTIVE_OTHER,
        .bytes = (double)kernel->collective.bytes,
        .ranks = ranks,
        .local = local,
        .servers = ceil(ranks / local),
        .hardware = hardware,
    };
}

double exchange_factor(const struct exchange *exchange, double ranks)
{
    return collective_bus_factor(exchange->kind, (int64_t)fmax(2, ranks));
}

double exchange_link_rate(const struct hardware *hardware)
{
    const double between = hardware->figure[HW_GPU_LINK];
    return (between > 0 ? between : hardware->figure[HW_HOST_LINK]) / 1e6;
}

double exchange_network_us(const struct exchange *exchange)
{
    if (exchange->servers < 2)
        return 0;
    const double away = (exchange->ranks - exchange->local) / exchange->ranks;
    const double bytes = exchange->kind == COLLECTIVE_ALL_TO_ALL
                             ? exchange->bytes * exchange->local * away
                             : exchange->bytes * exchange_factor(exchange, exchange->servers);
    return bytes / (exchange->hardware->figure[HW_NETWORK] / 1e6);
}

double exchange_hops_us(const struct exchange *exchange, double usual)
{
    const double known = exchange->hardware->figure[HW_NETWORK_LATENCY] * 1e6;
    return exchange->servers > 1 ? 2 * (known > 0 ? known : usual) * log2(exchange->servers) : 0;
}

uint32_t exchange_needs(const struct kernel *kernel, const struct hardware *hardware)
{
    const bool several = kernel->collective.ranks > kernel->collective.server_ranks,
               alone = kernel->collective.server_ranks < 2 || kernel->collective.ranks < 2;
    const uint32_t network = several ? 1u << HW_NETWORK : 0;
    return network | (alone || hardware->figure[HW_GPU_LINK] > 0 ? 0 : 1u << HW_HOST_LINK);
}
