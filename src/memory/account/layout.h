/* SPDX-License-Identifier: Apache-2.0 */
/* How the memory that was taken from the device is filled at a moment: what is free in it, in which pieces. */
#ifndef MEMORY_LAYOUT_H
#define MEMORY_LAYOUT_H

#include "lives.h"

struct memory_layout {
    bool known;       /* the segments are told */
    int64_t reserved; /* taken from the device */
    int64_t held;     /* blocks in use, or of which a stream may still make use */
    int64_t rounding; /* of this beyond what was asked for; -1: not told for this moment */
    int64_t free;     /* reserved - held */
    int64_t stuck;    /* of this in segments that hold something: cannot be given back to the device */
    int64_t largest;  /* the largest free piece: what a request could get without the device */
    int64_t pieces;   /* free ones */
};

struct memory_layout memory_layout_end(const struct memory_log *log, uint16_t device);

/* Before the event of a row, replayed backwards from the segments at the end. */
struct memory_layout memory_layout_at(const struct memory_lives *lives, int64_t row);

#endif
