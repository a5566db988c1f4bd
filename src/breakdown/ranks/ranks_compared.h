/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In how many of its steps a rank could be compared with the others. Where collectives went on and none of its own was
 * matched, since it or another was not recorded, nobody knows whether it was late: such a step is none of those that its
 * late time is spread over. A step without collectives counts: what was late in it shows in the next. Nor does a step count
 * of which a kind of collective is missing that was matched in others, as long as there are whole ones: the late time of
 * such a step is part of what it was, and is left out with it.
 */
#ifndef BREAKDOWN_RANKS_COMPARED_H
#define BREAKDOWN_RANKS_COMPARED_H

#include "base/map.h"
#include "ranks_attended.h"

/* Numbers of the steps in which any rank came to a collective that all wait for. map_free releases it. */
struct map ranks_steps_met(const struct ranks *ranks);

/* Fills compared and partial of the account of rank r. `attended` is what came of its collectives, less those of partial steps. */
void ranks_compared(const struct ranks *ranks, uint32_t r, struct attended *attended, const struct map *met,
                    struct arena *arena);

#endif
