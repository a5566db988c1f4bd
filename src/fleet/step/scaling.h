/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a step grows with the workers that do it together; all 0: not at all, as in
 * the paper. doc/numbers/fleet.md, "Scale-out", has the sources.
 *
 * All wait for the slowest of n: where a worker's own work varies by `step_spread`
 * about its mean, the largest of n such times is 1 + step_spread x z(n) in the mean.
 */
#ifndef FLEET_SCALING_H
#define FLEET_SCALING_H

#include <stdbool.h>

struct scaling {
    double step_spread;    /* standard deviation over mean of what one worker computes */
    double network_spread; /* the same, of what it passes over the network */
    double two_servers;    /* time of bytes between two servers alone over that among more; 0: 1 */
    bool by_layer;         /* gradients of a layer pass while those before it are still computed */
};

/* The mean of the largest of n standard normal values; 0 of one. */
double scaling_largest(double n);

/* What waiting for the slowest of n makes of 1. */
double scaling_slowest(double spread, double n);

/* The share of computing beside which gradients pass, where they do by layer. */
extern const double scaling_beside;

#endif
