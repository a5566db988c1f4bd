/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of a step that was run with two batches, as it would be with a third. Operators that both have as often go with each
 * other by name and order: each of their sizes stays, or goes with the batch. One that does neither goes with it where it is the
 * first of a tensor of the operator (values chose it), else it is that of the larger (a length that items are padded to). Other
 * operators are scaled as batch_scaled scales them.
 */
#ifndef PREDICT_BATCH_BETWEEN_H
#define PREDICT_BATCH_BETWEEN_H

#include "base/between.h"
#include "program/program.h"

struct batch_between {
    struct program program;
    uint32_t by_both, by_one; /* operators with shapes: of which both tell all sizes, and others */
};

/* few: NULL where only the larger was run. In the arena; shares all else with `more`. */
struct batch_between batch_between(const struct program *few, const struct program *more, struct batches batches,
                                   struct arena *arena);

#endif
