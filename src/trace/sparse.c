/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse.h"

#include <string.h>

#include "base/mem.h"

static void widen(struct sparse *c)
{
    c->wide = mem_alloc(c->room * sizeof *c->wide);
    for (uint32_t i = 0; i < c->count; i++)
        c->wide[i] = c->narrow[i];
    mem_free(c->narrow);
    c->narrow = NULL;
}

static void add_words(struct sparse *c, size_t need)
{
    const size_t before = c->words;
    c->bits = mem_grow(c->bits, &c->words, need, sizeof *c->bits);
    memset(c->bits + before, 0, (c->words - before) * sizeof *c->bits);
}

static void mark(struct sparse *c, uint32_t row)
{
    const size_t word = row / 64;
    if (word >= c->words)
        add_words(c, word + 1);
    c->bits[word] |= (uint64_t)1 << row % 64;
}

static void add_room(struct sparse *c)
{
    const size_t need = c->count + (size_t)1;
    if (c->wide)
        c->wide = mem_grow(c->wide, &c->room, need, sizeof *c->wide);
    else
        c->narrow = mem_grow(c->narrow, &c->room, need, sizeof *c->narrow);
}

static inline void push_value(struct sparse *c, int64_t value)
{
    if (!c->wide && value != (int32_t)value)
        widen(c);
    if (c->count == c->room)
        add_room(c);
    if (c->wide)
        c->wide[c->count++] = value;
    else
        c->narrow[c->count++] = (int32_t)value;
}

void sparse_push_slow(struct sparse *c, uint32_t row, int64_t value)
{
    mark(c, row);
    push_value(c, value);
}

/* The bits of rows 0 .. rows-1 of `from` as those from row `first` on. */
static void join_bits(struct sparse *c, const struct sparse *from, uint32_t first, uint32_t rows)
{
    const size_t need = ((size_t)first + rows + 63) / 64, to = first / 64;
    const unsigned shift = first % 64;
    if (need > c->words)
        add_words(c, need);
    for (size_t w = 0; w < from->words && w * 64 < rows; w++) {
        c->bits[to + w] |= from->bits[w] << shift;
        if (shift && from->bits[w] >> (64 - shift))
            c->bits[to + w + 1] |= from->bits[w] >> (64 - shift);
    }
}

void sparse_join(struct sparse *c, const struct sparse *from, uint32_t first, uint32_t rows, const uint32_t *rename)
{
    if (!from->count)
        return;
    join_bits(c, from, first, rows);
    for (uint32_t i = 0; i < from->count; i++) {
        const int64_t value = from->wide ? from->wide[i] : from->narrow[i];
        push_value(c, rename ? rename[value] : value);
    }
}

void sparse_keep(struct sparse *c, const bool *kept)
{
    struct sparse left = {0};
    uint32_t next = 0, value = 0, row = 0;
    for (size_t w = 0; w < c->words; w++)
        for (uint64_t bits = c->bits[w]; bits; bits &= bits - 1, value++) {
            const uint32_t old = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            for (; row < old; row++)
                next += kept[row];
            if (kept[old])
                sparse_push(&left, next, c->wide ? c->wide[value] : c->narrow[value]);
        }
    sparse_free(c);
    *c = left;
}

void sparse_finish(struct sparse *c)
{
    if (!c->count)
        return;
    c->rank = mem_alloc(c->words * sizeof *c->rank);
    uint32_t sum = 0;
    for (size_t w = 0; w < c->words; w++) {
        c->rank[w] = sum;
        sum += (uint32_t)__builtin_popcountll(c->bits[w]);
    }
}

void sparse_free(struct sparse *c)
{
    mem_free(c->bits);
    mem_free(c->rank);
    mem_free(c->narrow);
    mem_free(c->wide);
    *c = (struct sparse){0};
}

size_t sparse_bytes(const struct sparse *c)
{
    const size_t value = c->wide ? sizeof *c->wide : sizeof *c->narrow;
    return c->words * (sizeof *c->bits + (c->rank ? sizeof *c->rank : 0)) + c->room * value;
}
