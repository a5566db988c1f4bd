/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention of many queries in one kernel, as FlashAttention does it (Dao,
 * arXiv:2307.08691): a block takes rows of queries and runs over the keys that these
 * meet; scores never reach memory. Rows are queries of one head, or of all heads that
 * share keys. Going back is 2.5 times the products (five in the place of two).
 *
 * A key takes products and exponentials, which have units of their own and overlap
 * but for a knee, and some clocks of a block's own; a block takes some beside its keys.
 * Blocks run on all multiprocessors at once, and none is done before the longest of
 * them: the time is that of all, or of that one. Reading and writing goes beside it.
 *
 * What is a time by itself is given in clocks, rates as shares of the device's: these
 * carry from GPU to GPU. Single precision and going back were never measured here.
 */
#include "attention.h"

#include <math.h>

#include "clock.h"
#include "engine.h"
#include "family.h"

enum coefficient {
    FLOOR,
    FLOOR_SGLANG,
    FLOOR_TRTLLM,
    SGLANG,
    TRTLLM,
    LAUNCH_US,
    EFFICIENCY,
    EXPONENTIALS,
    OVERLAP,
    KEYS,
    BLOCK,
    NARROW,
    WIDE,
    WIDEST,
    WINDOW,
    TAIL,
    MEMORY,
    TOKENS,
    TOKENS_SGLANG,
    TOKENS_TRTLLM,
    POWER,
    EIGHT_BITS,
    NARROW_KEYS,
    FLOOR_EIGHT_BITS,
    FLOOR_NARROW_KEYS,
    UNMASKED,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR] = {"floor_us", 7, 0.5, 60, 0.3, "the least that a kernel takes, us", false},
    [FLOOR_SGLANG] = {"floor_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [FLOOR_TRTLLM] = {"floor_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
    [SGLANG] = {"sglang", 1, 0.3, 4, 0.1, "time of blocks of sglang's kernels over those of vLLM", false},
    [TRTLLM] = {"trtllm", 1, 0.3, 4, 0.1, "the same of TensorRT-LLM's", false},
    [LAUNCH_US] = {"launch_us", 24, 24, 24, 0, "what launching a lone call adds, us", false},
    [EFFICIENCY] = {"efficiency", 0.7, 0.4, 0.75, 0.1, "of the matrix units' peak, in the inner loop", false},
    [EXPONENTIALS] = {"exponentials", 1, 0.8, 1.6, 0.1, "of sixteen exponentials a clock and multiprocessor", false},
    [OVERLAP] = {"overlap", 1.5, 1, 1.75, 0.2, "power with which exponentials and products overlap", false},
    [KEYS] = {"keys", 400, 1, 4000, 0.3, "clocks of a block's own for 128 keys", false},
    [BLOCK] = {"block", 2000, 100, 60000, 0.3, "clocks of starting and ending a block", false},
    [NARROW] = {"narrow", 1, 0.3, 3, 0.1, "time of heads up to 64 wide over that of 128", false},
    [WIDE] = {"wide", 1, 0.3, 4, 0.1, "the same of heads above 128 wide", false},
    [WIDEST] = {"widest", 2, 0.3, 10, 0.2, "the same above 256 wide", false},
    [WINDOW] = {"window", 1, 0.3, 4, 0.1, "time of keys behind a window over that of others", false},
    [TAIL] = {"tail", 2, 1, 8, 0.2, "power with which all blocks and the longest overlap", false},
    [MEMORY] = {"memory", 0.8, 0.3, 1.2, 0.1, "of memory bandwidth, what is read and written", false},
    [TOKENS] = {"tokens", 0.5, 0.01, 10, 0.3, "passes over it that nothing hides", false},
    [TOKENS_SGLANG] = {"tokens_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [TOKENS_TRTLLM] = {"tokens_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
    [EIGHT_BITS] = {"eight_bits", 1, 0.3, 4, 0.1, "time of blocks in 8 bits over that at their peak", false},
    [NARROW_KEYS] = {"narrow_keys", 1.1, 0.3, 4, 0.1, "time of blocks with keys of 8 bits beside queries of 16", false},
    [FLOOR_EIGHT_BITS] = {"floor_eight_bits", 1, 0.3, 4, 0.1, "the floor in 8 bits over that in 16", false},
    [FLOOR_NARROW_KEYS] = {"floor_narrow_keys", 1.1, 0.3, 4, 0.1, "the same with keys of 8 bits beside", false},
    [UNMASKED] = {"unmasked", 1, 0.3, 3, 0.1, "time of blocks without a mask over that with one", false},
    [POWER] = {"power", 0.1, 0, 1, 0.1, "loss of long products, each decade, by peak over twice the board's power",
               false},
};

enum { EXPONENTIALS_A_CLOCK = 16, KEY_STEP = 64, ROWS = 128 };

static const double back_products = 2.5, back_efficiency = 0.82, plain_efficiency = 0.73;

/* Blocks over all queries. */
struct blocks {
    double count, keys, longest; /* of all heads; keys that all meet; that the one with most meets */
    double key_us, block_us;
    double all_us, longest_us, us;
    bool packed;
};

struct prefill {
    struct attention on;
    double factor, products, efficiency;
    bool pairs;
    const double *c;
};

/* ---- keys ---- */

/* Blocks of a head meet each `span` queries more than the one before, up to all; none more than a window and its own. */
static void set_keys(struct blocks *blocks, const struct attention *a, double count, double span)
{
    const double most = a->causal ? fmin(a->keys, a->met + span) : a->keys;
    const double past = a->causal ? a->past : a->keys, step = a->causal ? span : 0;
    const double growing = step > 0 ? fmin(count, fmax(0, floor((most - past) / step))) : 0;
    const double keys = growing * past + step * growing * (growing + 1) / 2 + (count - growing) * most;
    blocks->keys = fmax(keys + KEY_STEP / 2.0 * count, KEY_STEP * count);
    blocks->longest = ceil(most / KEY_STEP) * KEY_STEP;
}

/* ---- time ---- */

static double of_bits(const struct attention *a, double eight, double narrow_keys)
{
    return a->element_bytes < 2 ? eight : a->key_bytes < 2 ? narrow_keys : 1;
}

static double class_of(const struct attention *a, const double *c)
{
    const double width = a->width > 256 ? c[WIDEST] : a->width > 128 ? c[WIDE] : a->width <= 64 ? c[NARROW] : 1;
    return width * (a->windowed ? c[WINDOW] : 1) * (a->causal ? 1 : c[UNMASKED]) *
           of_bits(a, c[EIGHT_BITS], c[NARROW_KEYS]);
}

static double key_us(const struct prefill *p)
{
    const struct attention *a = &p->on;
    const double *c = p->c;
    const double products =
        2 * ROWS * (a->width + a->value_width) * p->products / (a->flop_per_us * c[EFFICIENCY] * p->efficiency);
    const double exponentials = ROWS / (EXPONENTIALS_A_CLOCK * c[EXPONENTIALS] * a->clocks_us);
    return soft_max(products, exponentials, c[OVERLAP]) + c[KEYS] / ROWS / a->clocks_us;
}

static struct blocks blocks_of(const struct prefill *p, bool packed)
{
    const struct attention *a = &p->on;
    const double *c = p->c;
    const double heads = packed ? a->key_heads : a->heads, group = packed ? a->group : 1;
    const double count = ceil(a->queries * group / ROWS), factor = p->factor * class_of(a, c);
    struct blocks blocks = {.packed = packed};
    set_keys(&blocks, a, count, fmax(1, ROWS / group));
    blocks.count = count * heads * a->batch;
    blocks.key_us = key_us(p) * factor;
    blocks.block_us = c[BLOCK] / a->clocks_us * factor;
    blocks.all_us = (blocks.keys * blocks.key_us * heads * a->batch + blocks.count * blocks.block_us) / a->sms;
    blocks.longest_us = blocks.longest * blocks.key_us + blocks.block_us;
    blocks.us = soft_max(blocks.all_us, blocks.longest_us, c[TAIL]);
    return blocks;
}

/*
 * Heads that share keys lie in one block where that leaves less to do; kernels for pairs of multiprocessors, whose tiles
 * are twice as high, keep them apart unless there is one query.
 */
static bool may_pack(const struct prefill *p)
{
    return p->on.group > 1 && (!p->pairs || p->on.queries < 2);
}

static struct blocks best_blocks(const struct prefill *p)
{
    const struct blocks apart = blocks_of(p, false);
    if (!may_pack(p))
        return apart;
    const struct blocks packed = blocks_of(p, true);
    return packed.us < apart.us ? packed : apart;
}

static struct prefill prefill_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const bool plain = dtype_bytes(kernel->dtype) == 0 || kernel->dtype == DTYPE_F32;
    struct prefill p = {
        .on = attention_of(kernel, hardware),
        .factor = of_library(kernel->library, c[SGLANG], c[TRTLLM]),
        .products = kernel->backward ? back_products : 1,
        .efficiency = plain              ? plain_efficiency
                      : kernel->backward ? back_efficiency
                                         : 1,
        .pairs = has_pairs(hardware),
        .c = c,
    };
    return p;
}

static double moved_us(const struct prefill *p, const struct kernel *kernel)
{
    return kernel_bytes(kernel) / p->on.bytes_per_us;
}

/* The same of the queries and of as many keys: what comes in and goes out with the tokens. */
static double tokens_us(const struct prefill *p)
{
    const struct attention *a = &p->on;
    const double queries = a->heads * (a->width + a->value_width) * a->element_bytes,
                 keys = a->key_heads * a->cached * a->key_bytes;
    return a->batch * fmin(a->queries, a->keys) * (queries + keys) / a->bytes_per_us;
}

static double floor_us(const struct prefill *p, const struct kernel *kernel)
{
    const double *c = p->c;
    return of_bits(&p->on, c[FLOOR_EIGHT_BITS], c[FLOOR_NARROW_KEYS]) * c[FLOOR] *
               of_library(kernel->library, c[FLOOR_SGLANG], c[FLOOR_TRTLLM]) +
           (kernel->alone ? c[LAUNCH_US] * lone_launches(kernel) : 0);
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct prefill p = prefill_of(kernel, hardware, c);
    const struct blocks blocks = best_blocks(&p);
    const double moved = moved_us(&p, kernel) / c[MEMORY];
    const double slowdown = lack_of_power(hardware, blocks.us, p.on.flop_per_us * p.on.sms, c[POWER]);
    const double hidden = soft_max(blocks.us * slowdown, moved, 3);
    const double passes = c[TOKENS] * of_library(kernel->library, c[TOKENS_SGLANG], c[TOKENS_TRTLLM]);
    return floor_us(&p, kernel) + hidden + passes * tokens_us(&p);
}

/* ---- features ---- */

enum feature {
    SGLANGS,
    TRTLLMS,
    LN_OVER_FLOOR,
    LN_ALL,
    LN_MOVED,
    LN_BLOCKS,
    PACKED,
    LN_BATCH,
    LN_QUERIES,
    LN_HEADS,
    LN_KEY_HEADS,
    LN_GROUP,
    LN_WIDTH,
    LN_MET,
    FILL,
    LN_KEYS_MET,
    KEY_BYTES,
    ELEMENT_BYTES,
    FEATURES,
};

static const char *const feature_names[FEATURES] = {
    "by sglang",
    "by TensorRT-LLM",
    "ln(us / floor)",
    "ln(all blocks / longest)",
    "ln(moved / blocks)",
    "ln(blocks / multiprocessors)",
    "heads that share keys in one block",
    "ln(batch)",
    "ln(queries)",
    "ln(heads)",
    "ln(key heads)",
    "ln(heads / key heads)",
    "ln(width)",
    "ln(keys met / keys)",
    "fill of waves",
    "ln(keys met)",
    "bytes of a key's element",
    "bytes of a query's element",
};

/* Most was learned of kernels in a queue, so every kernel is described as one. */
static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    struct kernel queued = *kernel;
    queued.alone = false;
    const struct prefill p = prefill_of(&queued, hardware, c);
    const struct blocks blocks = best_blocks(&p);
    const double waves = blocks.count / p.on.sms;
    to[SGLANGS] = kernel->library == LIBRARY_SGLANG;
    to[TRTLLMS] = kernel->library == LIBRARY_TRTLLM;
    to[LN_OVER_FLOOR] = log(us(&queued, hardware, c) / floor_us(&p, &queued));
    to[LN_ALL] = log(blocks.all_us / blocks.longest_us);
    to[LN_MOVED] = log(moved_us(&p, kernel) / blocks.us);
    to[LN_BLOCKS] = log(waves);
    to[PACKED] = blocks.packed;
    to[LN_BATCH] = log(p.on.batch);
    to[LN_QUERIES] = log(p.on.queries);
    to[LN_HEADS] = log(p.on.heads);
    to[LN_KEY_HEADS] = log(p.on.key_heads);
    to[LN_GROUP] = log(p.on.group);
    to[LN_WIDTH] = log(p.on.width);
    to[LN_MET] = log(p.on.met / p.on.keys);
    to[LN_KEYS_MET] = log(p.on.met);
    to[KEY_BYTES] = p.on.key_bytes;
    to[ELEMENT_BYTES] = p.on.element_bytes;
    to[FILL] = waves / ceil(waves);
}

/* ---- which kernels ---- */

/* Kernels without a mask are others, and were measured with narrow heads alone: wide ones go by the form of the masked. */
static bool encodes(const struct kernel *kernel)
{
    enum { WIDEST_ENCODED = 96 };
    return !kernel->attention.causal && kernel->attention.width <= WIDEST_ENCODED;
}

static bool like_measured(const struct kernel *kernel)
{
    return kernel->attention.causal || encodes(kernel);
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    if (kernel->backward)
        return "backward";
    if (kernel->dtype != DTYPE_F8 && kernel->dtype != DTYPE_F16 && kernel->dtype != DTYPE_BF16)
        return "plain";
    if (kernel->attention.value_width && kernel->attention.value_width != kernel->attention.width)
        return "latent";
    return encodes(kernel) ? "encoder" : "masked";
}

/* Root mean squares of ln(one version / another) of three engines on three GPUs: prefill, encoders. */
static double versions(const struct kernel *kernel)
{
    return kernel->attention.causal ? 0.16 : 0.24;
}

const struct family family_attention = {
    .name = "attention",
    .forms = 1u << FORM_ATTENTION,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE | 1u << HW_CLOCK,
    .about =
        "Attention of many queries in one kernel: all blocks of queries over the multiprocessors or the longest of "
        "them, the exponentials beside the products, or queries, keys, values and output through memory.",
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
    .like_measured = like_measured,
    .generations = true,
    .near_all = true,
    .most_residual = 2.2,
    .rate = .2,
    .trees = 110,
    .leaves = 31,
    .least_rows = 8,
    .rows_a_leaf = 3,
};
