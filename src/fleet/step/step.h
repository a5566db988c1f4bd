/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of a job, in parts (Wang et al. 2019, section II.B):
 *
 *     T_d = S_d / (e B_pcie)
 *     T_c = F / (e P_gpu) + S_m / (e B_mem)
 *     T_w = sum over the links that weights pass of S_w / (e B_link)
 *     T   = T_d + T_c + T_w
 *
 * With overlap f that share of input and weights passes beside computing, each on a
 * way of its own: T = max(T_c, f T_d, f T_w) + (1 - f)(T_d + T_w); the paper's ideal
 * is f = 1, the longest of the three. With gradients by layer, and with the spread
 * of workers, it grows with them: scaling.h.
 *
 * Links by architecture: 1wng PCIe; PS/Worker Ethernet and PCIe; AllReduce-Local
 * and PEARL NVLink; AllReduce-Cluster Ethernet and NVLink; those of today as
 * doc/numbers/fleet.md lists.
 */
#ifndef FLEET_STEP_H
#define FLEET_STEP_H

#include "cluster.h"
#include "job.h"

enum part {
    PART_INPUT,
    PART_COMPUTE_BOUND,
    PART_MEMORY_BOUND,
    PART_WEIGHT, /* all communication: weights, and what tensor, pipeline and expert parallelism exchange */
    PART_BUBBLE, /* a stage of a pipeline without work; 0 without one */
    PARTS,
};

struct job_step {
    double ms[PARTS];
    double step_ms;
    double by_resource_ms[RESOURCES]; /* the parts but the bubble, by what they wait for */
    enum part bottleneck;             /* the longest part; of equal ones the first */
};

/*
 * The job must have no problem (job_problem). All times are finite and 0 or more; but those of a job that lacks_amounts are
 * its measured parts, NaN where it has none.
 */
struct job_step job_step(const struct job *job, const struct cluster *cluster);

/* NULL, or why a step that takes no time is none: no share of it and no speed-up has a meaning. */
static inline const char *step_problem(const struct job_step *step)
{
    return step->step_ms == 0 ? "computes and moves nothing: its step takes no time" : NULL;
}

str part_word(enum part part); /* "input", "compute_bound", "memory_bound", "weight", "bubble" */

#endif
