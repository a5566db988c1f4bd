/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where experiments are made: some steps of one graph, and what its nodes take
 * instead. They are many, so they run on the graph's joined net (time/join.h):
 * nodes of a thread between two edges are one, and a lab is opened once for all
 * that is asked of a graph.
 */
#ifndef BREAKDOWN_LAB_H
#define BREAKDOWN_LAB_H

#include "hostwork.h"
#include "graph/steps.h"

/* Steps that are replayed together. */
struct window {
    struct step_range range;
    struct graph_steps steps, joined; /* in nodes of the graph; of the joined net */
    int64_t as_is_ns;                 /* of the steps together */
};

struct lab {
    const struct graph *graph;
    struct charges charges;
    const uint8_t *hostwork;        /* hostwork_of */
    struct window selected, judged; /* all selected steps; without those that carry the edges of the recording */
    struct joined joined;
    int64_t *work;        /* by joined node: what it takes in the experiment. The caller's to fill */
    const bool *freed;    /* by joined node: it waits for no device work in the experiment; NULL: all do as recorded */
    struct schedule room; /* of the runs */
};

/* In the arena; the graph must live as long. */
struct lab *lab_open(const struct graph *graph, const struct work_classes *classes, const struct selection *selection,
                     struct arena *arena);

/* How much shorter the steps are with the works of the lab; not below 0 where none is more than recorded. */
int64_t lab_saved_ns(const struct lab *lab, const struct window *window);

/* The time of the steps if every node started as soon as what it waits for lets it go. */
int64_t lab_explained_ns(const struct lab *lab, const struct window *window);

#endif
