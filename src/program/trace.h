/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make a program of a trace's step share. */
#ifndef PROGRAM_TRACE_H
#define PROGRAM_TRACE_H

#include "graph/order.h"
#include "names.h"
#include "tree.h"
#include "graph/wait.h"

struct programs {
    const struct trace *trace;
    const struct work_classes *classes;
    struct arena arena;
    const uint8_t *phases; /* enum phase by row */
    const uint8_t *calls;  /* enum runtime_call by text id */
    struct program_names names;
    struct waits waits;
    struct orders orders;
    struct collectives collectives;
};

/* The rows of a lane that begin in the step. */
struct rows program_rows(const struct trace *trace, uint32_t lane, enum nest nest, const struct step *step);

/* Operators and labels before they are numbered. */
struct entries {
    uint32_t *row, *parent;
    int64_t *start_ns;
    bool *label;
    uint32_t count;
    struct map of; /* row to the entry that it is, or lies in */
};

/* A step's program under construction. */
struct step_program {
    struct programs *of;
    const struct step *step;
    struct arena *arena;   /* of the result */
    struct arena scratch;  /* until the program is made */
    struct program result; /* grows as its parts are found */
    struct program_op *ops;
    struct entries entries;
    struct program_tree tree;
    uint32_t *thread_of; /* lane to thread, OP_NONE: none yet */
    uint32_t *stream_of; /* the same for streams */
};

uint32_t step_thread(struct step_program *p, uint32_t lane);

/* The innermost operator around a host row, or the row itself; OP_NONE. */
uint32_t step_operator(const struct step_program *p, uint32_t row);

void step_launches(struct step_program *p); /* launch.c; needs operators and collectives */

/* Puts each launch behind one more, those with OP_NONE aside. Orders stay ascending by launch. */
void step_add_orders(struct step_program *p, const uint32_t *after);
void step_graphs(struct step_program *p);   /* graphs.c; needs launches and their orders */
void step_crowding(struct step_program *p); /* crowd.c; needs those of graphs too */
void step_held(struct step_program *p);     /* held.c; needs launches */

#endif
