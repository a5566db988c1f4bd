/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the device work of a device in order of start, which cuts time
 * into pieces. During a piece the set of classes at work does not change, and
 * neither do their owners; pieces follow each other without a gap and cover the
 * whole window. Every union, overlap and exposed part is a sum of pieces.
 *
 * A class is at work until the latest end of the rows of that class so far, so a
 * number per class is all the state there is: time is linear in the rows.
 */
#ifndef BREAKDOWN_SWEEP_H
#define BREAKDOWN_SWEEP_H

#include "trace/trace.h"

enum { SWEEP_CLASSES = 16, SWEEP_IGNORED = 255 };

struct sweep_piece {
    int64_t start_ns, end_ns;
    uint32_t active;       /* bit c: class c is at work */
    const uint32_t *owner; /* of each class at work: the row that lasts longest */
    /* Of an idle piece, also where they lie outside the window, so that a piece of a gap has the cause of the gap: */
    uint32_t previous; /* the row that ended last; ROW_NONE before the first */
    uint32_t next; /* the row that begins next, at the end of the piece or behind the window; ROW_NONE after the last */
};

typedef void sweep_take(void *context, const struct sweep_piece *piece);

/* class_of[i] is the class of rows.at[i] or SWEEP_IGNORED. Rows are clipped to the window [start_ns, end_ns). */
void sweep(const struct trace *trace, struct rows rows, const uint8_t *class_of, int64_t start_ns, int64_t end_ns,
           sweep_take *take, void *context);

/* The owner of the first class (the one of least number) of the mask that is at work; ROW_NONE. */
uint32_t sweep_owner(const struct sweep_piece *piece, uint32_t mask);

#endif
