/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search among rows that are sorted by a number in them. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The first of `count` rows, each `size` bytes, whose number of `bytes` (4: unsigned, 8: signed) at `offset` is not below. */
static inline size_t search_number(const void *rows, size_t count, size_t size, size_t offset, size_t bytes,
                                   int64_t value)
{
    size_t from = 0, to = count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const char *const at = (const char *)rows + middle * size + offset;
        uint32_t narrow = 0;
        int64_t number = 0;
        memcpy(bytes == sizeof narrow ? (void *)&narrow : (void *)&number, at, bytes);
        if ((bytes == sizeof narrow ? (int64_t)narrow : number) < value)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/*
 * The first row whose number is not below `value`; count where all are.
 *
 *     search_from(calls, count, sizeof *calls, offsetof(struct call, node), node)
 */
static inline size_t search_from(const void *rows, size_t count, size_t size, size_t offset, uint32_t value)
{
    return search_number(rows, count, size, offset, sizeof value, value);
}

/* The same of rows with a time: the first that is not before `ns`. */
static inline size_t search_time(const void *rows, size_t count, size_t size, size_t offset, int64_t ns)
{
    return search_number(rows, count, size, offset, sizeof ns, ns);
}

/* The first that is after `ns`. */
static inline size_t search_after(const void *rows, size_t count, size_t size, size_t offset, int64_t ns)
{
    return ns == INT64_MAX ? count : search_time(rows, count, size, offset, ns + 1);
}

#endif
