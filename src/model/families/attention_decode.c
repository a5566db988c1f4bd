/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention of one query, or few, over a cache of keys and values. A block takes the
 * queries that share keys, and their keys are cut into parts where blocks are fewer
 * than the device holds (FlashDecoding). Four things overlap but for a knee: the cache
 * coming out of memory or L2; the same into each multiprocessor; the keys one after the
 * other; products of rows filled up to 64. Blocks, adding parts up, a sequence's tables
 * and the floor come on top.
 */
#include <math.h>

#include "attention.h"
#include "engine.h"
#include "family.h"
#include "tiles.h"

enum coefficient {
    FLOOR,
    FLOOR_SGLANG,
    FLOOR_TRTLLM,
    SGLANG,
    TRTLLM,
    LAUNCH_US,
    MEMORY,
    CACHED,
    LOAD,
    KEY,
    EFFICIENCY,
    BLOCK,
    BLOCK_SGLANG,
    BLOCK_TRTLLM,
    SPLIT,
    SEQUENCE,
    OUTPUT,
    KNEE,
    NARROW,
    WIDE,
    WIDEST,
    WINDOW,
    UNSHARED,
    QUANTUM,
    NARROW_KEYS,
    FLOOR_NARROW_KEYS,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR] = {"floor_us", 8, 0.5, 60, 0.3, "the least that a kernel takes, us", false},
    [FLOOR_SGLANG] = {"floor_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [FLOOR_TRTLLM] = {"floor_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
    [SGLANG] = {"sglang", 1, 0.3, 4, 0.1, "time of reading by sglang's kernels over those of vLLM", false},
    [TRTLLM] = {"trtllm", 1, 0.3, 4, 0.1, "the same of TensorRT-LLM's", false},
    [LAUNCH_US] = {"launch_us", 24, 24, 24, 0, "what launching a lone call adds, us", false},
    [MEMORY] = {"memory", 0.85, 0.3, 1.2, 0.1, "of memory bandwidth, keys and values", false},
    [CACHED] = {"cached", 2, 1, 8, 0.2, "rate of what lies in L2, over that of memory", false},
    [LOAD] = {"load", 64, 8, 400, 0.3, "bytes of keys and values a clock into a multiprocessor", false},
    [KEY] = {"key", 4, 0.1, 100, 0.3, "clocks of a key, one after the other", false},
    [EFFICIENCY] = {"efficiency", 0.5, 0.05, 1.2, 0.2, "of the matrix units' peak, rows filled up", false},
    [BLOCK] = {"block", 2000, 10, 40000, 0.3, "clocks of starting and ending a block", false},
    [BLOCK_SGLANG] = {"block_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [BLOCK_TRTLLM] = {"block_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
    [SPLIT] = {"split", 4000, 100, 40000, 0.3, "of adding up the parts of cut keys, clocks", false},
    [SEQUENCE] = {"sequence", 3, 0.01, 400, 0.3, "clocks of a sequence of the batch", false},
    [OUTPUT] = {"output", 1, 0.01, 20, 0.3, "passes over queries and output that nothing hides", false},
    [KNEE] = {"knee", 2.5, 1.2, 8, 0.2, "power with which the four overlap", false},
    [NARROW] = {"narrow", 1, 0.3, 3, 0.1, "time of heads up to 64 wide over that of 128", false},
    [WIDE] = {"wide", 1, 0.3, 4, 0.1, "the same of heads above 128 wide", false},
    [WIDEST] = {"widest", 1.5, 0.3, 10, 0.2, "the same above 256 wide", false},
    [WINDOW] = {"window", 1, 0.3, 4, 0.1, "time of reading a window over that of all keys", false},
    [UNSHARED] = {"unshared", 16, 0.5, 200, 0.3,
                  "clocks of a key and head where TensorRT-LLM's kernels share no keys: above 32 heads a key head",
                  false},
    [NARROW_KEYS] = {"narrow_keys", 1.2, 0.5, 4, 0.1, "time of a byte of keys of 8 bits over that of 16", false},
    [FLOOR_NARROW_KEYS] = {"floor_narrow_keys", 1.1, 0.3, 4, 0.1, "the floor with keys of 8 bits over that of 16",
                           false},
    [QUANTUM] = {"quantum", 0.2, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
};

enum { ROWS = 64, LEAST_PART = 256, KEY_STEP = 64, SHARING_HEADS = 32 };

struct decode {
    struct attention on;
    double items, parts, waves, part_keys; /* blocks without cutting; parts of each; blocks a multiprocessor; keys */
    double hit, bytes, memory_us, load_us, loop_us, products_us, extra_us, floor_us;
    double knee, factor;
};

static double class_of(const struct attention *a, const double *c)
{
    const double width = a->width > 256 ? c[WIDEST] : a->width > 128 ? c[WIDE] : a->width <= 64 ? c[NARROW] : 1;
    return width * (a->key_bytes < 2 ? c[NARROW_KEYS] : 1) * (a->windowed ? c[WINDOW] : 1);
}

/* FlashAttention 2 cuts keys only where heads share them, and vLLM has it before Hopper. */
static bool may_cut(const struct kernel *kernel, const struct hardware *hardware, const struct attention *a)
{
    return kernel->library != LIBRARY_VLLM || hardware->figure[HW_FP8] > 0 || a->group > 1;
}

static void cut(struct decode *d, bool may, const double *c)
{
    const struct attention *a = &d->on;
    const double keys = fmax(a->met, KEY_STEP);
    d->items = a->batch * a->key_heads * ceil(a->group * a->queries / ROWS);
    d->parts = !may ? 1 : fmax(1, fmin(2 * a->sms / d->items, ceil(keys / LEAST_PART)));
    d->part_keys = keys / d->parts;
    d->waves = wave_turns(d->items * d->parts / a->sms, 0, c[QUANTUM]);
}

static void set_times(struct decode *d, const struct hardware *hardware, const double *c)
{
    const struct attention *a = &d->on;
    const double key_bytes = a->cached * a->key_bytes;
    d->bytes = a->batch * a->key_heads * a->met * key_bytes;
    d->hit = share_in_l2(hardware, d->bytes);
    d->memory_us = d->bytes * (1 - d->hit + d->hit / c[CACHED]) / (c[MEMORY] * a->bytes_per_us) * d->factor;
    d->load_us = d->waves * d->part_keys * key_bytes / (c[LOAD] * a->clocks_us);
    d->loop_us = d->waves * d->part_keys * c[KEY] / a->clocks_us * d->factor;
    d->products_us =
        d->waves * d->part_keys * 2 * ROWS * (a->width + a->value_width) / (a->flop_per_us * c[EFFICIENCY]);
}

/* What nothing hides. */
static void set_extra(struct decode *d, const struct kernel *kernel, const double *c)
{
    const struct attention *a = &d->on;
    const double wide = a->width + a->value_width;
    const bool unshared = kernel->library == LIBRARY_TRTLLM && a->group > SHARING_HEADS && !kernel->attention.latent;
    const double block = c[BLOCK] * of_library(kernel->library, c[BLOCK_SGLANG], c[BLOCK_TRTLLM]);
    const double clocks = d->waves * block + (d->parts > 1.001 ? c[SPLIT] : 0) + a->batch * c[SEQUENCE] +
                          (unshared ? a->batch * a->heads * (block + a->met * c[UNSHARED]) / a->sms : 0);
    d->extra_us = clocks / a->clocks_us +
                  c[OUTPUT] * a->batch * a->heads * a->queries * wide * a->element_bytes / a->bytes_per_us;
    d->floor_us = (a->key_bytes < 2 ? c[FLOOR_NARROW_KEYS] : 1) * c[FLOOR] *
                      of_library(kernel->library, c[FLOOR_SGLANG], c[FLOOR_TRTLLM]) +
                  (kernel->alone ? c[LAUNCH_US] * lone_launches(kernel) : 0);
}

static struct decode decode_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    struct decode d = {.on = attention_of(kernel, hardware), .knee = c[KNEE]};
    d.factor = of_library(kernel->library, c[SGLANG], c[TRTLLM]) * class_of(&d.on, c);
    cut(&d, may_cut(kernel, hardware, &d.on), c);
    set_times(&d, hardware, c);
    set_extra(&d, kernel, c);
    return d;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct decode d = decode_of(kernel, hardware, c);
    const double four[] = {d.memory_us, d.load_us, d.loop_us, d.products_us};
    return d.floor_us + d.extra_us + overlap_of_four(four, d.knee, INFINITY);
}

/* ---- features ---- */

enum feature {
    SGLANGS,
    TRTLLMS,
    LN_OVER_FLOOR,
    LN_LOOP,
    LN_EXTRA,
    LN_WAVES,
    LN_PARTS,
    HIT,
    LN_BYTES,
    LN_BATCH,
    LN_KEYS,
    LN_HEADS,
    LN_KEY_HEADS,
    LN_GROUP,
    LN_WIDTH,
    LN_MET,
    LN_ITEMS,
    LN_KEYS_MET,
    KEY_BYTES,
    FEATURES,
};

static const char *const feature_names[FEATURES] = {
    "by sglang",
    "by TensorRT-LLM",
    "ln(us / floor)",
    "ln(keys one after the other / memory)",
    "ln(beside reading / memory)",
    "ln(waves)",
    "ln(parts)",
    "share in L2",
    "ln(bytes / L2)",
    "ln(batch)",
    "ln(keys)",
    "ln(heads)",
    "ln(key heads)",
    "ln(heads / key heads)",
    "ln(width)",
    "ln(keys met / keys)",
    "ln(blocks / multiprocessors)",
    "ln(keys met)",
    "bytes of a key's element",
};

/* What was learned was learned of kernels in a queue and of one query, so every kernel is described as such. */
static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    struct kernel queued = *kernel;
    queued.alone = false;
    queued.attention.queries = 1;
    const struct decode d = decode_of(&queued, hardware, c);
    to[SGLANGS] = kernel->library == LIBRARY_SGLANG;
    to[TRTLLMS] = kernel->library == LIBRARY_TRTLLM;
    to[LN_OVER_FLOOR] = log(us(&queued, hardware, c) / d.floor_us);
    to[LN_LOOP] = log(d.loop_us / d.memory_us);
    to[LN_EXTRA] = log(d.extra_us / d.memory_us);
    to[LN_WAVES] = log(d.waves);
    to[LN_PARTS] = log(d.parts);
    to[HIT] = d.hit;
    to[LN_BYTES] = log(d.bytes / fmax(hardware->figure[HW_L2_BYTES], 1));
    to[LN_BATCH] = log(d.on.batch);
    to[LN_KEYS] = log(d.on.keys);
    to[LN_HEADS] = log(d.on.heads);
    to[LN_KEY_HEADS] = log(d.on.key_heads);
    to[LN_GROUP] = log(d.on.group);
    to[LN_WIDTH] = log(d.on.width);
    to[LN_MET] = log(d.on.met / d.on.keys);
    to[LN_KEYS_MET] = log(d.on.met);
    to[KEY_BYTES] = d.on.key_bytes;
    to[LN_ITEMS] = log(d.items / d.on.sms);
}

/* ---- which kernels ---- */

static bool takes(const struct kernel *kernel)
{
    const bool narrow = kernel->dtype == DTYPE_F8 || kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16;
    return narrow && !kernel->backward && attention_decodes(kernel);
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    return kernel->attention.latent ? "latent" : "heads";
}

/* The root mean square of ln(one version / another) of three engines on three GPUs. */
static double versions(const struct kernel *kernel)
{
    (void)kernel;
    return 0.2;
}

const struct family family_attention_decode = {
    .name = "attention_decode",
    .forms = 1u << FORM_ATTENTION,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE | 1u << HW_CLOCK,
    .about = "Attention of few queries over a cache, whose keys are cut into parts that fill the multiprocessors: the "
             "cache out of memory or L2, keys one after the other, products of rows filled up.",
    .takes = takes,
    .group = group,
    .us = us,
    .libraries = serving_libraries,
    .versions = versions,
    .doubt = attention_doubt,
    .shift = attention_shift,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .describe = describe,
    .features = feature_names,
    .feature_count = FEATURES,
    .generations = true,
    .near_all = true,
    .most_residual = 1.5,
    .rate = .2,
    .trees = 60,
    .leaves = 24,
    .least_rows = 8,
    .rows_a_leaf = 3,
};
