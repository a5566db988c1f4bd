/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of a step: products of matrices, convolutions and attention, each counted once, at the innermost operator
 * that tells (ops/operators/op_costs.h has the rule). What lies on the host does not count.
 */
#ifndef PROGRAM_FLOPS_H
#define PROGRAM_FLOPS_H

#include "hw/hardware.h"
#include "program.h"

/* All operators of one name. */
struct flops_of_name {
    str name;
    double flops;
    uint64_t calls;
};

struct program_flops {
    double all;
    double of[PRECISIONS];       /* fp32 products as fp32: PyTorch rounds them only where it is told to */
    double of_no_peak;           /* of types that no device has a peak for */
    uint64_t unknown;            /* such operators whose sizes do not say */
    struct flops_of_name *names; /* most first; texts are the program's */
    uint32_t name_count;
};

struct program_flops program_flops(const struct program *program, struct arena *arena);

/* Seconds that they take at the device's peaks; 0 where one of these is not known. */
double program_flops_seconds(const struct program_flops *flops, const struct hardware *hardware);

#endif
