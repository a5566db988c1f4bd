/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices in single precision: C[M x N] = A[M x K] B[K x N], `batch`
 * of them (the kernel's m, k, n).
 *
 * The library cuts C into tiles of one size, a block of threads each, and may cut
 * K into parts (split-K), whose sums are added at the end. For a tile and a number
 * of parts the time is that of three things which overlap except for a knee: the
 * arithmetic of whole tiles by waves over the multiprocessors, the operands that
 * every tile reads (from L2, mostly), and the matrices going once through memory.
 * The library is taken to choose what is least. What it thinks of a tile on this
 * device is a penalty, fitted; so the choice and the time come from the same form.
 */
#include <math.h>

#include "clock.h"
#include "engine.h"
#include "family.h"
#include "tile_table.h"

enum coefficient {
    FLOOR_US,
    OFFSET_US,
    EFFICIENCY,
    DEPTH,
    QUANTUM,
    TAIL,
    LONELY,
    READ,
    WRITE,
    OPERANDS,
    UNALIGNED,
    KNEE,
    BLOCK_US,
    LONG,
    ENERGY,
    BURST_US,
    SHARP,
    TILE_128X64,
    TILE_64X128,
    TILE_64X64,
    TILE_128X32,
    TILE_32X128,
    TILE_32X32,
    TILE_64X32,
    SPLIT,
    SPLIT_US,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR_US] = {"floor_us", 30, 3, 200, 0.3, "the least that a lone call takes, us", false},
    [OFFSET_US] = {"offset_us", 20, 1, 150, 0.3, "what a lone call takes besides its work, us", false},
    [EFFICIENCY] = {"efficiency", 0.9, 0.2, 1.2, 0.2, "of the peak, in the inner loop", false},
    [DEPTH] = {"depth", 12, 0.1, 400, 0.3, "steps of K that starting and ending a tile are worth", false},
    [QUANTUM] = {"quantum", 0.5, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [TAIL] = {"tail", 0.3, 0, 1, 0.2, "waves that blocks of unequal length add", false},
    [LONELY] = {"lonely", 0.05, 0, 2, 0.2, "what a multiprocessor loses that has one block only", false},
    [READ] = {"read", 1.2, 0.5, 4, 0.2, "of the matrices read, over peak bandwidth", false},
    [WRITE] = {"write", 1.2, 0.5, 4, 0.2, "of the matrix written, over peak bandwidth", false},
    [OPERANDS] = {"operands", 1, 1, 10, 0.3, "bandwidth for operands of tiles, over that of memory, from L2 at least",
                  false},
    [UNALIGNED] = {"unaligned", 0.03, 0, 0.6, 0.05, "cost where rows are not aligned to 16 bytes", false},
    [KNEE] = {"knee", 3.5, 1.5, 8, 0.2, "power with which arithmetic and memory overlap", false},
    [BLOCK_US] = {"block_us", 0.05, 0.001, 3, 0.3, "of launching one wave of blocks, us", false},
    [LONG] = {"long", 0.1, 0, 1, 0.1, "cost of a K beyond 8192, each e-fold", false},
    [ENERGY] = {"energy", 1, 0.4, 2, 0.15, "of an operation, over what its generation needs", false},
    [BURST_US] = {"burst_us", 1500, 30, 1e5, 0.3, "of time lost to missing power, by which half of it shows", false},
    [SHARP] = {"sharp", 2, 0.5, 6, 0.2, "power with which the loss begins to show", false},
    [TILE_128X64] = {"tile_128x64", 1.2, 0.35, 20, 0.1,
                     "time of this tile, over what its size says of it against 128x128", false},
    [TILE_64X128] = {"tile_64x128", 1.2, 0.35, 20, 0.1, "the same", false},
    [TILE_64X64] = {"tile_64x64", 1.2, 0.35, 20, 0.1, "the same", false},
    [TILE_128X32] = {"tile_128x32", 1.2, 0.35, 20, 0.1, "the same", false},
    [TILE_32X128] = {"tile_32x128", 1.2, 0.35, 20, 0.1, "the same", false},
    [TILE_32X32] = {"tile_32x32", 1.2, 0.35, 20, 0.1, "the same", false},
    [TILE_64X32] = {"tile_64x32", 1.2, 0.35, 20, 0.1, "the same", false},
    [SPLIT] = {"split", 1, 0.01, 20, 0.3, "writes of C that each part of a cut K adds", false},
    [SPLIT_US] = {"split_us", 2, 0.01, 40, 0.3, "of adding up the parts, us", false},
};

/* Tiles that have penalties of their own, in their order; the first has none. Others have that of the most similar. */
static const struct tile tiles[] = {{128, 128, false}, {128, 64, false}, {64, 128, false}, {64, 64, false},
                                    {128, 32, false},  {32, 128, false}, {32, 32, false},  {64, 32, false}};
enum { TILES = sizeof tiles / sizeof *tiles };

/* Parts that K may be cut into. */
static const double cuts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
enum { CUTS = sizeof cuts / sizeof *cuts, FP32_BYTES = 4 };

/* A product on a device, with what does not depend on the tile. Times in microseconds. */
struct product {
    struct tiled on;
    double read_us, write_us;
    double slowdown; /* of the arithmetic */
    double missing;  /* power, over that of the board */
    double burst_us; /* of lost time, by which half of it shows */
    const struct tile_list *tiles;
    const double *c; /* coefficients */
};

/* AMD's matrix cores multiply single precision as it is; NVIDIA's do not, and the figures are the same. */
static double single_peak(const struct hardware *hardware)
{
    return fmax(hardware->figure[HW_FP32], hardware->figure[HW_FP32_MATRIX]);
}

/* A batch of one is what a linear layer runs. */
static bool is_single(const struct kernel *kernel)
{
    return kernel->form == FORM_LINEAR || kernel->product.batch <= 1;
}

static struct product product_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    struct product p = {
        .on = tiled_of(kernel, hardware, single_peak(hardware), FP32_BYTES),
        .missing = clock_missing_power(hardware, c[ENERGY]),
        .burst_us = clock_burst_us(hardware, c[BURST_US]),
        .tiles = library_tiles(hardware, TILES_FP32, !is_single(kernel)),
        .c = c,
    };
    const struct tiled *on = &p.on;
    const bool unaligned = kernel->product.reduced % 4 || kernel->product.n % 4;
    const double beyond = on->k > 8192 ? fmin(1.4, log(on->k / 8192)) : 0;
    p.read_us = on->batch * on->k * (on->m + on->n) * FP32_BYTES * c[READ] / on->bytes_per_us;
    p.write_us = on->batch * on->m * on->n * FP32_BYTES * c[WRITE] / on->bytes_per_us;
    p.slowdown = (1 + (unaligned ? c[UNALIGNED] : 0)) * (1 + beyond * c[LONG]) / c[EFFICIENCY];
    return p;
}

/* How a tile and a number of parts would do. */
struct way {
    struct tile tile;
    int kind; /* of tiles */
    double parts, waves, arithmetic_us, operands_us, memory_us;
    double extra_us; /* beside the three */
    double us;
};

static struct way way_of(const struct product *p, int kind, const struct tiling *tiling, double parts)
{
    const double *c = p->c;
    struct way way = {.kind = kind, .parts = parts, .waves = tiling->waves * parts};
    const double step_us = tiling->step_us * p->slowdown * (kind ? c[TILE_128X64 + kind - 1] : 1);
    const double turns = wave_turns(way.waves, c[TAIL], c[QUANTUM]);
    const double lonely = turns < 16 ? c[LONELY] * exp(1 - turns) : 0;
    way.operands_us = tiling->operand_bytes / (p->on.bytes_per_us * c[OPERANDS]);
    way.arithmetic_us = turns * step_us * (ceil(p->on.k / parts) + c[DEPTH]) * (1 + lonely);
    way.memory_us = p->read_us + p->write_us * (parts > 1 ? 1 + parts * c[SPLIT] : 1);
    way.extra_us = c[BLOCK_US] * way.waves + (parts > 1 ? c[SPLIT_US] : 0);
    return way;
}

/* The three overlap except for a knee. */
static double overlapped_us(const struct way *way, double arithmetic_us, double knee)
{
    const double most = fmax(fmax(arithmetic_us, way->operands_us), way->memory_us);
    return most * quick_power(quick_power(arithmetic_us / most, knee) + quick_power(way->operands_us / most, knee) +
                                  quick_power(way->memory_us / most, knee),
                              1 / knee);
}

/* What missing power adds. */
static double slowed_us(const struct product *p, const struct way *way, double full_clock_us)
{
    const double lost = overlapped_us(way, way->arithmetic_us * (1 + p->missing), p->c[KNEE]) - full_clock_us;
    return clock_shown_us(lost, p->burst_us, p->c[SHARP]);
}

/* Powers take long: where the longest of the three is too much already, it is enough. */
static double way_us(const struct product *p, const struct way *way, double enough_us)
{
    const double least = fmax(fmax(way->arithmetic_us, way->operands_us), way->memory_us) + way->extra_us;
    if (least >= enough_us)
        return least;
    const double us = overlapped_us(way, way->arithmetic_us, p->c[KNEE]);
    return us + (p->missing > 0 ? slowed_us(p, way, us) : 0) + way->extra_us;
}

/* Cutting K fills waves; where there are many already, or little is left of K, no library does. */
static bool worth_cutting(const struct product *p, const struct tiling *tiling, double parts)
{
    return tiling->waves * parts < 24 && p->on.k >= 24 * parts;
}

/* How unlike two tiles are: by how much their sides differ, 1 for the same. */
static double unlike(const struct tile *a, const struct tile *b)
{
    return fmax(a->n / b->n, b->n / a->n) * fmax(a->m / b->m, b->m / a->m);
}

/* The place among tiles of the most similar one. */
static int kind_of(const struct tile *tile)
{
    int kind = 0;
    for (int i = 1; i < TILES; i++)
        if (unlike(tile, &tiles[i]) < unlike(tile, &tiles[kind]))
            kind = i;
    return kind;
}

static struct way best_way(const struct product *p, bool may_cut)
{
    struct way best = {.us = INFINITY};
    for (uint32_t tile = 0; tile < p->tiles->count; tile++) {
        const struct tiling tiling = tiling_of(&p->on, &p->tiles->at[tile]);
        const int kind = kind_of(&p->tiles->at[tile]);
        for (int i = 0; i < CUTS && (i == 0 || (may_cut && worth_cutting(p, &tiling, cuts[i]))); i++) {
            struct way way = way_of(p, kind, &tiling, cuts[i]);
            way.tile = p->tiles->at[tile];
            way.us = way_us(p, &way, best.us);
            if (way.us < best.us)
                best = way;
        }
    }
    return best;
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    return is_single(kernel) ? "linear" : "bmm";
}

/* Where a table has batches of one, their second matrix is laid out otherwise than a layer's: other tiles, and few rows. */
static bool tells(const struct kernel *kernel)
{
    return kernel->form == FORM_LINEAR || kernel->product.batch > 1;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct product product = product_of(kernel, hardware, c);
    const struct way way = best_way(&product, is_single(kernel));
    return soft_max(lone_floor_us(kernel, hardware, c[FLOOR_US]),
                    lone_offset_us(kernel, hardware, c[OFFSET_US]) + way.us, 6) +
           among_us(kernel);
}

enum feature {
    LN_OVER_FLOOR,
    LN_ARITHMETIC,
    LN_OPERANDS,
    LN_WAVES,
    WAVE_FILL,
    TILE,
    LN_PARTS,
    FILL_N,
    FILL_M,
    LN_M,
    LN_N,
    LN_K,
    LN_L2_A,
    LN_L2_B,
    ALIGNED_N,
    ALIGNED_K,
    FEATURES,
};

static const char *const feature_names[FEATURES] = {
    "ln(us / floor)",
    "ln(arithmetic / memory)",
    "ln(operands / memory)",
    "ln(waves)",
    "fill of waves",
    "tile",
    "ln(parts of K)",
    "fill of tiles by N",
    "fill of tiles by M",
    "ln(M / 64)",
    "ln(N / 64)",
    "ln(K / 64)",
    "ln(A / L2)",
    "ln(B / L2)",
    "alignment of N",
    "alignment of K",
};

static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    const struct product p = product_of(kernel, hardware, c);
    const struct way way = best_way(&p, is_single(kernel));
    const struct tile *tile = &way.tile;
    const double l2 = fmax(hardware->figure[HW_L2_BYTES], 1);
    to[LN_OVER_FLOOR] = log((c[OFFSET_US] + way.us) / c[FLOOR_US]);
    to[LN_ARITHMETIC] = log(way.arithmetic_us / way.memory_us);
    to[LN_OPERANDS] = log(way.operands_us / way.memory_us);
    to[LN_WAVES] = log(way.waves);
    to[WAVE_FILL] = way.waves / ceil(way.waves);
    to[TILE] = way.kind;
    to[LN_PARTS] = log(way.parts);
    to[FILL_N] = tile_fill(p.on.n, tile->n);
    to[FILL_M] = tile_fill(p.on.m, tile->m);
    to[LN_M] = log(p.on.m / 64);
    to[LN_N] = log(p.on.n / 64);
    to[LN_K] = log(p.on.k / 64);
    to[LN_L2_A] = log(p.on.batch * p.on.m * p.on.k * FP32_BYTES / l2);
    to[LN_L2_B] = log(p.on.batch * p.on.n * p.on.k * FP32_BYTES / l2);
    to[ALIGNED_N] = alignment(kernel->product.n, 4, 8, 32);
    to[ALIGNED_K] = alignment(kernel->product.reduced, 4, 8, 32);
}

/*
 * Which tiles a library uses differs between generations and cannot be found by small steps: beside all alike, it may
 * prefer 128x64; 64x64 and 32x128; 128x128; or all but this and the smallest.
 */
static double start(uint32_t way, uint32_t parameter)
{
    const bool preferred =
        (way == 1 && parameter == TILE_128X64) || (way == 2 && (parameter == TILE_64X64 || parameter == TILE_32X128));
    if (parameter < TILE_128X64 || parameter > TILE_64X32)
        return parameters[parameter].start;
    return preferred ? 0.95 : 4.5;
}

/*
 * Where power falls short by this much, the clock of the measurements is that of the minutes before, by up to a factor of
 * two: in tables that are sorted by size it passes for an effect of size. No residual is learned there, and rows that took
 * longer than predicted weigh less.
 */
static const double least_unsteady = 0.5;

static bool steady(const struct hardware *hardware)
{
    return clock_missing_power(hardware, 1) < least_unsteady;
}

static double attained(const struct kernel *kernel, const struct hardware *hardware, double us)
{
    const double b = (double)kernel->product.batch, m = (double)kernel->product.m, n = (double)kernel->product.reduced,
                 k = (double)kernel->product.n;
    const double arithmetic_us = 2e6 * b * m * n * k / single_peak(hardware) * (1 + clock_missing_power(hardware, 1));
    const double memory_us = 1e6 * FP32_BYTES * b * (m * n + n * k + m * k) / hardware->figure[HW_MEMORY_RATE];
    return fmax(arithmetic_us, memory_us) / us;
}

const struct family family_gemm = {
    .name = "gemm",
    .forms = 1u << FORM_BMM | 1u << FORM_LINEAR,
    .group = group,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE,
    .about =
        "Tiles by waves over the multiprocessors, their operands, the matrices once through memory; the least over "
        "tiles and cuts of K.",
    .set_shift = 0.055,
    .lone_tables = true,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .attained = attained,
    .unlike = among_doubt,
    .steady = steady,
    .tells = tells,
    .held = 0.003,
    .start = start,
    .start_count = 4,
    .describe = describe,
    .features = feature_names,
    .feature_count = FEATURES,
};
