/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a device's memory a dry run holds at most, from when each of its storages was made and died
 * (python/dry_memory.py). Each takes what PyTorch's allocator gives: a multiple of 512 bytes. doc/numbers/price.md.
 */
#ifndef DRY_MEMORY_H
#define DRY_MEMORY_H

#include "base/arena.h"
#include "base/str.h"

enum dry_memory_kind {
    DRY_PARAMETERS,
    DRY_BUFFERS,
    DRY_GRADIENTS,
    DRY_OPTIMIZER,
    DRY_ACTIVATIONS,   /* made before backward() and none of the others */
    DRY_BACKWARD,      /* the same, made in backward() */
    DRY_COMMUNICATION, /* sent, received, or gathered from other ranks and none of the first four */
    DRY_OTHERS,
    DRY_MEMORY_KINDS,
};

const char *dry_memory_word(enum dry_memory_kind kind); /* "parameters" */

struct dry_memory {
    int64_t peak_bytes; /* 0: nothing was made */
    int64_t by_kind[DRY_MEMORY_KINDS];
    str place;         /* the line that made what the peak was reached with */
    int64_t step;      /* in which that was, from 1 on */
    uint64_t storages; /* of the whole run */
};

/* Zeroed where the file tells nothing. */
struct dry_memory dry_memory_read(const char *path, struct arena *arena);

#endif
