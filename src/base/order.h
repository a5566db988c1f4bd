/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two numbers is the smaller; and how qsort orders them. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>

static inline int64_t smaller_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t larger_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int ascending_ints(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline int ascending_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
