/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job on another architecture, other hardware, or both. The batch of a cNode
 * stays; cNodes are capped where the architecture has room for no more, so that
 *
 *     speedup       = (n' / n) T / T'      of the job's throughput
 *     cnode_speedup = T / T'               of one cNode
 *
 * An architecture may be out of reach: the weights of a replica that do not fit
 * the memory of a GPU, links that the cluster does not have.
 */
#ifndef FLEET_PROJECT_H
#define FLEET_PROJECT_H

#include "fleet/step/step.h"

enum obstacle {
    OBSTACLE_NONE,
    OBSTACLE_MEMORY, /* weights do not fit */
    OBSTACLE_LINK,   /* the cluster lacks a link that the architecture needs */
    OBSTACLE_FIELD,  /* the job lacks a figure that it needs */
    OBSTACLES,
};

struct target {
    bool moves; /* to another architecture; else each job stays with its own */
    enum architecture architecture;
    double cnodes; /* of the job there; 0: as many as it has, and there is room for */
    /*
     * Weight traffic there: from what the job stores, where it says (doc/numbers/fleet.md); else, and always in the paper, as
     * much as here.
     */
    bool traffic_of_weights;
    struct cluster cluster;
};

struct projected {
    struct job_step before, after; /* after: not set where there is an obstacle */
    double cnodes;
    double speedup, cnode_speedup; /* NaN where there is an obstacle */
    enum obstacle obstacle;
};

struct projected job_project(const struct job *job, const struct cluster *here, const struct target *target);

/* The same of a job whose step here is known: onto many targets it is taken once. */
struct projected job_project_from(const struct job *job, const struct job_step *before, const struct cluster *here,
                                  const struct target *target);

/* The job as it would be there: architecture, cNodes, traffic. False: an obstacle. */
bool job_moved(const struct job *job, const struct target *target, struct job *moved, enum obstacle *obstacle);

str obstacle_word(enum obstacle obstacle);

#endif
