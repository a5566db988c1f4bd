/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of times and bytes over many inputs. Over one trace they fit 64 bits (trace/trace.h promises it); over many
 * ranks they are added here, where they stop at the ends of the range instead of wrapping. A report shows such an end as
 * unknown, with a warning, never as a number.
 */
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 int128_t; /* for sums that are divided before they are shown */

static inline int64_t sum_clamp(int128_t sum)
{
    return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
}

static inline int64_t sum_add(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/* *sum += more */
static inline void sum_to(int64_t *sum, int64_t more)
{
    *sum = sum_add(*sum, more);
}

/* The nearest integer, or the end of the range on that side; 0 of NaN. */
int64_t sum_rounded(double value);

static inline bool sum_is_beyond(int64_t sum)
{
    return sum == INT64_MAX || sum == INT64_MIN;
}

/* Of figures that -1 stands for where they are unknown: -1 where either is, or the sum is beyond the range. */
static inline int64_t sum_known(int64_t a, int64_t b)
{
    int64_t sum;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

#endif
