/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What makes steps grow with the workers, from jobs measured at several numbers
 * of them: shares of the links, latency of a hop, spreads, and what replicas that
 * share a server's input cost each other. One residual a job, the logarithm of
 * modelled over measured step; each model at each number of workers weighs as
 * much, so that neither the model with most rows nor the number tried most decides.
 */
#ifndef FLEET_SCALING_FIT_H
#define FLEET_SCALING_FIT_H

#include "step.h"

enum scaling_constant {
    SCALING_GPU_LINK,
    SCALING_NETWORK,
    SCALING_HOST_LINK,
    SCALING_STEP_SPREAD,
    SCALING_NETWORK_SPREAD,
    SCALING_LATENCY,
    SCALING_TWO_SERVERS,
    SCALING_CONSTANTS,
};

/* A measured step. Jobs of one model have the same number. */
struct scaled_job {
    struct job job;
    uint32_t model;
};

struct scaling_fit {
    struct cluster cluster; /* that of the jobs, with what was fitted */
    bool fitted[SCALING_CONSTANTS];
    uint32_t jobs, models; /* that were fitted to */
    double log_error;      /* 90 % of models that it was not fitted to are within this, of the logarithm of a step */
};

/* Buckets, shared input and gradients by layer, as data-parallel training has them, where the cluster does not say otherwise. */
struct cluster scaling_cluster(const struct cluster *cluster);

/* Of the jobs whose model is not left out. False where no job is left, or none of more than one cNode. */
bool scaling_fit(const struct scaled_job *jobs, uint32_t count, const bool *model_left_out,
                 const struct cluster *cluster, struct scaling_fit *fit);

/* ln(modelled / measured) of a step. */
double scaling_residual(const struct scaled_job *job, const struct cluster *cluster);

double scaling_value(const struct cluster *cluster, enum scaling_constant constant);
const char *scaling_word(enum scaling_constant constant);  /* as --set has it */
const char *scaling_title(enum scaling_constant constant); /* in words */

#endif
