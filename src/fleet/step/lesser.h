/* SPDX-License-Identifier: Apache-2.0 */
/* fmin and fmax of numbers that are none NaN: compared in place, where those are calls. A row takes dozens. */
#ifndef FLEET_LESSER_H
#define FLEET_LESSER_H

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

#endif
