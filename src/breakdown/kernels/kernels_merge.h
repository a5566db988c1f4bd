/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of several ranks that are the same row: equal names, equal shapes. Each
 * merged row is a chain of (rank, row) pairs, in order of the ranks.
 */
#ifndef BREAKDOWN_KERNELS_MERGE_H
#define BREAKDOWN_KERNELS_MERGE_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "samples.h"

struct merge_link {
    uint32_t rank, row;
    uint32_t next; /* MERGE_END */
};

enum { MERGE_END = UINT32_MAX };

struct merge_row {
    uint32_t first, last; /* links */
    uint32_t links;
    int64_t weight, tie; /* what rows are ordered by, and then by */
};

/* A zeroed struct is empty; merge_free releases it. */
struct merge {
    struct intern *texts;
    struct map rows_by_key;
    struct merge_row *rows;
    struct merge_link *links;
    size_t row_count, row_room, link_count, link_room;
};

/* The row that the rank's row belongs to now; the caller adds to its weights. Valid until the next call. */
struct merge_row *merge_add(struct merge *merge, str name, str shape, uint32_t rank, uint32_t row);

/* Indices of the rows, heaviest first; ties keep the order in which rows came. In the arena. */
const uint32_t *merge_order(const struct merge *merge, struct arena *arena);

void merge_free(struct merge *merge);

#endif
