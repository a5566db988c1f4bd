/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weight traffic of a job and the memory that its weights take, on another
 * architecture or number of cNodes. doc/numbers/fleet.md derives the factors.
 */
#ifndef FLEET_TRAFFIC_H
#define FLEET_TRAFFIC_H

#include "job.h"

/*
 * What `job` would send and receive a step where `there`, the same job, stands, from what it stores; NaN where the job does
 * not say what it stores.
 */
double traffic_there(const struct job *job, const struct job *there);

/* Bytes of stored weights that one GPU of the job keeps; NaN where it does not say. */
double traffic_stored_bytes(const struct job *job);

#endif
