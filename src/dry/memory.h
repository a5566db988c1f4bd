/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a device's memory a dry run holds at most, from when each of its storages was made and died (lives.h). Each
 * takes what PyTorch's allocator gives: a multiple of 512 bytes. doc/numbers/price.md.
 */
#ifndef DRY_MEMORY_H
#define DRY_MEMORY_H

#include "allocator.h"

/* Storages that one line made and that live at the peak. */
struct dry_held {
    str place;
    enum dry_memory_kind kind;
    int64_t bytes, storages;
};

struct dry_memory {
    int64_t peak_bytes;     /* 0: nothing was made */
    int64_t reserved_bytes; /* most that the allocator takes from a device without bound, by replaying */
    int64_t by_kind[DRY_MEMORY_KINDS];
    str place;                   /* the line that made what the peak was reached with */
    int64_t step;                /* in which that was, from 1 on */
    uint64_t storages;           /* of the whole run */
    const struct dry_held *held; /* at the peak, by line and kind, largest first */
    uint32_t held_count;
};

/* Zeroed where nothing lived. */
struct dry_memory dry_memory_of(const struct dry_lives *lives, struct arena *arena);

#endif
