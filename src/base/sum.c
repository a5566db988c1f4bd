/* SPDX-License-Identifier: Apache-2.0 */
#include "sum.h"

#include <math.h>

int64_t sum_rounded(double value)
{
    const double end = 0x1p63;
    if (isnan(value))
        return 0;
    return value >= end ? INT64_MAX : value < -end ? INT64_MIN : (int64_t)llround(value);
}
