/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of a strip, packed: a kind and a time are four bytes mostly, where a struct has sixteen, and a job keeps those
 * of thousands of ranks. They are only ever asked for stretch by stretch.
 */
#ifndef BREAKDOWN_STRIP_PIECES_H
#define BREAKDOWN_STRIP_PIECES_H

#include "base/map.h"
#include "base/varint.h"
#include "strip.h"

/* A piece before it is packed. */
struct strip_piece {
    int64_t ns;
    struct strip_kind kind;
};

/* Packs stretch by stretch; each is as long as its pieces. A zeroed one is empty. */
struct strip_packing {
    struct map known; /* kinds by what they are */
    struct strip_kind *kinds;
    size_t kind_count, kind_room;
    struct buf bytes;
    uint32_t pieces;
};

void strip_pack(struct strip_packing *packing, const struct strip_piece *pieces, uint32_t count,
                struct strip_stretch *stretch);
/* Ends it: what was packed goes to the strip, in the arena. */
void strip_packed(struct strip_packing *packing, struct arena *arena, struct strip *strip);

/* The same of pieces whose kinds, numbers below strip->kind_count, are known, for all stretches one behind the other. */
struct strip_known {
    const uint32_t *counts; /* by stretch */
    const uint32_t *kind;   /* by piece, as its time */
    const int64_t *ns;
};
void strip_pack_known(struct strip *strip, const struct strip_known *known, struct arena *arena);

static inline int64_t strip_length_ns(const struct strip *strip, const struct strip_stretch *stretch)
{
    const uint8_t *at = strip->pieces + stretch->pieces_at;
    return (int64_t)varint_get(&at);
}

static inline int64_t strip_start_ns(const struct strip *strip, const struct strip_stretch *stretch)
{
    return stretch->end_ns - strip_length_ns(strip, stretch);
}

/* Goes over the pieces of a stretch. */
struct strip_walk {
    const uint8_t *at;
    uint32_t left;
    uint32_t kind; /* of the piece: of strip->kinds */
    int64_t ns;
};

static inline struct strip_walk strip_walk(const struct strip *strip, const struct strip_stretch *stretch)
{
    struct strip_walk walk = {.at = strip->pieces + stretch->pieces_at};
    varint_get(&walk.at); /* the length */
    walk.left = (uint32_t)varint_get(&walk.at);
    return walk;
}

/* False behind the last. */
static inline bool strip_next(struct strip_walk *walk)
{
    if (!walk->left)
        return false;
    walk->left--;
    walk->kind = (uint32_t)varint_get(&walk->at);
    walk->ns = (int64_t)varint_get(&walk->at);
    return true;
}

#endif
