/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of an estimate is the launch, which is the host's, and what doubt that makes. A lone call is launched and timed by itself,
 * and hosts differ by more than GPUs do; in a queue the shortest kernels take what no table of lone calls shows.
 */
#ifndef MODEL_LAUNCH_H
#define MODEL_LAUNCH_H

#include "model.h"
#include "model/families/family.h"

/* Half-width (ln) of nine of ten of a time of which `share` may be off by a factor of e^`half_width`, and the rest is right. */
double launch_half_width(double share, double half_width);

/* The part of a lone call that is its launch, by what the same coefficients say of it in a queue. `lone_us`: what they say of it, 0: ask them. */
double launch_of(const struct family *family, const double *coefficients, const struct hardware *hardware,
                 const struct kernel *kernel, double lone_us);

/* Half-width (ln, nine of ten) by what hosts differ in, or by what the shortest kernels take; 0 of what tables of queues show. */
double launch_doubt(const struct family *family, const struct hardware *hardware, const struct kernel *kernel,
                    const struct estimate *estimate);

/* Of what was never fitted: the host's share as hosts differ, the rest as such estimates are off. */
double launch_prior(const struct hardware *hardware, const struct kernel *kernel, const struct estimate *estimate);

#endif
