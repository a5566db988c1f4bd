/* SPDX-License-Identifier: Apache-2.0 */
/* How the memory that was taken from the device is filled at a moment: what is free in it, in which pieces. */
#ifndef MEMORY_LAYOUT_H
#define MEMORY_LAYOUT_H

#include "lives.h"

/* What asks for memory. It gets a free piece of its pool alone: that of small or of large requests, of its stream. */
struct memory_request {
    bool small;
    uint8_t stream; /* MEMORY_ANY_STREAM: not told, so that of any */
};

struct memory_layout {
    bool known;       /* the segments are told */
    int64_t reserved; /* taken from the device */
    int64_t held;     /* blocks in use, or of which a stream may still make use */
    int64_t rounding; /* of this beyond what was asked for; -1: not told for this moment */
    int64_t free;     /* reserved - held */
    int64_t stuck;    /* of this in segments that hold something: cannot be given back to the device */
    int64_t usable;   /* of free what the request may use */
    int64_t largest;  /* the largest usable piece: what it could get without the device */
    int64_t pieces;   /* usable ones */
};

struct memory_request memory_request_of(const struct memory_log *log, int64_t row); /* of an event */
static inline struct memory_request memory_request_large(void)
{
    return (struct memory_request){false, MEMORY_ANY_STREAM};
}

/* Of a segment. One of a pool of its own serves what a CUDA graph asks for, and nobody else. */
bool memory_request_may_use(struct memory_request request, bool small, bool private, uint8_t stream);

/* For a large request of any stream. */
struct memory_layout memory_layout_end(const struct memory_log *log, uint16_t device);

/* Before the event of a row, replayed backwards from the segments at the end (replay.c). */
struct memory_layout memory_layout_at(const struct memory_lives *lives, int64_t row, struct memory_request request);

#endif
