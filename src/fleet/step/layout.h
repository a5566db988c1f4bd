/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the cNodes of a job of today share its model: groups of tensor, data and
 * pipeline parallelism, whose degrees multiply to all cNodes; experts are shared
 * within data parallelism. Ranks stand in that order, tensor innermost, so that
 * what talks most stands nearest (Narayanan et al., "Efficient Large-Scale Language
 * Model Training on GPU Clusters Using Megatron-LM", SC 2021, section 3).
 */
#ifndef FLEET_LAYOUT_H
#define FLEET_LAYOUT_H

#include "job.h"

struct layout {
    double cnodes, per_server;
    double tensor, pipeline, data, expert;
    double servers; /* as told; 0: as many as it fills */
};

struct layout layout_of(const struct job *job, double gpus_per_server);

bool layout_fits(const struct job *job);            /* the degrees into the cNodes */
enum job_field layout_lacks(const struct job *job); /* a field that its communication needs; JOB_FIELDS: none */

#endif
