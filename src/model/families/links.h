/* SPDX-License-Identifier: Apache-2.0 */
/* A collective on its machine: ranks of servers, the links between them, and what is known of the network alone. */
#ifndef MODEL_LINKS_H
#define MODEL_LINKS_H

#include "hw/hardware.h"
#include "ops/operators/kernel.h"
#include "ops/rows/collective.h"

struct exchange {
    enum collective_kind kind;
    double bytes, ranks, local, servers; /* local: ranks of a server */
    const struct hardware *hardware;
};

struct exchange exchange_of(const struct kernel *kernel, const struct hardware *hardware);

/* The bus factor for a number of ranks that need not be whole: 1 of one rank alone would be 0. */
double exchange_factor(const struct exchange *exchange, double ranks);

/* Between the GPUs of a server, where they have one, else to the host; bytes/us. */
double exchange_link_rate(const struct hardware *hardware);

/*
 * Over the network at its full rate, us: what leaves a server, over all its ports. Rings enter and leave every server
 * once; pairs send to each rank elsewhere, all ranks of a server at the same time. 0 within a server.
 */
double exchange_network_us(const struct exchange *exchange);

/* What the hops from server to server add to the smallest message, us; `usual`: of one, where it is not known. */
double exchange_hops_us(const struct exchange *exchange, double usual);

/* Figures that the collective needs there, as bits: its network, and the host's link where there is no other. */
uint32_t exchange_needs(const struct kernel *kernel, const struct hardware *hardware);

#endif
