/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where experiments are made: some steps of one graph, and what its nodes take
 * instead. They are many, so they run on the graph's joined net (time/join.h):
 * nodes of a thread between two edges are one, a lab is opened once for all
 * that is asked of a graph, and experiments run side by side (time/abreast.h).
 */
#ifndef BREAKDOWN_LAB_H
#define BREAKDOWN_LAB_H

#include "hostwork.h"
#include "graph/meets.h"
#include "graph/steps.h"

/* Steps that are replayed together. */
struct window {
    struct step_range range;
    struct graph_steps steps, joined; /* in nodes of the graph; of the joined net */
    int64_t as_is_ns;                 /* of the steps together, as recorded */
    int64_t bare_ns; /* the same without the recorder, of which savings are told; as_is_ns where it is left in */
};

struct lab {
    const struct graph *graph;
    struct graph *own;       /* the same where it is the lab's: lab_close */
    struct step_range among; /* the selected steps, of which those of the graph may be a sample */
    double bare_share;       /* of a time of the host, without the recorder (graph/bare.h); 1: it is left in */
    struct charges charges;
    struct hostwork *hostwork;      /* hostwork_of */
    struct window selected, judged; /* all selected steps; without those that carry the edges of the recording */
    struct joined joined;
    struct graph_meets meets; /* of the graph's nodes; none of a trace that is by itself */
    struct abreast runs;      /* of the joined net; edges of EDGE_WAIT may be freed */
};

/* In the arena; the graph must live as long. */
struct lab *lab_open(const struct graph *graph, const struct work_classes *classes, const struct selection *selection,
                     struct arena *arena);

/* The same where more is known of the rows; phases and tracks may be NULL. It must live as long, too. */
struct lab *lab_open_known(const struct graph *graph, const struct judged_rows *rows, const struct selection *selection,
                           struct arena *arena);

/*
 * What a node of the joined net takes in each experiment, as recorded: the caller's to fill for all nodes, before each
 * lab_save, which leaves the recorder out.
 */
static inline int64_t *lab_works(const struct lab *lab, uint32_t node)
{
    return lab->runs.end + (size_t)node * ABREAST;
}

/*
 * On a sample of the steps where all would cost more (sample.h), with a graph of its own then. Else on the graph; NULL:
 * it makes that, too. lab_close frees what it made.
 */
struct lab *lab_open_sampled(const struct trace *trace, const struct graph *graph, const struct judged_rows *rows,
                             const struct selection *selection, struct arena *arena);
void lab_close(struct lab *lab);

/*
 * How much shorter than window->bare_ns the steps are in each experiment; not below 0 where none takes more than recorded. Of those of
 * `prompt`, a bit each, every node starts as soon as what it waits for lets it go.
 */
void lab_save(const struct lab *lab, const struct window *window, uint32_t prompt, int64_t saved_ns[ABREAST]);

/* How much of the time of the judged steps the graph explains: 1 where it leaves nothing unexplained. */
double lab_explained(const struct lab *lab);

#endif
