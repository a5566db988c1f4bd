/* SPDX-License-Identifier: Apache-2.0 */
#include "model/carry.h"

#include <math.h>

static const double unknown = 0.3; /* a difference that cannot be told, as a logarithm */

static const struct {
    enum hw_key key;
    double weight;
} weights[] = {
    {HW_LANES_PER_SM, 1}, {HW_THREADS_PER_SM, 1}, {HW_SHARED_BYTES_PER_SM, 1},
    {HW_L2_BYTES, 0.5},   {HW_SMS, 0.3},          {HW_MEMORY_RATE, 0.3},
    {HW_FP32, 0.3},       {HW_CLOCK, 0.3},
};
enum { WEIGHTS = sizeof weights / sizeof *weights };

double hardware_distance(const struct hardware *a, const struct hardware *b)
{
    double sum = 0;
    for (int i = 0; i < WEIGHTS; i++) {
        const double x = a->figure[weights[i].key], y = b->figure[weights[i].key];
        const double difference = x > 0 && y > 0 ? fabs(log(x / y)) : x == y ? 0 : unknown;
        sum += weights[i].weight * difference;
    }
    return sum;
}
