/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions, as cuDNN does them; the kernels' names of the public table tell
 * which way was taken, and their times tell the tiles:
 *
 *     implicit   the window as the reduction of a product of matrices, positions x channels out, in tiles
 *     fused      Winograd F(2x2, 3x3) in one kernel: 32 channels out x 32 windows of 2x2 positions a block; the windows
 *                of a block cover 1 image x 4 x 8, or 4 images x 4 x 2, and so on
 *     staged     Winograd F(4x4, 3x3) in steps: inputs and filters are transformed, 36 products of matrices, the outputs
 *                transformed back; the batch is filled up to 16 images
 *
 * Winograd (Lavin and Gray, arXiv:1509.09308) saves 2.25 and 4 of the
 * multiplications; it does for windows of 3x3 and stride 1 in single precision.
 * Each way takes whole tiles by waves over the multiprocessors, and what goes
 * through memory. The library takes the way that it believes is least.
 */
#include <math.h>

#include "engine.h"
#include "family.h"
#include "tiles.h"

enum coefficient {
    OFFSET_US,
    IMPLICIT_EFFICIENCY,
    IMPLICIT_DEPTH,
    IMPLICIT_QUANTUM,
    IMPLICIT_MEMORY,
    IMPLICIT_128X128,
    IMPLICIT_128X32,
    FUSED_EFFICIENCY,
    FUSED_DEPTH,
    FUSED_QUANTUM,
    FUSED_FILTER,
    STAGED_EFFICIENCY,
    STAGED_DEPTH,
    STAGED_QUANTUM,
    STAGED_TRANSFORM,
    STAGED_FILTER,
    STAGED_128X64,
    STAGED_64X64,
    STAGED_32X128,
    PREFER_FUSED,
    PREFER_STAGED,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [OFFSET_US] = {"offset_us", 60, 1, 800, 0.4, "what a lone call takes besides its work, us", false},
    [IMPLICIT_EFFICIENCY] = {"implicit_efficiency", 0.75, 0.1, 1.3, 0.2, "implicit: of the peak, in the inner loop",
                             false},
    [IMPLICIT_DEPTH] = {"implicit_depth", 40, 0.5, 1000, 0.3, "steps of the window that starting a tile is worth",
                        false},
    [IMPLICIT_QUANTUM] = {"implicit_quantum", 0.5, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [IMPLICIT_MEMORY] = {"implicit_memory", 0.5, 0, 2, 0.2, "of inputs, filters and outputs, over peak bandwidth",
                         false},
    [IMPLICIT_128X128] = {"implicit_128x128", -0.05, -0.5, 2, 0.1, "penalty of the tile over 128x64", false},
    [IMPLICIT_128X32] = {"implicit_128x32", 0.2, -0.5, 2, 0.1, "the same", false},
    [FUSED_EFFICIENCY] = {"fused_efficiency", 0.7, 0.1, 1.3, 0.2, "fused: of the peak, in the inner loop", false},
    [FUSED_DEPTH] = {"fused_depth", 12, 0.5, 400, 0.3, "channels that starting a block is worth", false},
    [FUSED_QUANTUM] = {"fused_quantum", 0.7, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [FUSED_FILTER] = {"fused_filter", 2, 0.1, 20, 0.3, "transforming the filters, over peak bandwidth", false},
    [STAGED_EFFICIENCY] = {"staged_efficiency", 0.85, 0.1, 1.3, 0.2, "staged: of the peak, in the inner loop", false},
    [STAGED_DEPTH] = {"staged_depth", 10, 0.5, 400, 0.3, "channels that starting a tile is worth", false},
    [STAGED_QUANTUM] = {"staged_quantum", 0.7, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [STAGED_TRANSFORM] = {"staged_transform", 1.5, 0.2, 10, 0.3, "transforming inputs and outputs, over peak bandwidth",
                          false},
    [STAGED_FILTER] = {"staged_filter", 1.5, 0.2, 20, 0.3, "transforming the filters, over peak bandwidth", false},
    [STAGED_128X64] = {"staged_128x64", 0.1, -0.5, 2, 0.1, "penalty of the tile over 128x128", false},
    [STAGED_64X64] = {"staged_64x64", 0.1, -0.5, 2, 0.1, "the same", false},
    [STAGED_32X128] = {"staged_32x128", 0.1, -0.5, 2, 0.1, "the same", false},
    [PREFER_FUSED] = {"prefer_fused", 0, -1.5, 1.5, 0.1, "how much longer fused is thought to take than it does",
                      false},
    [PREFER_STAGED] = {"prefer_staged", 0, -1.5, 1.5, 0.1, "the same of staged", false},
};

struct layer_tile {
    double positions, channels;
};
static const struct layer_tile implicit_tiles[] = {{128, 64}, {128, 128}, {128, 32}};
static const struct layer_tile staged_tiles[] = {{128, 128}, {128, 64}, {64, 64}, {32, 128}};
enum {
    IMPLICIT_TILES = sizeof implicit_tiles / sizeof *implicit_tiles,
    STAGED_TILES = sizeof staged_tiles / sizeof *staged_tiles,
    STAGED_PRODUCTS = 36,
    STAGED_IMAGES = 16,
    FUSED_PRODUCTS = 16,
    FUSED_SIDE = 32, /* channels, and windows of 2x2 positions, of a block */
};

/* The windows of 2x2 that a fused block covers: images x rows x columns. */
static const double fused_blocks[][3] = {{1, 4, 8}, {4, 4, 2}, {2, 4, 4}, {2, 2, 8}, {4, 2, 4}, {4, 1, 8}};
enum { FUSED_BLOCKS = sizeof fused_blocks / sizeof *fused_blocks };

enum way { IMPLICIT, FUSED, STAGED, WAYS };

/* A layer on a device. Channels are those of one group. */
struct layer {
    double batch, in, out, groups, window, inputs, height, width; /* height and width of the output */
    double element_bytes, sms, flop_per_us, bytes_per_us;
    double slowdown; /* of the implicit way */
    bool winograd;   /* may be */
    const double *c;
};

/* A way on a layer: how long, and what decides it. */
struct path {
    double us;   /* INFINITY: not possible */
    double fill; /* of the waves */
    int tile;
};

static bool is_half(const struct kernel *kernel)
{
    return kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16;
}

static double peak_of(const struct kernel *kernel, const double *figure)
{
    return is_half(kernel) || kernel->format == FORMAT_TF32 ? product_peak(kernel, figure) : figure[HW_FP32];
}

/* A window of one position deep: not of volumes. */
static bool is_flat(const struct axis *axes)
{
    return axes[0].size == 1 && axes[0].window == 1;
}

/* Windows of 3x3 at stride 1, without groups. */
static bool is_three_by_three(const struct kernel *kernel)
{
    const struct axis *high = &kernel->convolution.axes[1], *wide = &kernel->convolution.axes[2];
    return is_flat(kernel->convolution.axes) && high->window == 3 && wide->window == 3 && high->stride == 1 &&
           wide->stride == 1 && kernel->convolution.groups == 1;
}

static bool is_dilated(const struct kernel *kernel)
{
    return kernel->convolution.axes[1].dilation > 1 || kernel->convolution.axes[2].dilation > 1;
}

/* Positions out along one side; at least 1, so that a window larger than its input is a small layer, not none. */
static double side(const struct axis *axis)
{
    return fmax(1, (double)axis_positions(axis));
}

/* Matrix units take channels by 16 bytes: images of three colours are filled up. */
static double filled_up(const struct kernel *kernel, double channels)
{
    const double whole = is_half(kernel) ? 8 : kernel->format == FORMAT_TF32 ? 4 : 1;
    return fmax(1, kernel->convolution.groups > 1 ? channels : ceil(channels / whole) * whole);
}

/*
 * Windows of one position have kernels of their own, slower than those of 3x3 that the table has: a recorded ResNet-50 on V100
 * (batch 32, its 1x1 convolutions forward and backward) takes 1.27 and 1.34 times what these say.
 */
static const double pointwise = 1.3;

static bool is_pointwise(const struct kernel *kernel)
{
    return axes_window(kernel->convolution.axes) == 1 && kernel->convolution.groups == 1;
}

static struct layer layer_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct axis *axes = kernel->convolution.axes;
    const double groups = (double)kernel->convolution.groups;
    struct layer layer = {
        .batch = (double)kernel->convolution.batch,
        .in = filled_up(kernel, (double)kernel->convolution.in / groups),
        .out = fmax(1, (double)kernel->convolution.out / groups),
        .groups = groups,
        .window = axes_window(axes),
        .inputs = axes_size(axes),
        .height = side(&axes[0]) * side(&axes[1]),
        .width = side(&axes[2]),
        .element_bytes = is_half(kernel) ? 2 : 4,
        .sms = hardware->figure[HW_SMS],
        .flop_per_us = peak_of(kernel, hardware->figure) / 1e6,
        .bytes_per_us = hardware->figure[HW_MEMORY_RATE] / 1e6,
        .c = c,
    };
    layer.slowdown = is_pointwise(kernel) && layer.element_bytes == 4 && kernel->format == FORMAT_PLAIN ? pointwise : 1;
    layer.winograd = is_three_by_three(kernel) && layer.element_bytes == 4 && kernel->format == FORMAT_PLAIN;
    return layer;
}

/* ---- the ways ---- */

static struct path implicit_tile(const struct layer *layer, int tile)
{
    const double *c = layer->c;
    const struct layer_tile *t = &implicit_tiles[tile];
    const double penalty = tile ? exp(c[IMPLICIT_128X128 + tile - 1]) : 1;
    const double positions = layer->batch * layer->height * layer->width, depth = layer->in * layer->window;
    const double waves = layer->groups * ceil(positions / t->positions) * ceil(layer->out / t->channels) / layer->sms;
    const double step_us = 2 * t->positions * t->channels * layer->sms / layer->flop_per_us / c[IMPLICIT_EFFICIENCY];
    const double elements =
        layer->batch * layer->groups * layer->in * layer->inputs + layer->groups * layer->out * (positions + depth);
    return (struct path){
        .us = wave_turns(waves, 0, c[IMPLICIT_QUANTUM]) * step_us * penalty * layer->slowdown *
                  (depth + c[IMPLICIT_DEPTH]) +
              c[IMPLICIT_MEMORY] * elements * layer->element_bytes / layer->bytes_per_us,
        .fill = waves / ceil(waves),
        .tile = tile,
    };
}

static struct path implicit(const struct layer *layer)
{
    struct path best = implicit_tile(layer, 0);
    for (int tile = 1; tile < IMPLICIT_TILES; tile++) {
        const struct path path = implicit_tile(layer, tile);
        if (path.us < best.us)
            best = path;
    }
    return best;
}

/* Blocks that cover the positions, whichever shape of block takes fewest. */
static double fewest_blocks(const struct layer *layer, int *shape)
{
    double fewest = INFINITY;
    for (int i = 0; i < FUSED_BLOCKS; i++) {
        const double blocks = ceil(layer->batch / fused_blocks[i][0]) * ceil(layer->height / 2 / fused_blocks[i][1]) *
                              ceil(layer->width / 2 / fused_blocks[i][2]);
        if (blocks >= fewest)
            continue;
        fewest = blocks;
        *shape = i;
    }
    return fewest;
}

static struct path fused(const struct layer *layer)
{
    const double *c = layer->c;
    struct path path = {.us = INFINITY};
    if (!layer->winograd)
        return path;
    const double waves = fewest_blocks(layer, &path.tile) * ceil(layer->out / FUSED_SIDE) / layer->sms;
    const double step_us =
        2.0 * FUSED_PRODUCTS * FUSED_SIDE * FUSED_SIDE * layer->sms / layer->flop_per_us / c[FUSED_EFFICIENCY];
    const double filter_bytes = (layer->window + FUSED_PRODUCTS) * layer->in * layer->out * layer->element_bytes;
    path.us = wave_turns(waves, 0, c[FUSED_QUANTUM]) * step_us * (ceil(layer->in / 8) * 8 + c[FUSED_DEPTH]) +
              c[FUSED_FILTER] * filter_bytes / layer->bytes_per_us;
    path.fill = waves / ceil(waves);
    return path;
}

/* Windows of 4x4 positions, with the batch filled up. */
static double staged_windows(const struct layer *layer)
{
    return ceil(layer->batch / STAGED_IMAGES) * STAGED_IMAGES * ceil(layer->height / 4) * ceil(layer->width / 4);
}

static double staged_moving_us(const struct layer *layer)
{
    const double *c = layer->c;
    const double windows = staged_windows(layer) * STAGED_PRODUCTS;
    const double positions = layer->batch * layer->height * layer->width;
    const double elements = (layer->in + layer->out) * (windows + positions);
    const double filters = layer->in * layer->out * (layer->window + STAGED_PRODUCTS);
    return (c[STAGED_TRANSFORM] * elements + c[STAGED_FILTER] * filters) * layer->element_bytes / layer->bytes_per_us;
}

static struct path staged_tile(const struct layer *layer, int tile)
{
    const double *c = layer->c;
    const struct layer_tile *t = &staged_tiles[tile];
    const double penalty = tile ? exp(c[STAGED_128X64 + tile - 1]) : 1;
    const double waves =
        STAGED_PRODUCTS * ceil(staged_windows(layer) / t->positions) * ceil(layer->out / t->channels) / layer->sms;
    const double step_us = 2 * t->positions * t->channels * layer->sms / layer->flop_per_us / c[STAGED_EFFICIENCY];
    return (struct path){
        .us = wave_turns(waves, 0, c[STAGED_QUANTUM]) * step_us * penalty * (layer->in + c[STAGED_DEPTH]),
        .fill = waves / ceil(waves),
        .tile = tile,
    };
}

static struct path staged(const struct layer *layer)
{
    struct path best = {.us = INFINITY};
    for (int tile = 0; layer->winograd && tile < STAGED_TILES; tile++) {
        const struct path path = staged_tile(layer, tile);
        if (path.us < best.us)
            best = path;
    }
    best.us += staged_moving_us(layer);
    return best;
}

static enum way best_way(const struct layer *layer, struct path paths[WAYS])
{
    paths[IMPLICIT] = implicit(layer);
    paths[FUSED] = fused(layer);
    paths[STAGED] = staged(layer);
    const double thought[WAYS] = {
        paths[IMPLICIT].us,
        paths[FUSED].us * exp(layer->c[PREFER_FUSED]),
        paths[STAGED].us * exp(layer->c[PREFER_STAGED]),
    };
    const enum way winograd = thought[FUSED] < thought[STAGED] ? FUSED : STAGED;
    return thought[winograd] < thought[IMPLICIT] ? winograd : IMPLICIT;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    struct path paths[WAYS];
    const struct layer layer = layer_of(kernel, hardware, c);
    const enum way way = best_way(&layer, paths);
    return lone_offset_us(kernel, hardware, c[OFFSET_US]) + paths[way].us;
}

/* ---- features ---- */

enum feature {
    WAY,
    LN_IMPLICIT,
    LN_FUSED,
    LN_STAGED,
    FILL_IMPLICIT,
    FILL_FUSED,
    FILL_STAGED,
    TILE_IMPLICIT,
    TILE_FUSED,
    TILE_STAGED,
    LN_STAGED_128X128,
    LN_STAGED_64X64,
    LN_STAGED_32X128,
    LN_MOVING,
    LN_OVER_OFFSET,
    LN_BATCH,
    LN_IN,
    LN_OUT,
    LN_POSITIONS,
    BATCH_FILL,
    ALIGNED_IN,
    ALIGNED_OUT,
    FEATURES,
};

static const char *const feature_names[FEATURES] = {
    "way",
    "ln(implicit / taken)",
    "ln(fused / taken)",
    "ln(staged / taken)",
    "fill of waves, implicit",
    "fill of waves, fused",
    "fill of waves, staged",
    "tile, implicit",
    "block, fused",
    "tile, staged",
    "ln(staged 128x128 / taken)",
    "ln(staged 64x64 / taken)",
    "ln(staged 32x128 / taken)",
    "ln(staged transforms / taken)",
    "ln(taken / offset)",
    "ln(batch)",
    "ln(channels in)",
    "ln(channels out)",
    "ln(positions)",
    "fill of the staged batch",
    "alignment of channels in",
    "alignment of channels out",
};

/* The ratio of times as a logarithm; a way that is not possible is far away. */
static double ln_ratio(double us, double taken_us)
{
    static const double far = 5;
    return fmin(far, fmax(-far, log(us / taken_us)));
}

static void describe_ways(const struct layer *layer, const struct path paths[WAYS], double taken_us, double *to)
{
    for (int way = 0; way < WAYS; way++) {
        to[LN_IMPLICIT + way] = ln_ratio(paths[way].us, taken_us);
        to[FILL_IMPLICIT + way] = isfinite(paths[way].us) ? paths[way].fill : 1;
        to[TILE_IMPLICIT + way] = paths[way].tile;
    }
    to[LN_STAGED_128X128] = ln_ratio(staged_tile(layer, 0).us, taken_us);
    to[LN_STAGED_64X64] = ln_ratio(staged_tile(layer, 2).us, taken_us);
    to[LN_STAGED_32X128] = ln_ratio(staged_tile(layer, 3).us, taken_us);
    to[LN_MOVING] = ln_ratio(staged_moving_us(layer), taken_us);
}

static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    struct path paths[WAYS];
    const struct layer layer = layer_of(kernel, hardware, c);
    const enum way way = best_way(&layer, paths);
    describe_ways(&layer, paths, paths[way].us, to);
    to[WAY] = way;
    to[LN_OVER_OFFSET] = log(paths[way].us / c[OFFSET_US]);
    to[LN_BATCH] = log(layer.batch);
    to[LN_IN] = log(layer.in);
    to[LN_OUT] = log(layer.out);
    to[LN_POSITIONS] = log(layer.height * layer.width);
    to[BATCH_FILL] = layer.batch / (ceil(layer.batch / STAGED_IMAGES) * STAGED_IMAGES);
    to[ALIGNED_IN] = alignment((int64_t)layer.in, 4, 8, 32);
    to[ALIGNED_OUT] = alignment((int64_t)layer.out, 4, 8, 32);
}

/* Which tiles a library has differs between generations and cannot be found by small steps. */
static double start(uint32_t way, uint32_t parameter)
{
    static const double penalties[][3] = {{1.2, 1.2, 1.2}, {-0.1, 1.2, 1.2}, {1.2, -0.1, -0.1}};
    if (parameter < STAGED_128X64 || parameter > STAGED_32X128)
        return parameters[parameter].start;
    return penalties[way - 1][parameter - STAGED_128X64];
}

/* What was measured: windows of 3x3, stride 1, single precision. What is left over there says nothing of others. */
static bool like_measured(const struct kernel *kernel)
{
    const bool matrix_units = is_half(kernel) || kernel->format == FORMAT_TF32;
    return is_three_by_three(kernel) && !is_dilated(kernel) && !matrix_units && !kernel->backward;
}

/* Other windows, the gradient, and products on matrix units go by the same tiles, which nobody has measured. */
static double unlike(const struct kernel *kernel, double us)
{
    (void)us;
    const bool matrix_units = is_half(kernel) || kernel->format == FORMAT_TF32;
    return matrix_units ? 0.4 : like_measured(kernel) ? 0 : 0.15;
}

const struct family family_convolution = {
    .name = "convolution",
    .forms = 1u << FORM_CONVOLUTION,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE,
    .about =
        "An implicit product of matrices, Winograd 2x2 in one kernel or Winograd 4x4 in steps: tiles by waves, and "
        "transforms through memory; whichever the library believes is least. Errors are without the drift of the table.",
    .drifts = true,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .start = start,
    .start_count = 3,
    .describe = describe,
    .like_measured = like_measured,
    .unlike = unlike,
    .features = feature_names,
    .feature_count = FEATURES,
};
