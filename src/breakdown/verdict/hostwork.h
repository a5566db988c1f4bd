/* SPDX-License-Identifier: Apache-2.0 */
/* What the host is made of where it is all that was recorded: its operators are the work. */
#ifndef BREAKDOWN_HOSTWORK_H
#define BREAKDOWN_HOSTWORK_H

#include "charge.h"

/* By row: RESOURCE_FORWARD, _BACKWARD or _OPTIMIZER; RESOURCE_COPIES of those that copy. NULL in a trace with a device. */
const uint8_t *hostwork_of(const struct trace *trace, const uint8_t *phases, struct arena *arena);

/* The accounts that a resource is made of; a resource alone is made of itself. `host_alone`: hostwork_of is not NULL. */
bool resource_has(enum resource whole, enum resource part, bool host_alone);

#endif
