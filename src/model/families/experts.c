/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layer of experts on one GPU: tokens are routed, their rows go through the products up (with the gate) and down of the
 * experts they meet, and are weighed and added up. Who has how many tokens is experts_load.c.
 *
 * Each of the two products is many, one an expert, in one kernel: tiles of rows by expert, by columns, in waves over the
 * multiprocessors. Four things overlap but for a knee: whole tiles; their operands on the way into a multiprocessor; the
 * steps of the depth one after the other; and the weights of all experts that any token meets, once, out of memory. The
 * least over tiles is taken. Beside the products: a floor for the launches, routing of the tokens of the whole group,
 * rows between the products through memory, and some clocks an expert.
 *
 * Engines have several kernels for it (`backend`), which are told apart, and count rows in their own ways: by Triton and
 * Marlin vLLM has rows for all pairs of the group, whoever holds the expert, and SGLang computes all pairs of any token
 * that meets an expert of this GPU. Times by themselves are in clocks, rates shares of the device's.
 */
#include <math.h>

#include "clock.h"
#include "engine.h"
#include "experts_load.h"
#include "family.h"
#include "tiles.h"

enum coefficient {
    FLOOR,
    FLOOR_SGLANG,
    FLOOR_TRTLLM,
    FLOOR_FP8,
    FLOOR_BLOCKS,
    FLOOR_FOUR,
    LAUNCH_US,
    SGLANG,
    TRTLLM,
    EFFICIENCY,
    NARROW,
    WIDENED,
    SMALL,
    QUANTUM,
    STEP,
    LOAD,
    MEMORY,
    CACHED,
    KNEE,
    POWER,
    BETWEEN,
    BETWEEN_SGLANG,
    BETWEEN_TRTLLM,
    TOKENS,
    ROUTE,
    ROUTE_SGLANG,
    ROUTE_TRTLLM,
    EXPERT,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR] = {"floor", 20000, 1000, 400000, 0.3, "of all launches together, clocks", false},
    [FLOOR_SGLANG] = {"floor_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [FLOOR_TRTLLM] = {"floor_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
    [FLOOR_FP8] = {"floor_fp8", 1.2, 0.2, 5, 0.1, "the floor in 8 bits over that in 16", false},
    [FLOOR_BLOCKS] = {"floor_blocks", 1.2, 0.2, 5, 0.1, "the same in 8 bits with scales of blocks", false},
    [FLOOR_FOUR] = {"floor_four", 1.2, 0.2, 5, 0.1, "the same with weights of 4 bits", false},
    [LAUNCH_US] = {"launch_us", 40, 40, 40, 0, "what launching a lone call adds, us", false},
    [SGLANG] = {"sglang", 1, 0.3, 3, 0.1, "time of products by sglang's kernels over those of vLLM", false},
    [TRTLLM] = {"trtllm", 1, 0.3, 3, 0.1, "the same of TensorRT-LLM's", false},
    [EFFICIENCY] = {"efficiency", 0.6, 0.1, 1.2, 0.1, "of the peak, in the inner loop of the largest tile", false},
    [NARROW] = {"narrow", 0.8, 0.2, 1.5, 0.1, "the same in 8 and 4 bits, over that", false},
    [WIDENED] = {"widened", 0.8, 0.2, 1.5, 0.1, "the same with narrow weights alone, over that", false},
    [SMALL] = {"small", 0.3, 0, 1, 0.2, "power of a tile's size that its efficiency goes with", false},
    [QUANTUM] = {"quantum", 0.3, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [STEP] = {"step", 3, 0.3, 20, 0.3, "clocks of two bytes of the depth, one step after the other", false},
    [LOAD] = {"load", 64, 8, 400, 0.3, "bytes of operands a clock into a multiprocessor", false},
    [MEMORY] = {"memory", 0.75, 0.2, 1.2, 0.1, "of memory bandwidth, weights and rows", false},
    [CACHED] = {"cached", 1.5, 1, 8, 0.3, "rate of what lies in L2, over that of memory", false},
    [KNEE] = {"knee", 2.5, 1.2, 8, 0.1, "power with which the four overlap", false},
    [POWER] = {"power", 0.1, 0, 1, 0.2, "loss of long products, each decade, by peak over twice the board's power",
               false},
    [BETWEEN] = {"between", 1, 0.05, 20, 0.3, "passes of rows between and behind the products through memory", false},
    [BETWEEN_SGLANG] = {"between_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [BETWEEN_TRTLLM] = {"between_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
    [TOKENS] = {"tokens", 1, 0.02, 40, 0.3, "passes over all tokens of the group", false},
    [ROUTE] = {"route", 0.3, 0.003, 60, 0.3, "clocks of routing a token to an expert, one multiprocessor", false},
    [ROUTE_SGLANG] = {"route_sglang", 1, 0.05, 20, 0.3, "the same of sglang's kernels, over that", false},
    [ROUTE_TRTLLM] = {"route_trtllm", 1, 0.05, 20, 0.3, "the same of TensorRT-LLM's", false},
    [EXPERT] = {"expert", 5, 0.01, 3000, 0.3, "clocks of an expert that any token meets", false},
};

static const double tile_rows[] = {16, 32, 64, 128}, tile_columns[] = {64, 128, 256};
enum {
    ROWS = sizeof tile_rows / sizeof *tile_rows,
    COLUMNS = sizeof tile_columns / sizeof *tile_columns,
    LARGEST_TILE = 32768,
    DEPTH = 64, /* steps that starting and ending a tile are worth */
    HALF_BYTES = 2
};

/* ---- which kernels ---- */

static bool has_narrow_weights(enum format format)
{
    return format == FORMAT_W4A16_INT4 || format == FORMAT_W8A16_INT8 || format == FORMAT_W4A16_FP4;
}

/* What engines launched on Blackwell's large boards. */
static enum backend usual_on_large_boards(const struct kernel *kernel)
{
    if (kernel->library == LIBRARY_TRTLLM)
        return kernel->format == FORMAT_W8A8_BLOCK ? BACKEND_DEEPGEMM
               : kernel->format == FORMAT_W4A8_FP4 ? BACKEND_FUSED
                                                   : BACKEND_CUTLASS;
    if (kernel->library == LIBRARY_VLLM && kernel->format == FORMAT_W4A16_INT4)
        return BACKEND_MARLIN;
    const bool few = kernel->experts.topk <= 4; /* models whose tokens meet few experts, in 16 bits */
    return kernel->library == LIBRARY_SGLANG && kernel->format == FORMAT_PLAIN && few ? BACKEND_TRITON : BACKEND_FUSED;
}

static enum backend usual_elsewhere(const struct kernel *kernel)
{
    if (kernel->library == LIBRARY_TRTLLM || kernel->format == FORMAT_W4A4_FP4)
        return BACKEND_CUTLASS;
    if (kernel->format == FORMAT_W4A16_INT4 || kernel->format == FORMAT_W8A16_INT8)
        return BACKEND_MARLIN;
    const bool eight = kernel->format == FORMAT_W8A8_FP8 || kernel->format == FORMAT_W8A8_BLOCK;
    return kernel->library == LIBRARY_VLLM && eight ? BACKEND_CUTLASS : BACKEND_TRITON;
}

static enum backend backend_of(const struct kernel *kernel, const struct hardware *hardware)
{
    if (kernel->backend != BACKEND_UNTOLD)
        return kernel->backend;
    return has_pairs(hardware) ? usual_on_large_boards(kernel) : usual_elsewhere(kernel);
}

/* ---- the layer ---- */

struct layer {
    struct expert_load load;
    double rows_each, rows, rows_between; /* that products have for a pair; all; that go through memory between them */
    double down[ROWS];                    /* tiles below each other over all experts, by their rows */
    double hidden, inner, columns_up;     /* sizes of an expert's matrices here, up with the gate */
    double weight_bytes, row_bytes;       /* an element, as multiplied */
    const struct hardware *hardware;
    double sms, clocks_us, flop_per_us, bytes_per_us;
    double efficiency, factor; /* of the format and the library */
    const double *c;
};

/* Rows that an engine has in its products, and through memory, beside those of pairs on this GPU. */
static void count_rows(struct layer *layer, const struct kernel *kernel, enum backend backend)
{
    const struct expert_load *load = &layer->load;
    const bool whole = backend == BACKEND_TRITON || backend == BACKEND_MARLIN;
    const bool tokens = whole && kernel->library == LIBRARY_SGLANG;
    layer->rows_each = tokens ? fmin(load->tokens, load->pairs) * load->topk / load->pairs : 1;
    layer->rows = load->pairs * layer->rows_each;
    layer->rows_between = whole && !tokens ? load->tokens * load->topk : layer->rows;
    for (int i = 0; i < ROWS; i++)
        layer->down[i] = expert_row_tiles(load, layer->rows_each, tile_rows[i]);
}

static struct layer layer_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double converted = format_converted_bytes(kernel->format);
    struct layer layer = {
        .load = expert_load_of(kernel),
        .hidden = (double)kernel->experts.hidden,
        .inner = fmax(1, (double)kernel->experts.intermediate / (double)kernel->experts.tensor_parallel),
        .weight_bytes = kernel_weight_bytes(kernel),
        .row_bytes = converted > 0 ? converted : kernel_element_bytes(kernel),
        .sms = hardware->figure[HW_SMS],
        .clocks_us = clocks_in_us(hardware),
        .flop_per_us = product_peak(kernel, hardware->figure) / 1e6,
        .bytes_per_us = hardware->figure[HW_MEMORY_RATE] / 1e6,
        .hardware = hardware,
        .factor = of_library(kernel->library, c[SGLANG], c[TRTLLM]),
        .c = c,
    };
    layer.columns_up = (double)(kernel->experts.matrices - 1) * layer.inner;
    layer.efficiency = c[EFFICIENCY] * (layer.row_bytes < HALF_BYTES         ? c[NARROW]
                                        : has_narrow_weights(kernel->format) ? c[WIDENED]
                                                                             : 1);
    count_rows(&layer, kernel, backend_of(kernel, hardware));
    return layer;
}

/* ---- a product of all experts ---- */

/* C[rows x n] = A[rows x k] times the matrix of each row's expert. */
struct grouped {
    double n, k;
    double memory_us, slowdown, hit_l2;
    int tile_rows, tile_columns; /* of the best tile */
    double waves, arithmetic_us, load_us, loop_us, us;
};

static void set_memory(struct grouped *g, const struct layer *layer)
{
    const double weights = layer->load.hit * g->n * g->k * layer->weight_bytes;
    g->hit_l2 = share_in_l2(layer->hardware, 1.5 * weights + layer->rows * (g->n + g->k) * HALF_BYTES);
    g->memory_us = (weights + layer->rows * g->k * layer->row_bytes) * (1 - g->hit_l2 + g->hit_l2 / layer->c[CACHED]) /
                   (layer->c[MEMORY] * layer->bytes_per_us);
}

static void set_tile(struct grouped *g, const struct layer *layer, int row, int column, double enough_us)
{
    const double *c = layer->c, high = tile_rows[row], wide = tile_columns[column];
    g->tile_rows = row;
    g->tile_columns = column;
    g->waves = layer->down[row] * ceil(g->n / wide) / layer->sms;
    const double turns = wave_turns(g->waves, 0, c[QUANTUM]);
    const double efficiency = layer->efficiency * quick_power(high * wide / LARGEST_TILE, c[SMALL]);
    const double filled = fmin(high, layer->rows / layer->load.hit);
    g->arithmetic_us =
        turns * 2 * high * wide * (g->k + DEPTH) * layer->sms / (layer->flop_per_us * efficiency) * g->slowdown;
    g->load_us = turns * (filled * layer->row_bytes + fmin(wide, g->n) * layer->weight_bytes) * g->k /
                 (c[LOAD] * layer->clocks_us);
    g->loop_us = turns * g->k * c[STEP] * layer->row_bytes / 2 / layer->clocks_us;
    g->us = overlap_of_four((double[]){g->arithmetic_us, g->load_us, g->loop_us, g->memory_us}, c[KNEE], enough_us);
}

static struct grouped best_grouped(const struct layer *layer, double n, double k)
{
    struct grouped best = {.us = INFINITY}, trial = {.n = n, .k = k};
    set_memory(&trial, layer);
    trial.slowdown = lack_of_power(layer->hardware, 2 * layer->rows * n * k / layer->flop_per_us, layer->flop_per_us,
                                   layer->c[POWER]);
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            set_tile(&trial, layer, row, column, best.us);
            if (trial.us < best.us)
                best = trial;
        }
    }
    return best;
}

/* ---- beside the products ---- */

static double floor_us(const struct layer *layer, const struct kernel *kernel)
{
    const double *c = layer->c;
    const bool eight = kernel->format == FORMAT_W8A8_FP8 || kernel->format == FORMAT_W4A8_FP4;
    const double format = eight                                 ? c[FLOOR_FP8]
                          : kernel->format == FORMAT_W8A8_BLOCK ? c[FLOOR_BLOCKS]
                          : layer->weight_bytes < 1             ? c[FLOOR_FOUR]
                                                                : 1;
    return c[FLOOR] * format * of_library(kernel->library, c[FLOOR_SGLANG], c[FLOOR_TRTLLM]) / layer->clocks_us +
           (kernel->alone ? c[LAUNCH_US] : 0);
}

static double between_us(const struct layer *layer, const struct kernel *kernel)
{
    const double *c = layer->c;
    const double bytes = layer->rows_between * HALF_BYTES * 2 * (layer->columns_up + layer->inner + layer->hidden);
    return bytes / layer->bytes_per_us * c[BETWEEN] * of_library(kernel->library, c[BETWEEN_SGLANG], c[BETWEEN_TRTLLM]);
}

static double tokens_us(const struct layer *layer)
{
    const double bytes = 2 * HALF_BYTES + (layer->row_bytes < HALF_BYTES ? HALF_BYTES + 1 : 0);
    return layer->load.tokens * layer->hidden * bytes / layer->bytes_per_us * layer->c[TOKENS];
}

/* A token is held against all experts, and its place among those of each that it meets is found. */
static double route_us(const struct layer *layer, const struct kernel *kernel)
{
    const struct expert_load *load = &layer->load;
    const double each = of_library(kernel->library, layer->c[ROUTE_SGLANG], layer->c[ROUTE_TRTLLM]) * layer->c[ROUTE];
    return load->tokens * (load->experts + 20 * load->topk) / layer->sms * each / layer->clocks_us +
           load->hit * layer->c[EXPERT] / layer->clocks_us;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct layer layer = layer_of(kernel, hardware, c);
    const double products =
        best_grouped(&layer, layer.columns_up, layer.hidden).us + best_grouped(&layer, layer.hidden, layer.inner).us;
    return floor_us(&layer, kernel) + between_us(&layer, kernel) + tokens_us(&layer) + route_us(&layer, kernel) +
           products * layer.factor;
}

/* ---- features ---- */

enum feature {
    SGLANGS,
    TRTLLMS,
    LN_OVER_FLOOR,
    LN_ARITHMETIC,
    LN_LOOP,
    LN_BETWEEN,
    LN_ROUTE,
    LN_WAVES,
    FILL,
    TILE,
    IN_L2,
    ROW_BYTES,
    WEIGHT_BYTES,
    LN_TOKENS,
    LN_TOPK,
    LN_EXPERTS,
    LN_HELD,
    LN_HIDDEN,
    LN_INNER,
    LN_HIT,
    LN_ROWS,
    LN_RANKS,
    SKEW,
    GATED,
    FEATURES,
};

static const char *const feature_names[FEATURES] = {
    "by sglang",
    "by TensorRT-LLM",
    "ln(us / floor)",
    "ln(arithmetic / memory)",
    "ln(steps of the depth / memory)",
    "ln(rows between / products)",
    "ln(routing / products)",
    "ln(waves)",
    "fill of waves",
    "tile",
    "share in L2",
    "bytes of a row's element",
    "bytes of a weight",
    "ln(tokens)",
    "ln(experts a token meets)",
    "ln(experts)",
    "ln(experts held)",
    "ln(hidden)",
    "ln(width of an expert here)",
    "ln(experts hit / held)",
    "ln(rows an expert hit)",
    "ln(ranks)",
    "skew",
    "with a gate",
};

static void describe_products(const struct layer *layer, const struct kernel *kernel, double *to)
{
    const struct grouped up = best_grouped(layer, layer->columns_up, layer->hidden),
                         down = best_grouped(layer, layer->hidden, layer->inner);
    const double products = (up.us + down.us) * layer->factor, beside = between_us(layer, kernel),
                 route = route_us(layer, kernel), floor = floor_us(layer, kernel);
    to[LN_OVER_FLOOR] = log((floor + beside + tokens_us(layer) + route + products) / floor);
    to[LN_ARITHMETIC] = log(up.arithmetic_us / up.memory_us);
    to[LN_LOOP] = log(up.loop_us / up.memory_us);
    to[LN_BETWEEN] = log(beside / products);
    to[LN_ROUTE] = log(route / products);
    to[LN_WAVES] = log(up.waves);
    to[FILL] = up.waves / ceil(up.waves);
    to[TILE] = up.tile_rows * COLUMNS + up.tile_columns;
    to[IN_L2] = up.hit_l2;
}

/* Most was learned of kernels in a queue, so every kernel is described as one. */
static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    struct kernel queued = *kernel;
    queued.alone = false;
    const struct layer layer = layer_of(&queued, hardware, c);
    describe_products(&layer, &queued, to);
    to[SGLANGS] = kernel->library == LIBRARY_SGLANG;
    to[TRTLLMS] = kernel->library == LIBRARY_TRTLLM;
    to[ROW_BYTES] = layer.row_bytes;
    to[WEIGHT_BYTES] = layer.weight_bytes;
    to[LN_TOKENS] = log(layer.load.tokens);
    to[LN_TOPK] = log(layer.load.topk);
    to[LN_EXPERTS] = log(layer.load.experts);
    to[LN_HELD] = log(layer.load.held);
    to[LN_HIDDEN] = log(layer.hidden);
    to[LN_INNER] = log(layer.inner);
    to[LN_HIT] = log(layer.load.hit / layer.load.held);
    to[LN_ROWS] = log(layer.rows / layer.load.hit);
    to[LN_RANKS] = log(layer.load.ranks);
    to[SKEW] = (double)kernel->experts.skew / 1000;
    to[GATED] = (double)kernel->experts.matrices;
}

/* ---- the family ---- */

static bool takes(const struct kernel *kernel)
{
    return !kernel->backward;
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    return backend_word(backend_of(kernel, hardware)).at;
}

/* Where nobody says which kernels ran, it may have been others: with B200 left out nine of ten lay within 1.6 times. */
static double doubt(const struct kernel *kernel)
{
    return kernel->backend == BACKEND_UNTOLD ? 1.6 : 1;
}

static uint32_t libraries(const struct kernel *kernel)
{
    (void)kernel;
    return 1u << LIBRARY_SGLANG | 1u << LIBRARY_TRTLLM | 1u << LIBRARY_VLLM;
}

static uint32_t also_needs(const struct kernel *kernel, const struct hardware *hardware)
{
    enum precision precision;
    (void)hardware;
    return format_precision(kernel->format, &precision) ? 1u << (HW_FP32 + (int)precision) : 0;
}

/* The root mean square of ln(one version / another) of three engines on three GPUs. */
static double versions(const struct kernel *kernel)
{
    (void)kernel;
    return 0.4;
}

const struct family family_experts = {
    .name = "experts",
    .forms = 1u << FORM_EXPERTS,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE,
    .about =
        "A layer of experts on one GPU: grouped products up and down by tiles of each expert's rows, weights once for "
        "each expert that is met, routing, rows between through memory; by the kernels that engines launch.",
    .also_needs = also_needs,
    .takes = takes,
    .group = group,
    .libraries = libraries,
    .versions = versions,
    .doubt = doubt,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .describe = describe,
    .features = feature_names,
    .feature_count = FEATURES,
    .generations = true,
    .near_all = true,
    .most_residual = 1.5,
    .rate = .15,
    .trees = 80,
    .leaves = 24,
    .least_rows = 8,
    .learn_rows = 200,
};
