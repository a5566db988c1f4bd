/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches under construction, latest first: many are open at once, and each grows at its front. */
#ifndef BREAKDOWN_STRIP_PARTS_H
#define BREAKDOWN_STRIP_PARTS_H

#include "strip_pieces.h"

struct open_stretch {
    int64_t end_ns, start_ns; /* so far */
    struct strip_link before; /* once it is closed; an index of this list */
    uint32_t pieces;          /* list of its pieces; PIECE_NONE */
    uint32_t ends;            /* collectives of the rank that ended by start_ns */
};

struct listed_piece {
    struct strip_piece of;
    uint32_t next;
};

enum { PIECE_NONE = UINT32_MAX };

struct strip_parts {
    const int64_t *ends; /* of the rank's collectives, ascending */
    uint32_t end_count;
    struct open_stretch *at;
    size_t count, room;
    struct listed_piece *pieces;
    size_t piece_count, piece_room;
};

/* A new one that ends there, and so far is empty. Returns its index. */
uint32_t strip_open(struct strip_parts *parts, int64_t end_ns);

/* Adds time of one kind at its front. Where that crosses the end of a collective, another goes on: returns its index. */
uint32_t strip_extend(struct strip_parts *parts, uint32_t stretch, int64_t start_ns, const struct strip_kind *kind);

void strip_close(struct strip_parts *parts, uint32_t stretch, struct strip_link before);

/* Numbers those that are not empty by time, and fills stretches and pieces. The links of the ways are changed to these numbers. */
void strip_finish(struct strip_parts *parts, struct strip *out, struct arena *arena);

#endif
