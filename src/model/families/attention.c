/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention in one kernel, as FlashAttention does it (Dao, arXiv:2307.08691): a
 * block takes 128 queries of a head and runs over all keys, or half of them in
 * the mean where it is causal; scores never reach memory. Going back is 2.5 times
 * the products (five in the place of two).
 *
 * Time is that of the products by waves over the multiprocessors and of the
 * exponentials, which have units of their own and overlap with the products only
 * partly, or of reading and writing queries, keys, values and output. No
 * measurements of it lie here: the values below are from the papers' figures for
 * A100 and H100, and say so (BASIS_ANALYTIC). What a block costs beside its keys
 * is seen where sequences are short: H100, width 128, 430 TFLOP/s at 512 keys and
 * 621 at 16384, another kernel 329 and 477 (pytorch/benchmark, #2391): 230 keys.
 */
#include <math.h>

#include "family.h"
#include "tiles.h"

enum coefficient {
    FLOOR_US,
    OFFSET_US,
    EFFICIENCY,
    BACK_EFFICIENCY,
    PLAIN_EFFICIENCY,
    EXPONENTIALS,
    DEPTH,
    PLAIN_DEPTH,
    QUANTUM,
    MEMORY,
    KNEE,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR_US] = {"floor_us", 10, 1, 100, 0.3, "the least that a lone call takes, us", false},
    [OFFSET_US] = {"offset_us", 6, 0.5, 60, 0.3, "what a lone call takes besides its work, us", false},
    [EFFICIENCY] = {"efficiency", 0.75, 0.1, 1, 0.2, "of the matrix units' peak, in the inner loop", false},
    [BACK_EFFICIENCY] = {"back_efficiency", 0.62, 0.1, 1, 0.2, "the same going back", false},
    [PLAIN_EFFICIENCY] = {"plain_efficiency", 0.55, 0.1, 1, 0.2, "of the peak in single precision", false},
    [EXPONENTIALS] = {"exponentials", 0.4, 0, 1, 0.2, "share of their time that the products do not hide", false},
    [DEPTH] = {"depth", 230, 1, 1000, 0.3, "keys that starting and ending a block is worth", false},
    [PLAIN_DEPTH] = {"plain_depth", 64, 1, 1000, 0.3, "the same in single precision, where keys take longer", false},
    [QUANTUM] = {"quantum", 0.7, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [MEMORY] = {"memory", 1.2, 0.5, 4, 0.2, "of what is read and written, over peak bandwidth", false},
    [KNEE] = {"knee", 4, 1.5, 8, 0.2, "power with which arithmetic and memory overlap", false},
};

enum { BLOCK_QUERIES = 128, WIDTH_STEP = 32, EXPONENTIALS_A_CLOCK = 16 };

/* Products going back for each going forth. */
static const double back_products = 2.5;

struct heads {
    double count, queries, keys, width; /* keys: that a query meets in the mean */
    double all_keys, element_bytes, flop_per_us, efficiency, products, depth;
};

static double peak_of(enum dtype dtype, const double *figure, bool *matrix)
{
    const double half = dtype == DTYPE_F16    ? figure[HW_FP16]
                        : dtype == DTYPE_BF16 ? figure[HW_BF16]
                        : dtype == DTYPE_F8   ? figure[HW_FP8]
                                              : 0;
    *matrix = half > 0;
    return *matrix ? half : figure[HW_FP32];
}

static struct heads heads_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    bool matrix;
    const double queries = (double)kernel->attention.queries, keys = (double)kernel->attention.keys;
    const bool narrow = kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16;
    struct heads heads = {
        .count = (double)kernel->attention.batch * (double)kernel->attention.heads,
        .queries = queries,
        .keys = kernel->attention.causal ? fmax(1, keys > queries ? keys - queries / 2 : keys / 2) : keys,
        .width = ceil((double)kernel->attention.width / WIDTH_STEP) * WIDTH_STEP,
        .all_keys = keys,
        .element_bytes = narrow                      ? 2
                         : kernel->dtype == DTYPE_F8 ? 1
                                                     : 4,
        .flop_per_us = peak_of(kernel->dtype, hardware->figure, &matrix) / 1e6,
        .products = kernel->backward ? back_products : 1,
    };
    heads.depth = c[matrix ? DEPTH : PLAIN_DEPTH];
    heads.efficiency = !matrix ? c[PLAIN_EFFICIENCY] : kernel->backward ? c[BACK_EFFICIENCY] : c[EFFICIENCY];
    return heads;
}

static double arithmetic_us(const struct heads *heads, const struct hardware *hardware, const double *c)
{
    const double sms = hardware->figure[HW_SMS], clock = hardware->figure[HW_CLOCK];
    const double waves = heads->count * ceil(heads->queries / BLOCK_QUERIES) / sms;
    const double turns = wave_turns(waves, 0, c[QUANTUM]);
    const double products = 4 * BLOCK_QUERIES * heads->width * heads->products * sms;
    const double exponentials = BLOCK_QUERIES / (EXPONENTIALS_A_CLOCK * clock / 1e6);
    const double key_us = products / (heads->flop_per_us * heads->efficiency) + c[EXPONENTIALS] * exponentials;
    return turns * key_us * (heads->keys + heads->depth);
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct heads heads = heads_of(kernel, hardware, c);
    const double passes = kernel->backward ? 4 : 2;
    const double bytes =
        passes * heads.count * (double)kernel->attention.width * (heads.queries + heads.all_keys) * heads.element_bytes;
    const double memory_us = c[MEMORY] * bytes / (hardware->figure[HW_MEMORY_RATE] / 1e6);
    const double work = soft_max(arithmetic_us(&heads, hardware, c), memory_us, c[KNEE]);
    return soft_max(lone_floor_us(kernel, c[FLOOR_US]), lone_offset_us(kernel, c[OFFSET_US]) + work, 6);
}

const struct family family_attention = {
    .name = "attention",
    .forms = 1u << FORM_ATTENTION,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE | 1u << HW_CLOCK,
    .about = "Attention in one kernel: blocks of queries by waves, the exponentials partly beside the products, or "
             "queries, keys, values and output through memory.",
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
};
