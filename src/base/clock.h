/* SPDX-License-Identifier: Apache-2.0 */
/* How much time went by: a clock that is never set. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int64_t clock_ms(void)
{
    return clock_ns() / 1000000;
}

static inline double clock_s(void)
{
    return 1e-9 * (double)clock_ns();
}

#endif
