/* SPDX-License-Identifier: Apache-2.0 */
/* Where a part of the step comes from: its largest events, and the user's line of Python behind the largest. */
#ifndef BREAKDOWN_PLACES_H
#define BREAKDOWN_PLACES_H

#include "breakdown/step/facts.h"

enum { MOST_PLACE_ROWS = 10 };

/* The accounts that breakdown_run has to explain for it: some parts, a bit each. In the arena. */
const bool *places_wanted(uint64_t parts, struct arena *arena);

/* For a breakdown run with these; rows and lines go to the arena. */
void places_find(const struct trace *trace, const struct breakdown *breakdown, struct arena *arena,
                 struct part_place places[PARTS]);

#endif
