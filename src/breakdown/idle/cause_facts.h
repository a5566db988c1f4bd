/* SPDX-License-Identifier: Apache-2.0 */
/* What of a cause follows from the whole trace and not from a name: see cause_track.h. */
#ifndef BREAKDOWN_CAUSE_FACTS_H
#define BREAKDOWN_CAUSE_FACTS_H

#include "base/arena.h"
#include "cause.h"

struct cause_facts;

struct cause_facts *cause_facts_new(const struct trace *trace, struct arena *arena);

/* The cause of an event of which the name says `cause`. Linear where the events of a lane are asked in order. */
enum cause cause_refined(struct cause_facts *facts, uint32_t row, enum cause cause);

#endif
