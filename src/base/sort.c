/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Radix sort, least significant byte first, over the bytes in which the keys
 * differ: times of one trace share their upper bytes, so four or five passes
 * do. Short input goes by insertion.
 */
#include "sort.h"

#include <stdbool.h>
#include <string.h>

#include "mem.h"

enum { SHORT = 64 };

static size_t descents(const struct keyed *p, size_t count)
{
    size_t n = 0;
    for (size_t i = 1; i < count; i++)
        n += p[i].key < p[i - 1].key;
    return n;
}

static void insertion(struct keyed *p, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct keyed moving = p[i];
        size_t at = i;
        for (; at && p[at - 1].key > moving.key; at--)
            p[at] = p[at - 1];
        p[at] = moving;
    }
}

/* Maps signed order onto unsigned order. */
static uint64_t bits(int64_t key)
{
    return (uint64_t)key ^ (uint64_t)1 << 63;
}

static uint64_t differing(const struct keyed *p, size_t count)
{
    uint64_t mask = 0;
    for (size_t i = 1; i < count; i++)
        mask |= bits(p[i].key) ^ bits(p[0].key);
    return mask;
}

static void scatter(const struct keyed *from, struct keyed *to, size_t count, unsigned shift)
{
    size_t at[256] = {0};
    for (size_t i = 0; i < count; i++)
        at[bits(from[i].key) >> shift & 255]++;
    size_t sum = 0;
    for (int b = 0; b < 256; b++) {
        const size_t n = at[b];
        at[b] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        to[at[bits(from[i].key) >> shift & 255]++] = from[i];
}

void sort_keyed(struct keyed *pairs, size_t count)
{
    const size_t disorder = descents(pairs, count);
    if (!disorder)
        return;
    if (count <= SHORT) {
        insertion(pairs, count);
        return;
    }
    struct keyed *other = mem_alloc(count * sizeof *other);
    const uint64_t mask = differing(pairs, count);
    struct keyed *from = pairs, *to = other;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(mask >> shift & 255))
            continue;
        scatter(from, to, count, shift);
        struct keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != pairs)
        memcpy(pairs, from, count * sizeof *pairs);
    mem_free(other);
}

/* ---- bare values ---- */

static bool insert_values(int64_t *values, size_t count)
{
    size_t i = 1;
    while (i < count && values[i - 1] <= values[i])
        i++;
    if (i < count && count > SHORT)
        return false;
    for (; i < count; i++) {
        const int64_t moving = values[i];
        size_t at = i;
        for (; at && values[at - 1] > moving; at--)
            values[at] = values[at - 1];
        values[at] = moving;
    }
    return true;
}

static void scatter_values(const int64_t *from, int64_t *to, size_t count, unsigned shift)
{
    size_t at[256] = {0};
    for (size_t i = 0; i < count; i++)
        at[bits(from[i]) >> shift & 255]++;
    size_t sum = 0;
    for (int b = 0; b < 256; b++) {
        const size_t n = at[b];
        at[b] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        to[at[bits(from[i]) >> shift & 255]++] = from[i];
}

void sort_values(int64_t *values, size_t count)
{
    if (insert_values(values, count))
        return;
    int64_t *other = mem_alloc(count * sizeof *other), *from = values, *to = other;
    uint64_t mask = 0;
    for (size_t i = 1; i < count; i++)
        mask |= (uint64_t)(values[i] ^ values[0]);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(mask >> shift & 255))
            continue;
        scatter_values(from, to, count, shift);
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
    mem_free(other);
}

size_t keyed_below(const struct keyed *pairs, size_t count, int64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pairs[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
