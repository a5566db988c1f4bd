/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column of numbers as bytes: of each number seven bits a byte, the lowest first, the highest bit set where more follow; the
 * first bytes of all numbers, then the second ones of those that have them, and so on. Bytes that are alike lie together,
 * so they pack better than number by number. Signed ones have the sign in the lowest bit.
 */
#ifndef PAGE_COLUMN_H
#define PAGE_COLUMN_H

#include "base/buf.h"

struct column {
    uint64_t *values;
    size_t count, room;
};

void column_add(struct column *column, uint64_t value);

static inline void column_add_signed(struct column *column, int64_t value)
{
    column_add(column, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

/* Adds its bytes to the buffer, and empties it for the next one. */
void column_end(struct column *column, struct buf *out);

void column_free(struct column *column);

#endif
