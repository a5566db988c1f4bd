/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The features of a job from the traces of its ranks: a row of the table that
 * the cluster framework reads. Arithmetic and bytes follow from the shapes of
 * operators (ops/operators/op_costs.h), input from copies to the device, traffic from
 * collectives, the architecture from what is exchanged and between how many.
 * doc/numbers/fleet.md has the rules.
 */
#ifndef FLEET_FEATURES_H
#define FLEET_FEATURES_H

#include "job.h"
#include "trace/select.h"

/* What an exchange between ranks is for, as far as its kind tells. */
enum exchange_use {
    USE_REDUCED,   /* all-reduces: gradients */
    USE_PARTED,    /* all-gathers, reduce-scatters, broadcasts */
    USE_TENSOR,    /* all-reduces of the forward pass */
    USE_EXCHANGED, /* all-to-all */
    USE_PASSED_ON, /* point to point */
    EXCHANGE_USES,
};

/* Of one rank, in the mean of its steps. Traffic counts what is sent and what is received. */
struct rank_features {
    int64_t rank, world_size; /* -1: not recorded */
    str host, gpu;            /* "" where not recorded */
    uint32_t steps, devices;
    bool annotated; /* steps were marked; else the whole trace is one */
    double step_ms, input_bytes, flops, memory_bytes;
    double traffic[EXCHANGE_USES];      /* bytes; 0 too where messages have no recorded size */
    double exchange_ns[EXCHANGE_USES];  /* device time; a nanosecond for each of no known length */
    double reduced_bytes;               /* the messages of USE_REDUCED */
    double table_bytes;                 /* of the embedding tables that are looked up, as far as shapes tell */
    bool looks_up;                      /* it has embedding operators */
    double optimizer_slots;             /* copies of a weight that the optimizer keeps beside it */
    int64_t largest_group;              /* ranks of the largest group that exchanges; 0: none */
    uint64_t operators, without_shapes; /* of those with a formula: calls in steps, and those of no known cost */
    int64_t batch;                      /* as the caller finds it; 0: not known */
};

/* Texts are copied into the arena. */
void rank_features_of(const struct trace *trace, const struct selection *selection, struct arena *arena,
                      struct rank_features *features);

/* The job of these ranks; a figure that none of them has is NaN. count is at least 1. */
struct job job_of_features(const struct rank_features *ranks, uint32_t count, str name);

#endif
