/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After Lin et al., "Building a Performance Model for Deep Learning Recommendation
 * Model Training on GPUs" (HiPC 2022) and the authors' later hit-rate model. For B
 * bags of each of T tables with E rows of D elements, L indices a bag, a warp moves
 *
 *     32 + 64     where the table and the bag begin
 *     r32(8 L)    indices, in sectors of 32 bytes
 *     L r32(4 D)  rows: backward read and written
 *     r32(4 D)    the bag
 *
 * With X rows of a table in L2 and U different rows among the B L drawn at random
 * of E, the share of rows found there is 1 - U / (B L) where all U fit, and else that
 * of the draws after the first X that hit a row held.
 *
 * Forward takes hits from L2, as its rows are only read. Backward does not: a row
 * that was written must reach memory, and is read again from there by who comes
 * later, so all rows count (the simple model).
 */
#include "embedding.h"

#include <math.h>

enum { SECTOR = 32, WARPS_PER_SM = 45 /* of 64: occupancy 0.71 */ };

static const double held_share = 0.9;      /* of L2 that holds rows */
static const double l2_over_memory = 2.5;  /* where the rate of L2 is not known: V100 3.5, P100 2.9, A100 1.6 */
static const double begin_bytes = 32 + 64; /* offsets of a table and of a bag */
static const double index_bytes = 8;

struct lookup {
    double batch, tables, rows, bag, row_bytes;
};

static double sectors(double bytes)
{
    return ceil(bytes / SECTOR) * SECTOR;
}

static struct lookup lookup_of(const struct kernel *kernel)
{

    return (struct lookup){(double)kernel->lookup.batch, (double)kernel->lookup.tables, (double)kernel->lookup.rows,
                           (double)kernel->lookup.bag,
                           sectors((double)kernel->lookup.width * kernel_element_bytes(kernel))};
}

/* Rows of one table that L2 holds: tables are worked on one after the other, as many at once as warps are resident. */
static double rows_held(const struct lookup *lookup, const struct hardware *hardware)
{
    const double warps = fmax(1, hardware->figure[HW_SMS]) * WARPS_PER_SM;
    const double tables_at_once = fmin(lookup->tables, ceil(warps / lookup->batch));
    const double held = held_share * hardware->figure[HW_L2_BYTES] / (tables_at_once * lookup->row_bytes);
    return fmin(fmin(held, lookup->rows), lookup->batch * lookup->bag);
}

double embedding_hit_rate(const struct kernel *kernel, const struct hardware *hardware)
{
    const struct lookup lookup = lookup_of(kernel);
    const double draws = lookup.batch * lookup.bag, held = rows_held(&lookup, hardware), rows = lookup.rows;
    const double different = rows > 1 ? rows * -expm1(draws * log1p(-1 / rows)) : 1;
    if (different <= held)
        return fmax(0, 1 - different / draws);
    return fmax(0, 1 - (held + (draws - held) * (rows - held) / rows) / draws);
}

double embedding_s(const struct kernel *kernel, const struct hardware *hardware, double efficiency)
{
    const struct lookup l = lookup_of(kernel);
    const double memory_rate = hardware->figure[HW_MEMORY_RATE];
    const double l2_rate =
        hardware->figure[HW_L2_RATE] > 0 ? hardware->figure[HW_L2_RATE] : l2_over_memory * memory_rate;
    const double bags = l.batch * l.tables, rows = bags * l.bag * l.row_bytes * (kernel->backward ? 2 : 1);
    const double hit = kernel->backward ? 0 : embedding_hit_rate(kernel, hardware);
    const double rest = bags * (begin_bytes + sectors(index_bytes * l.bag) + l.row_bytes);
    return fmax((rest + (1 - hit) * rows) / (memory_rate * efficiency), hit * rows / l2_rate);
}
