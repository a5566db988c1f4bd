/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices of 8 and 16 bits on matrix units: C[M x N] = A[M x K] B[K x N],
 * `batch` of them (the kernel's m, k, n). C has 16 bits.
 *
 * As in gemm.c: tiles of C by waves over the multiprocessors, the operands of
 * every tile out of L2, the matrices once through memory; the least over the
 * tiles. Matrix units are so fast that starting a tile, measured in steps of K,
 * weighs more, and that memory decides where M is small.
 *
 * Fitted on products of 8 bits. Those of 16 bits are a group of their own, which
 * takes the starting values below until somebody measures them.
 */
#include <math.h>

#include "family.h"
#include "tiles.h"

enum coefficient {
    FLOOR_US,
    OFFSET_US,
    EFFICIENCY,
    DEPTH,
    QUANTUM,
    READ,
    WRITE,
    OPERANDS,
    KNEE,
    LATENCY_US,
    LONG,
    TILE_64,
    TILE_256,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR_US] = {"floor_us", 4, 1, 60, 0.3, "the least that a lone call takes, us", false},
    [OFFSET_US] = {"offset_us", 3, 0.5, 60, 0.3, "what a lone call takes besides its work, us", false},
    [EFFICIENCY] = {"efficiency", 0.75, 0.2, 1.2, 0.2, "of the peak, in the inner loop", false},
    [DEPTH] = {"depth", 200, 1, 4000, 0.3, "steps of K that starting and ending a tile are worth", false},
    [QUANTUM] = {"quantum", 0.7, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [READ] = {"read", 1.2, 0.5, 4, 0.2, "of the matrices read, over peak bandwidth", false},
    [WRITE] = {"write", 1.2, 0.5, 4, 0.2, "of the matrix written, over peak bandwidth", false},
    [OPERANDS] = {"operands", 3, 0.3, 20, 0.3, "bandwidth for operands of tiles, over that of memory", false},
    [KNEE] = {"knee", 4, 1.5, 8, 0.2, "power with which arithmetic and memory overlap", false},
    [LATENCY_US] = {"latency_us", 0.002, 0.0001, 0.02, 0.3, "of a step of K where a tile is alone, us", false},
    [LONG] = {"long", 0.02, 0, 0.5, 0.1, "cost of each e-fold of arithmetic beyond 100 us: power", false},
    [TILE_64] = {"tile_64", 0.2, -0.5, 2, 0.1, "penalty of the tile of 64 rows over 128x128", false},
    [TILE_256] = {"tile_256", 0.2, -0.5, 2, 0.1, "penalty of the tile of 256 rows", false},
};

/* Columns (of N) and rows (of M) of the tiles there are. */
static const struct tile tiles[] = {{128, 128}, {128, 64}, {128, 256}};
enum { TILES = sizeof tiles / sizeof *tiles, OUTPUT_BYTES = 2 };

/* A product on a device, with what does not depend on the tile. Times in microseconds. */
struct product {
    struct tiled on;
    double memory_us;
    const double *c; /* coefficients */
};

/* How a tile would do. */
struct way {
    double waves, arithmetic_us, operands_us, us;
    int tile;
};

static double first_above_0(double a, double b, double c)
{
    return a > 0 ? a : b > 0 ? b : c;
}

/* A device without units for a type computes in the next wider one. */
static double peak_of(enum dtype dtype, const double *figure)
{
    const double half = first_above_0(figure[HW_BF16], figure[HW_FP16], figure[HW_FP32]);
    if (dtype == DTYPE_F8)
        return figure[HW_FP8] > 0 ? figure[HW_FP8] : half;
    return dtype == DTYPE_F16 ? first_above_0(figure[HW_FP16], half, half) : half;
}

static struct product product_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double element_bytes = kernel->dtype == DTYPE_F8 ? 1 : 2;
    struct product p = {
        .on = tiled_of(kernel, hardware, peak_of(kernel->dtype, hardware->figure), element_bytes),
        .c = c,
    };
    const struct tiled *on = &p.on;
    const double read = on->k * (on->m + on->n) * on->element_bytes, written = on->m * on->n * OUTPUT_BYTES;
    p.memory_us = on->batch * (read * c[READ] + written * c[WRITE]) / on->bytes_per_us;
    return p;
}

static struct way way_of(const struct product *p, int tile)
{
    const double *c = p->c;
    const struct tiling tiling = tiling_of(&p->on, &tiles[tile]);
    const double penalty = tile ? exp(c[TILE_64 + tile - 1]) : 1;
    const double step_us = tiling.step_us / c[EFFICIENCY] * penalty;
    struct way way = {.waves = tiling.waves, .tile = tile};
    way.arithmetic_us = wave_turns(way.waves, 0, c[QUANTUM]) * step_us * (p->on.k + c[DEPTH]);
    way.arithmetic_us *= 1 + c[LONG] * fmax(0, log(way.arithmetic_us / 100));
    way.operands_us = tiling.operand_bytes / (p->on.bytes_per_us * c[OPERANDS]);
    const double moving_us = soft_max(way.operands_us, p->memory_us, c[KNEE]);
    way.us = soft_max(way.arithmetic_us, moving_us, c[KNEE]) + c[LATENCY_US] * p->on.k;
    return way;
}

static struct way best_way(const struct product *p)
{
    struct way best = way_of(p, 0);
    for (int tile = 1; tile < TILES; tile++) {
        const struct way way = way_of(p, tile);
        if (way.us < best.us)
            best = way;
    }
    return best;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct product product = product_of(kernel, hardware, c);
    const struct way way = best_way(&product);
    return soft_max(lone_floor_us(kernel, c[FLOOR_US]), lone_offset_us(kernel, c[OFFSET_US]) + way.us, 6);
}

enum feature {
    LN_OVER_FLOOR,
    LN_ARITHMETIC,
    LN_OPERANDS,
    LN_WAVES,
    WAVE_FILL,
    WAVES_BEGUN,
    TILE,
    FILL_M,
    LN_M,
    LN_N,
    LN_K,
    LN_L2_A,
    LN_L2_B,
    LN_L2_C,
    ALIGNED_K,
    FEATURES,
};

static const char *const feature_names[FEATURES] = {
    "ln(us / floor)",
    "ln(arithmetic / memory)",
    "ln(operands / memory)",
    "ln(waves)",
    "fill of waves",
    "waves begun",
    "tile",
    "fill of tiles by M",
    "ln(M)",
    "ln(N)",
    "ln(K)",
    "ln(A / L2)",
    "ln(B / L2)",
    "ln(C / L2)",
    "alignment of K",
};

static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    const struct product p = product_of(kernel, hardware, c);
    const struct way way = best_way(&p);
    const double l2 = fmax(hardware->figure[HW_L2_BYTES], 1);
    to[LN_OVER_FLOOR] = log((c[OFFSET_US] + way.us) / c[FLOOR_US]);
    to[LN_ARITHMETIC] = log(way.arithmetic_us / p.memory_us);
    to[LN_OPERANDS] = log(way.operands_us / p.memory_us);
    to[LN_WAVES] = log(way.waves);
    to[WAVE_FILL] = way.waves / ceil(way.waves);
    to[WAVES_BEGUN] = fmin(ceil(way.waves), 32);
    to[TILE] = way.tile;
    to[FILL_M] = tile_fill(p.on.m, tiles[way.tile].m);
    to[LN_M] = log(p.on.m);
    to[LN_N] = log(p.on.n);
    to[LN_K] = log(p.on.k);
    to[LN_L2_A] = log(p.on.batch * p.on.m * p.on.k * p.on.element_bytes / l2);
    to[LN_L2_B] = log(p.on.batch * p.on.n * p.on.k * p.on.element_bytes / l2);
    to[LN_L2_C] = log(p.on.batch * p.on.m * p.on.n * OUTPUT_BYTES / l2);
    to[ALIGNED_K] = alignment(kernel->product.reduced, 64, 128, 512);
}

static bool takes(const struct kernel *kernel)
{
    return kernel->dtype == DTYPE_F8 || kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16;
}

static const char *group(const struct kernel *kernel)
{
    return kernel->dtype == DTYPE_F8 ? "fp8" : "half";
}

const struct family family_gemm_matrix = {
    .name = "gemm_matrix",
    .forms = 1u << FORM_BMM | 1u << FORM_LINEAR,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE,
    .about = "Products of 8 and 16 bits on matrix units: tiles by waves, their operands, the matrices once through "
             "memory.",
    .takes = takes,
    .group = group,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .describe = describe,
    .features = feature_names,
    .feature_count = FEATURES,
};
