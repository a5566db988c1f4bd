/* SPDX-License-Identifier: Apache-2.0 */
/* What one step of a cNode sends and receives, by link. doc/numbers/fleet.md derives it. */
#ifndef FLEET_EXCHANGE_H
#define FLEET_EXCHANGE_H

#include "cluster.h"
#include "layout.h"

struct exchange {
    double bytes[RESOURCES];    /* both directions; of the network those that a server's ports pass */
    double messages[RESOURCES]; /* one after the other: each costs the link's latency */
    double message_bytes;       /* of one, for efficiency_tables */
    double servers;
    double ranks;   /* of a collective along rings, of which the slowest is waited for; 0: of two ends */
    bool both_ways; /* sends while it receives */
};

struct exchange exchange_of_weights(const struct job *job, const struct layout *layout, const struct cluster *cluster);
struct exchange exchange_of_tensors(const struct job *job, const struct layout *layout);
struct exchange exchange_of_stages(const struct job *job, const struct layout *layout);
struct exchange exchange_of_experts(const struct job *job, const struct layout *layout);

/* Seconds of each link, added to those there. */
void exchange_add(const struct exchange *exchange, const struct cluster *cluster, double host_sharers,
                  double *by_resource_s);

#endif
