/* SPDX-License-Identifier: Apache-2.0 */
/* A projection beside what the published figures of its population decide. */
#ifndef FLEET_DECIDED_SHOW_H
#define FLEET_DECIDED_SHOW_H

#include "decided.h"
#include "fleet/project/projection.h"

/* To be done while the table is read: what its jobs have for each figure. */
struct published {
    struct figures figures;
    struct cluster here;
};

struct projection_also published_sums(const struct published *published);

void decided_show(const struct published *published, const struct target *target, struct projection *projection,
                  struct report *report);

#endif
