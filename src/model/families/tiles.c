/* SPDX-License-Identifier: Apache-2.0 */
#include "tiles.h"

#include <math.h>

struct tiled tiled_of(const struct kernel *kernel, const struct hardware *hardware, double flop_per_s,
                      double element_bytes)
{
    return (struct tiled){
        .batch = (double)kernel->product.batch,
        .m = (double)kernel->product.m,
        .n = (double)kernel->product.n,
        .k = (double)kernel->product.reduced,
        .element_bytes = element_bytes,
        .sms = hardware->figure[HW_SMS],
        .flop_per_us = flop_per_s / 1e6,
        .bytes_per_us = hardware->figure[HW_MEMORY_RATE] / 1e6,
    };
}

const double matrix_cuts[MATRIX_CUTS] = {1, 2, 3, 4, 6, 8, 12, 16, 32};

double tile_waves(const struct tiled *p, const struct tile *tile, double parts)
{
    const double team = tile->pair ? 2 : 1;
    return p->batch * ceil(p->n / tile->n) * ceil(p->m / tile->m) * parts * team / p->sms;
}

double parts_us(const struct tiled *p, double parts, double start_us, double rate)
{
    return parts > 1 ? start_us + 8 * parts * p->batch * p->m * p->n / (rate * p->bytes_per_us) : 0;
}

struct tiling tiling_of(const struct tiled *p, const struct tile *tile)
{
    const double across = ceil(p->n / tile->n), down = ceil(p->m / tile->m);
    return (struct tiling){
        .waves = p->batch * across * down / p->sms,
        .step_us = 2 * tile->n * tile->m * p->sms / p->flop_per_us,
        .operand_bytes = p->batch * p->k * (across * p->m + down * p->n) * p->element_bytes,
    };
}

double wave_turns(double waves, double tail, double quantum)
{
    const double broken = waves + tail;
    return fmax(1, broken + quantum * (ceil(waves) - broken));
}

double tile_fill(double size, double tile)
{
    return size / (tile * ceil(size / tile));
}

double alignment(int64_t size, int64_t a, int64_t b, int64_t c)
{
    return (size % a == 0) + (size % b == 0) + (size % c == 0);
}
