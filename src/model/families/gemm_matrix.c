/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices on matrix units, operands of 16, 8 or 4 bits:
 * C[M x N] = A[M x K] B[K x N], `batch` of them (the kernel's m, k, n). C has 16 bits.
 *
 * The library cuts C into tiles and may cut K into parts (split-K). For a tile and
 * a number of parts four things overlap but for a knee: whole tiles by waves over
 * the multiprocessors, their operands on the way to them, the steps of K one after
 * the other, and the operands coming out of memory. The least of all is taken.
 * Writing C, adding parts up and what a kernel takes at the least come on top.
 *
 * What is a time by itself is given in clocks, rates as shares of the device's:
 * these carry from GPU to GPU. Operands that were used a moment ago may lie in L2;
 * measurements go through several copies of the weights (`copies_of`).
 *
 * Engines differ in what they launch (the floor), in how fast A is turned into a
 * narrow type, and by a factor. Where no engine is told, it is the mean of theirs.
 */
#include <math.h>
#include <string.h>

#include "clock.h"
#include "engine.h"
#include "family.h"
#include "gemm_matrix_doubt.h"
#include "tile_table.h"

enum coefficient {
    FLOOR,
    FLOOR_SGLANG,
    FLOOR_TRTLLM,
    SGLANG,
    TRTLLM,
    LAUNCH_US,
    EFFICIENCY,
    SMALL,
    DEPTH,
    QUANTUM,
    STEP,
    WRITE,
    SPLIT,
    SPLIT_RATE,
    MEMORY,
    CACHED,
    KNEE,
    POWER,
    LOAD,
    CONVERT,
    CONVERT_SGLANG,
    CONVERT_TRTLLM,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR] = {"floor", 4000, 500, 60000, 0.3, "the least that a kernel takes, clocks", false},
    [FLOOR_SGLANG] = {"floor_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [FLOOR_TRTLLM] = {"floor_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
    [SGLANG] = {"sglang", 1, 0.5, 2, 0.1, "time of sglang's kernels over those of vLLM", false},
    [TRTLLM] = {"trtllm", 1, 0.5, 2, 0.1, "the same of TensorRT-LLM's", false},
    [LAUNCH_US] = {"launch_us", 24, 24, 24, 0, "what launching a lone call adds, us", false},
    [EFFICIENCY] = {"efficiency", 0.9, 0.2, 1.2, 0.2, "of the peak, in the inner loop of the largest tile", false},
    [SMALL] = {"small", 0.1, 0, 1, 0.1, "power of a tile's size that its efficiency goes with", false},
    [DEPTH] = {"depth", 10, 1, 1000, 0.3, "steps of K that starting and ending a tile are worth", false},
    [QUANTUM] = {"quantum", 0.2, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [STEP] = {"step", 2.2, 0.2, 12, 0.3, "clocks of two bytes of K, one step after the other", false},
    [WRITE] = {"write", 0.85, 0.2, 4, 0.2, "of memory bandwidth, at which C is written", false},
    [SPLIT] = {"split", 4500, 200, 40000, 0.3, "of adding up the parts of a cut K, clocks", false},
    [SPLIT_RATE] = {"split_rate", 1, 0.1, 20, 0.3, "the same for each part of C, of memory bandwidth", false},
    [MEMORY] = {"memory", 0.82, 0.3, 1.2, 0.1, "of memory bandwidth, operands", false},
    [CACHED] = {"cached", 1.5, 1, 8, 0.2, "rate of what lies in L2, over that of memory", false},
    [KNEE] = {"knee", 2.5, 1.2, 8, 0.2, "power with which the four overlap", false},
    [POWER] = {"power", 0.15, 0, 1, 0.1, "loss of long products, each decade, by peak over twice the board's power",
               false},
    [LOAD] = {"load", 96, 16, 400, 0.3, "bytes of operands a clock into a multiprocessor", false},
    [CONVERT] = {"convert", 0.5, 0.02, 4, 0.3, "of memory bandwidth, turning A into a narrow type", false},
    [CONVERT_SGLANG] = {"convert_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [CONVERT_TRTLLM] = {"convert_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
};

enum { OUTPUT_BYTES = 2, K_STEP = 64, LEAST_PART = 128, LARGEST_TILE = 32768 };

/* A product on a device, with what does not depend on the tile. Times in microseconds. */
struct product {
    struct tiled on;
    double clocks_us;        /* clocks in a microsecond */
    double slowdown;         /* of the arithmetic, for lack of power */
    double a_bytes, b_bytes; /* an element, as it is multiplied */
    double hit;              /* share of the operands that lie in L2 */
    double memory_us, write_us, floor_us;
    double factor; /* of the library */
    const struct tile_list *tiles;
    bool pairs, few;
    const double *c; /* coefficients */
};

/* How a tile and a number of parts would do. */
struct way {
    uint32_t tile; /* of the library's */
    double parts, waves, arithmetic_us, load_us, loop_us, extra_us, us;
};

/* ---- the device ---- */

/* Weights that a measurement goes through, one after the other, so that they come from memory as they do in a model. */
static double copies_of(const struct kernel *kernel)
{
    const bool one = kernel->format == FORMAT_W4A4_FP4 || kernel->format == FORMAT_W8A8_BLOCK;
    return kernel->library == LIBRARY_TRTLLM ? 5 : one && kernel->library == LIBRARY_VLLM ? 1 : 6;
}

/*
 * Operands that come in 8 bits were measured with a kernel of three tiles that does not cut K.
 */
static bool has_few_tiles(const struct kernel *kernel)
{
    return kernel->dtype == DTYPE_F8 && kernel->format == FORMAT_PLAIN;
}

static enum tile_operands operands_of(const struct kernel *kernel)
{
    return has_few_tiles(kernel) ? TILES_NARROW : kernel->format == FORMAT_PLAIN ? TILES_HALF : TILES_FORMAT;
}

/* ---- the product ---- */

/* Operands that fit into L2 beside each other are read from it, more or less. */
static void set_memory(struct product *p, const struct kernel *kernel, const struct hardware *hardware)
{
    const struct tiled *on = &p->on;
    const double a = on->batch * on->m * on->k * p->a_bytes, b = on->batch * on->n * on->k * p->b_bytes,
                 written = on->batch * on->m * on->n * (kernel->format == FORMAT_TF32 ? p->a_bytes : OUTPUT_BYTES);
    p->hit = share_in_l2(hardware, copies_of(kernel) * b + a + written);
    p->memory_us = (a + b) * (1 - p->hit + p->hit / p->c[CACHED]) / (p->c[MEMORY] * on->bytes_per_us);
    p->write_us = written / (p->c[WRITE] * on->bytes_per_us);
}

static void set_floor(struct product *p, const struct kernel *kernel)
{
    const double *c = p->c;
    const double converted = format_converted_bytes(kernel->format) > 0 ? p->on.batch * p->on.m * p->on.k * 3 : 0;
    const double rate = c[CONVERT] * of_library(kernel->library, c[CONVERT_SGLANG], c[CONVERT_TRTLLM]);
    p->floor_us = c[FLOOR] * of_library(kernel->library, c[FLOOR_SGLANG], c[FLOOR_TRTLLM]) / p->clocks_us +
                  converted / (rate * p->on.bytes_per_us) + (kernel->alone ? c[LAUNCH_US] * lone_launches(kernel) : 0);
}

static struct product product_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double element = kernel_element_bytes(kernel), converted = format_converted_bytes(kernel->format);
    struct product p = {
        .on = tiled_of(kernel, hardware, product_peak(kernel, hardware->figure), element),
        .clocks_us = clocks_in_us(hardware),
        .a_bytes = converted > 0 ? converted : element,
        .b_bytes = kernel_weight_bytes(kernel),
        .factor = of_library(kernel->library, c[SGLANG], c[TRTLLM]),
        .pairs = has_pairs(hardware),
        .few = has_few_tiles(kernel),
        .tiles = library_tiles(hardware, operands_of(kernel), kernel->product.batch > 1),
        .c = c,
    };
    p.slowdown = lack_of_power(hardware, 2 * p.on.batch * p.on.m * p.on.n * p.on.k / p.on.flop_per_us, p.on.flop_per_us,
                               c[POWER]);
    set_memory(&p, kernel, hardware);
    set_floor(&p, kernel);
    return p;
}

/* ---- tiles ---- */

static struct way way_of(const struct product *p, uint32_t at, double efficiency, double parts)
{
    const double *c = p->c;
    const struct tiled *on = &p->on;
    const struct tile *tile = &p->tiles->at[at];
    const double team = tile->pair ? 2 : 1;
    struct way way = {.tile = at, .parts = parts, .waves = tile_waves(on, tile, parts)};
    const double turns = wave_turns(way.waves, 0, c[QUANTUM]), k = ceil(on->k / parts / K_STEP) * K_STEP;
    const double sides = (fmin(tile->m, on->m) * p->a_bytes + fmin(tile->n, on->n) * p->b_bytes) / team;
    way.arithmetic_us =
        turns * 2 * tile->n * tile->m / team * (k + c[DEPTH]) * on->sms / (on->flop_per_us * efficiency) * p->slowdown;
    way.load_us = turns * sides * k / (c[LOAD] * p->clocks_us);
    way.loop_us = turns * k * c[STEP] * p->a_bytes / 2 / p->clocks_us;
    way.extra_us = parts_us(on, parts, c[SPLIT] / p->clocks_us, c[SPLIT_RATE]);
    return way;
}

static double way_us(const struct product *p, const struct way *way, double enough_us)
{
    const double us[] = {way->arithmetic_us, way->load_us, way->loop_us, p->memory_us};
    return overlap_of_four(us, p->c[KNEE], enough_us - way->extra_us) + way->extra_us;
}

/* Cutting K fills multiprocessors that had no tile; no library does where parts would be short, or all have several. */
static bool worth_cutting(const struct product *p, double waves, double parts)
{
    return !p->few && p->on.k / parts >= LEAST_PART && waves <= 4;
}

static struct way find_best_way(const struct product *p)
{
    struct way best = {.us = INFINITY};
    for (uint32_t at = 0; at < p->tiles->count; at++) {
        const struct tile *tile = &p->tiles->at[at];
        if (tile->pair && !p->pairs)
            continue;
        const double area = tile->m * tile->n / (tile->pair ? 2 : 1);
        const double efficiency =
            p->c[EFFICIENCY] * quick_power(fmin(1, area / (p->few ? 128 * 128 : LARGEST_TILE)), p->c[SMALL]);
        double waves = 0;
        for (int i = 0; i < MATRIX_CUTS && (i == 0 || worth_cutting(p, waves, matrix_cuts[i])); i++) {
            struct way way = way_of(p, at, efficiency, matrix_cuts[i]);
            waves = way.waves;
            way.us = way_us(p, &way, best.us);
            if (way.us < best.us)
                best = way;
        }
    }
    return best;
}

/* All that ways go by. Nothing lies between the members, so that two are compared as they lie. */
struct way_key {
    struct tiled on;
    double clocks_us, slowdown, a_bytes, b_bytes, memory_us;
    const struct tile_list *tiles;
    uint64_t pairs_few;
    double c[COEFFICIENTS];
};

static struct way_key key_of(const struct product *p)
{
    struct way_key key = {
        .on = p->on,
        .clocks_us = p->clocks_us,
        .slowdown = p->slowdown,
        .a_bytes = p->a_bytes,
        .b_bytes = p->b_bytes,
        .memory_us = p->memory_us,
        .tiles = p->tiles,
        .pairs_few = p->pairs + 2u * p->few,
    };
    memcpy(key.c, p->c, sizeof key.c);
    return key;
}

/*
 * A kernel is asked for its time, then for what was learned of it and by how much libraries differ: ten times for two
 * answers, since libraries differ by what lies in L2 at most. So a thread keeps its last two.
 */
static struct way best_way(const struct product *p)
{
    enum { KEPT = 2 };
    static _Thread_local struct {
        struct way_key key;
        struct way way;
    } kept[KEPT];
    static _Thread_local uint32_t oldest;
    const struct way_key key = key_of(p);
    for (uint32_t i = 0; i < KEPT; i++)
        if (memcmp(&kept[i].key, &key, sizeof key) == 0) {
            oldest = (i + 1) % KEPT;
            return kept[i].way;
        }
    const uint32_t at = oldest;
    kept[at].way = find_best_way(p);
    kept[at].key = key;
    oldest = (at + 1) % KEPT;
    return kept[at].way;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct product product = product_of(kernel, hardware, c);
    return (product.floor_us + product.write_us + best_way(&product).us) * product.factor + among_us(kernel);
}

/* ---- features ---- */

enum feature {
    SGLANGS,
    TRTLLMS,
    LN_OVER_FLOOR,
    LN_ARITHMETIC,
    LN_LOOP,
    LN_WRITE,
    LN_WAVES,
    WAVE_FILL,
    TILE,
    LN_PARTS,
    FILL_N,
    FILL_M,
    LN_M,
    LN_N,
    LN_K,
    HIT,
    LN_L2_B,
    LN_L2_A,
    ALIGNED_N,
    ALIGNED_K,
    LN_TILES,
    FEATURES,
};

static const char *const feature_names[FEATURES] = {
    "by sglang",
    "by TensorRT-LLM",
    "ln(us / floor)",
    "ln(arithmetic / memory)",
    "ln(steps of K / memory)",
    "ln(writing / memory)",
    "ln(waves)",
    "fill of waves",
    "tile",
    "ln(parts of K)",
    "fill of tiles by N",
    "fill of tiles by M",
    "ln(M)",
    "ln(N)",
    "ln(K)",
    "share in L2",
    "ln(B / L2)",
    "ln(A / L2)",
    "alignment of N",
    "alignment of K",
    "ln(tiles of 128 x 128 / multiprocessors)",
};

/* Most was learned of kernels in a queue, so every kernel is described as one. */
static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    struct kernel queued = *kernel;
    queued.alone = false;
    const struct product p = product_of(&queued, hardware, c);
    const struct way way = best_way(&p);
    const struct tile *tile = &p.tiles->at[way.tile];
    const double l2 = fmax(hardware->figure[HW_L2_BYTES], 1);
    to[SGLANGS] = kernel->library == LIBRARY_SGLANG;
    to[TRTLLMS] = kernel->library == LIBRARY_TRTLLM;
    to[LN_OVER_FLOOR] = log((p.floor_us + p.write_us + way.us) / p.floor_us);
    to[LN_ARITHMETIC] = log(way.arithmetic_us / p.memory_us);
    to[LN_LOOP] = log(way.loop_us / p.memory_us);
    to[LN_WRITE] = log(p.write_us / p.memory_us);
    to[LN_WAVES] = log(way.waves);
    to[WAVE_FILL] = way.waves / ceil(way.waves);
    to[TILE] = way.tile;
    to[LN_PARTS] = log(way.parts);
    to[FILL_N] = tile_fill(p.on.n, tile->n);
    to[FILL_M] = tile_fill(p.on.m, tile->m);
    to[LN_M] = log(p.on.m);
    to[LN_N] = log(p.on.n);
    to[LN_K] = log(p.on.k);
    to[HIT] = p.hit;
    to[LN_L2_B] = log(p.on.batch * p.on.n * p.on.k * p.b_bytes / l2);
    to[LN_L2_A] = log(p.on.batch * p.on.m * p.on.k * p.a_bytes / l2);
    to[ALIGNED_N] = alignment(kernel->product.n, 64, 128, 512);
    to[ALIGNED_K] = alignment(kernel->product.reduced, 64, 128, 512);
    to[LN_TILES] = log(p.on.batch * ceil(p.on.n / 128) * ceil(p.on.m / 128) / p.on.sms);
}

/* ---- which kernels ---- */

/* Beside libraries that choose among many tiles and cuts there are kernels with one large tile, and none that cut K. */
static double start(uint32_t way, uint32_t parameter)
{
    (void)way;
    switch (parameter) {
    case SMALL:
        return 0.6;
    case QUANTUM:
        return 0.95;
    case SPLIT:
        return 30000;
    case DEPTH:
        return 100;
    default:
        return parameters[parameter].start;
    }
}

static bool takes(const struct kernel *kernel)
{
    return kernel->dtype == DTYPE_F8 || kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16 ||
           kernel->format == FORMAT_TF32;
}

/* Operands that come in 8 bits are another kernel than those that it converts. */
static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    if (kernel->format != FORMAT_PLAIN && kernel->format != FORMAT_TF32)
        return format_word(kernel->format).at;
    return kernel->dtype == DTYPE_F8 ? "fp8" : "half";
}

/* The kernel of few tiles was measured by itself. */
static uint32_t libraries(const struct kernel *kernel)
{
    return has_few_tiles(kernel) ? 0 : serving_libraries(kernel);
}

/*
 * Of scales of blocks an engine launches one kernel here and several there. Seen on H100 from Blackwell (43 to 23 %); the other way
 * it changes nothing (28.1 and 27.5 %).
 */
static bool engines_stay(const struct kernel *kernel)
{
    return kernel->format == FORMAT_W8A8_BLOCK;
}

/* No table has TF32: the kernels of 16 bits at its peak and twice the bytes. */
static double unlike(const struct kernel *kernel, double us)
{
    return hypot(kernel->format == FORMAT_TF32 ? 0.25 : 0, among_doubt(kernel, us));
}

static bool like_measured(const struct kernel *kernel)
{
    return kernel->format != FORMAT_TF32;
}

/* A format has the units that it is made for, or there is no such kernel. */
static uint32_t also_needs(const struct kernel *kernel, const struct hardware *hardware)
{
    enum precision precision;
    (void)hardware;
    return format_precision(kernel->format, &precision) ? 1u << (HW_FP32 + (int)precision) : 0;
}

const struct family family_gemm_matrix = {
    .name = "gemm_matrix",
    .forms = 1u << FORM_BMM | 1u << FORM_LINEAR,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE,
    .about = "Products of 4, 8 and 16 bits on matrix units: the least over tiles and cuts of K, by waves over the "
             "multiprocessors, steps of K one after the other, operands out of memory or L2; floors by library.",
    .also_needs = also_needs,
    .takes = takes,
    .group = group,
    .libraries = libraries,
    .engines_stay = engines_stay,
    .versions = matrix_versions,
    .doubt = matrix_doubt,
    .scatter = matrix_scatter,
    .shift = matrix_shift,
    .sibling_shift = 0.035,
    .unlike = unlike,
    .like_measured = like_measured,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .start = start,
    .start_count = 1,
    .describe = describe,
    .features = feature_names,
    .feature_count = FEATURES,
    .generations = true,
    .rate = .25,
    .trees = 40,
    .leaves = 20,
};
