/* SPDX-License-Identifier: Apache-2.0 */
/* What the host is made of where it is all that was recorded: its operators are the work. */
#ifndef BREAKDOWN_HOSTWORK_H
#define BREAKDOWN_HOSTWORK_H

#include "charge.h"

struct hostwork {
    const struct trace *trace;
    const uint8_t *phases;
    uint8_t *copies; /* by text id: 1 or 2, an operator of that name copies; 0: not judged */
};

/* NULL in a trace with a device. In the arena. */
struct hostwork *hostwork_of(const struct trace *trace, const uint8_t *phases, struct arena *arena);

/* Of an operator: RESOURCE_FORWARD, _BACKWARD or _OPTIMIZER; RESOURCE_COPIES of one that copies. */
enum resource hostwork_resource(const struct hostwork *hostwork, uint32_t row);

/* The accounts that a resource is made of; a resource alone is made of itself. `host_alone`: hostwork_of is not NULL. */
bool resource_has(enum resource whole, enum resource part, bool host_alone);

#endif
