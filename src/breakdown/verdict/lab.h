/* SPDX-License-Identifier: Apache-2.0 */
/* Where experiments are made: some steps of one graph, and what its nodes take instead. */
#ifndef BREAKDOWN_LAB_H
#define BREAKDOWN_LAB_H

#include "charge.h"
#include "graph/steps.h"

struct lab {
    const struct graph *graph;
    struct charges charges;
    struct graph_steps steps;
    int64_t as_is_ns;  /* of the steps together */
    int64_t *work;     /* by node below steps.until: what it takes in the experiment. The caller's to fill */
    const bool *freed; /* by node: it waits for no device work in the experiment; NULL: all do as recorded */
};

/* Everything lives in the arena; the graph must live as long. */
struct lab lab_open(const struct graph *graph, const struct work_classes *classes, struct step_range range,
                    struct arena *arena);

/* How much shorter the steps are with the works of the lab; not below 0 where none is more than recorded. */
int64_t lab_saved_ns(const struct lab *lab);

/* The time of the steps if every node started as soon as what it waits for lets it go. */
int64_t lab_explained_ns(const struct lab *lab);

#endif
