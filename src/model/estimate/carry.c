/* SPDX-License-Identifier: Apache-2.0 */
#include "carry.h"

#include <math.h>
#include <stdlib.h>

#include "coefficients.h"

static const double unknown = 0.3; /* a difference that cannot be told, as a logarithm */

static const struct {
    enum hw_key key;
    double weight;
} weights[] = {
    {HW_LANES_PER_SM, 1}, {HW_THREADS_PER_SM, 1}, {HW_SHARED_BYTES_PER_SM, 1},
    {HW_L2_BYTES, 0.5},   {HW_SMS, 0.3},          {HW_MEMORY_RATE, 0.3},
    {HW_FP32, 0.3},       {HW_CLOCK, 0.3},        {HW_POWER, 0.3},
};
enum { WEIGHTS = sizeof weights / sizeof *weights };

/*
 * Libraries choose by generation, which shows in what arithmetic there is: matrix units for half precision, for single,
 * for eight bits. The kernels' names in public tables say so (maxwell_ on P4 and P100, volta_ on V100 and T4), so a step
 * counts for more than what boards of a generation differ by.
 */
static const double generation = 2;

static const double weight_of_intensity = 0.3, weight_of_links = 1;

static double difference(double x, double y)
{
    return x > 0 && y > 0 ? fabs(log(x / y)) : x == y ? 0 : unknown;
}

/* FLOP for each byte of memory. */
static double intensity(const struct hardware *hardware)
{
    const double rate = hardware->figure[HW_MEMORY_RATE];
    return rate > 0 ? hardware->figure[HW_FP32] / rate : 0;
}

static double link_of(const struct hardware *hardware)
{
    const double between = hardware->figure[HW_GPU_LINK];
    return between > 0 ? between : hardware->figure[HW_HOST_LINK];
}

/* As far as two steps of generation. */
static double of_vendors(const struct hardware *a, const struct hardware *b)
{
    const str one = vendor_of(a->name), other = vendor_of(b->name);
    return one.len && other.len && !str_eq(one, other) ? 2 * generation : 0;
}

double hardware_distance(const struct hardware *a, const struct hardware *b, bool over_links)
{
    double sum = generation * abs(hardware_generation(a) - hardware_generation(b));
    for (int i = 0; i < WEIGHTS; i++) {
        const enum hw_key key = weights[i].key;
        sum += weights[i].weight * difference(a->figure[key], b->figure[key]);
    }
    sum += weight_of_intensity * difference(intensity(a), intensity(b)) + of_vendors(a, b);
    return sum + (over_links ? weight_of_links * difference(link_of(a), link_of(b)) : 0);
}
