/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of memory from when they were allocated to when they were freed, of one device. */
#ifndef MEMORY_LIVES_H
#define MEMORY_LIVES_H

#include "common.h"

/* Of a piece that was there before the first event, and of one that was there after the last. */
#define LIFE_BEFORE ((int64_t)-1)
#define LIFE_AFTER  INT64_MAX

enum memory_category {
    CATEGORY_PARAMETERS,
    CATEGORY_OPTIMIZER,
    CATEGORY_GRADIENTS,
    CATEGORY_ACTIVATIONS,
    CATEGORY_BACKWARD, /* made in a backward and gone before the optimizer's turn */
    CATEGORY_OTHER,
    CATEGORY_BEFORE, /* there before the history begins, and nothing says from where */
    CATEGORIES,
};

/* What tells a category, the weakest first. */
enum memory_told_by { TOLD_BY_NOTHING, TOLD_BY_LIFE, TOLD_BY_STACK, TOLD_BY_OBJECT };

struct memory_life {
    int64_t born, died; /* rows of events */
    int64_t address, bytes;
    uint32_t context;
    uint32_t name; /* interned: of the program's object that it is; 0 */
    uint8_t category;
    uint8_t told; /* enum memory_told_by */
};

struct memory_lives {
    const struct memory_log *log;
    uint16_t device;
    struct memory_life *at;
    size_t count, room;
    uint64_t unmatched; /* freed and never allocated, of what was there before */
    uint64_t doubled;   /* allocated where something lived already: taken as freed there */
};

/* Frees of which no allocation is known are of pieces that were there before the history. */
struct memory_lives memory_lives_of(const struct memory_log *log, uint16_t device);
void memory_lives_free(struct memory_lives *lives);

static inline bool life_at(const struct memory_life *life, int64_t row)
{
    return life->born <= row && row < life->died;
}

#endif
