/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the programme: each kind of job, with what it adds to each figure and to the answers. */
#ifndef FLEET_KINDS_H
#define FLEET_KINDS_H

#include "decided.h"

struct kinds {
    uint32_t rows; /* two of a figure that has room between least and most, one of others; then that of the group */
    double *coefficients; /* count * rows */
    double *gain[ANSWERS];
    size_t count, room;
    bool proportional; /* steps there are sums of the parts here, each times a factor: else nothing is known */
    bool crowded;      /* figures have more bounds that part the jobs of one kind than are followed */
    bool told;         /* a figure is of the group's architecture alone, or of it and some others */
    bool met;          /* jobs of the group can go where they are asked to */
};

/* `left_out`: a figure that is not held; UINT32_MAX: all are. `levels`: corners between, for the least of a mean. */
void kinds_of(const struct decided_asked *asked, uint32_t left_out, bool levels, struct kinds *kinds);
void kinds_free(struct kinds *kinds);

#endif
