/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may tell steps where none are marked: a row a source, in the order in
 * which they are asked. First what was written down to mean a step, by an engine
 * or by hand; then what a step does once (the model, its graphs, a batch); at last
 * what only a sequence shows.
 */
#ifndef TRACE_SIGNS_H
#define TRACE_SIGNS_H

#include "private.h"

/* Rows in order of time, and what each of them says: those of equal symbols are the same thing again. */
struct signs {
    uint32_t *rows;
    uint64_t *symbols;
    size_t count, rows_room, symbols_room;
    uint32_t lane;
    bool overlap; /* the same ranges run on several threads at once: requests, not steps */
};

struct sign {
    enum step_source source;
    void (*find)(const struct trace *trace, struct signs *signs);
    const char *one, *many; /* "graph launch", "graph launches" */
    bool lasts;      /* a sign is as long as its step, so the last one ends a step; else only the next begins one */
    bool any_spread; /* it means a step by name: steps of an engine take what their requests take */
    bool compound;   /* the same sign may come several times a step */
    bool sequence;   /* one sign alone, over and over, says nothing: several in one order do */
    bool leads;      /* its thread is the one that runs the loop */
};

extern const struct sign trace_signs[];
extern const size_t trace_sign_count;

const struct sign *sign_of(enum step_source source); /* NULL: of none */
void signs_free(struct signs *signs);

/* An outer row of the lane that holds them all; ROW_NONE. What repeats inside of one range is a layer of it. */
uint32_t signs_around(const struct trace *trace, const struct signs *signs);

#endif
