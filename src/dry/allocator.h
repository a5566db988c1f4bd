/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch's caching allocator, by its public rules (c10/cuda/CUDACachingAllocator.cpp, as it is without settings of its own):
 *
 *     a tensor takes a multiple of 512 bytes
 *     up to 1 MiB comes from segments of 2 MiB; less than 10 MiB from segments of 20 MiB; more has a segment of its own, a
 *     multiple of 2 MiB
 *     the smallest free block that is large enough is taken, and split where 512 bytes of a small one are left over, or more
 *     than 1 MiB of another
 *     freed blocks that touch are one again; segments are given back only when the device has no more room
 *
 * Lives of storages are replayed through it.
 */
#ifndef DRY_ALLOCATOR_H
#define DRY_ALLOCATOR_H

#include "lives.h"

enum { ALLOCATOR_NO_LIMIT = 0 };

struct allocator_peak {
    int64_t held;       /* most that lived at once, each storage rounded up */
    int64_t reserved;   /* most that was taken from the device */
    uint32_t held_at;   /* event that reached `held` first; LIVES_NONE: nothing was made */
    uint32_t failed_at; /* event for which there was no room; LIVES_NONE: there was */
    int64_t missing;    /* then: how much more the device would have needed there */
};

int64_t allocator_rounded(int64_t bytes);

/* With so much room on the device, ALLOCATOR_NO_LIMIT: without bound. After the first failure nothing is replayed. */
struct allocator_peak allocator_replay(const struct dry_lives *lives, int64_t room);

#endif
