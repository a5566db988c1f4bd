/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes take in an experiment: some resources a part of their time. */
#ifndef BREAKDOWN_EXPERIMENT_H
#define BREAKDOWN_EXPERIMENT_H

#include "spent.h"

/* What part of its time each resource takes: part / 2. */
enum { PACE_NOTHING, PACE_HALF, PACE_WHOLE };
struct experiment {
    int part[RESOURCES];
    bool prompt; /* every node starts as soon as what it waits for lets it go */
    int64_t saved_ns;
};

/* As recorded. */
struct experiment experiment_plain(void);

/* Those that a faster machine would speed up, twice as fast; those that a change could hide, free. */
int experiment_part(enum resource resource);

/* Changes a resource and those that it is made of. */
void experiment_pace(struct experiment *experiment, const struct lab *lab, enum resource resource, int part);

/* Fills what the nodes of the lab take in each of some experiments; where there are fewer, the last again. */
void experiments_fill(const struct lab *lab, const struct spending *spending, const struct experiment *some,
                      uint32_t count);

/* What is left of a node's time on one resource. */
int64_t experiment_paced(const struct experiment *experiment, const struct spent *spent);

/* Of each resource how long it takes in the window. */
void experiment_times(const struct lab *lab, const struct window *window, const struct spending *spending,
                      int64_t time_ns[RESOURCES]);

#endif
