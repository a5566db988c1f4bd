/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of (key, row) pairs: stable, linear in their number, and free for input that is already in order. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
    int64_t key;
    uint32_t row;
};

/* Ascending by key; equal keys keep their order. */
void sort_keyed(struct keyed *pairs, size_t count);

/* The same of bare values. */
void sort_values(int64_t *values, size_t count);

/* How many of the sorted pairs lie below the key: the index of its first, where it has any. */
size_t keyed_below(const struct keyed *pairs, size_t count, int64_t key);

#endif
