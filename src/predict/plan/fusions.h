/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What torch.compile would make of the operators of a dry run, estimated from the eager program: between products,
 * convolutions and the like, what is element by element or reduces becomes one kernel where it hangs together, which reads
 * each of its inputs once and writes what others need. doc/numbers/price.md.
 */
#ifndef PREDICT_FUSIONS_H
#define PREDICT_FUSIONS_H

#include "units.h"

struct fusions {
    const bool *compiled; /* by operator of the program: NULL: nothing is */
    const bool *fused;    /* by operator: its unit is the first of a fused kernel */
    uint32_t operators;   /* units that are compiled */
    uint32_t kernels;     /* that are left of them */
};

/* Changes the kernels of the units: of those that become part of another none are left. In the arena. */
struct fusions fusions_of(const struct program *program, struct units *units, struct arena *arena);

#endif
