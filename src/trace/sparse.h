/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column that few rows have: one bit a row, a running count a word of bits,
 * and the values in order of their rows. Looking up is two loads and a popcount.
 * Values are kept in 32 bits until one does not fit.
 */
#ifndef TRACE_SPARSE_H
#define TRACE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sparse {
    uint64_t *bits;
    size_t words;   /* room of bits; words past it are all zero */
    uint32_t *rank; /* rank[w]: values before word w; made by sparse_finish */
    int32_t *narrow;
    int64_t *wide; /* replaces narrow once a value needs it */
    size_t room;
    uint32_t count;
};

void sparse_push_slow(struct sparse *column, uint32_t row, int64_t value);

/* Rows must ascend. The usual, for which there is room, is done here. */
static inline void sparse_push(struct sparse *column, uint32_t row, int64_t value)
{
    const size_t word = row / 64;
    if (word < column->words && column->count < column->room && column->narrow && value == (int32_t)value) {
        column->bits[word] |= (uint64_t)1 << row % 64;
        column->narrow[column->count++] = (int32_t)value;
    } else {
        sparse_push_slow(column, row, value);
    }
}

/*
 * Pushes what the column `from` has in its first `rows` rows, its row 0 as row `first`. `rename` (or NULL) gives the
 * value to push for each of its values.
 */
void sparse_join(struct sparse *column, const struct sparse *from, uint32_t first, uint32_t rows,
                 const uint32_t *rename);
/* Leaves the values of kept rows, as rows that count these alone. Before sparse_finish. */
void sparse_keep(struct sparse *column, const bool *kept);
void sparse_finish(struct sparse *column);
void sparse_free(struct sparse *column);
size_t sparse_bytes(const struct sparse *column);

static inline bool sparse_get(const struct sparse *column, uint32_t row, int64_t *value)
{
    const size_t word = row / 64;
    if (word >= column->words)
        return false;
    const uint64_t bits = column->bits[word], bit = (uint64_t)1 << row % 64;
    if (!(bits & bit))
        return false;
    const uint32_t at = column->rank[word] + (uint32_t)__builtin_popcountll(bits & (bit - 1));
    *value = column->wide ? column->wide[at] : column->narrow[at];
    return true;
}

#endif
