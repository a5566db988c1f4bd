/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "attention.h"
#include "engine.h"

enum { DECODED_QUERIES = 8 };

bool attention_decodes(const struct kernel *kernel)
{
    return kernel->attention.queries <= DECODED_QUERIES && kernel->attention.keys > kernel->attention.queries;
}

double attention_shift(const struct kernel *kernel)
{
    const struct kernel *k = kernel;
    const bool latent =
        k->attention.latent || (k->attention.value_width && k->attention.value_width != k->attention.width);
    return latent ? 1.2 : 0;
}

double attention_doubt(const struct kernel *kernel)
{
    return kernel->attention.width > 128 && !kernel->attention.latent ? 1.6 : 1;
}

static void set_device(struct attention *a, const struct kernel *kernel, const struct hardware *hardware)
{
    const double *figure = hardware->figure;
    const bool narrow = kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16 || kernel->dtype == DTYPE_F8;
    const double peak = narrow ? matrix_peak(kernel->dtype, figure) : figure[HW_FP32];
    a->sms = figure[HW_SMS];
    a->clocks_us = clocks_in_us(hardware);
    a->flop_per_us = peak / 1e6 / a->sms;
    a->bytes_per_us = figure[HW_MEMORY_RATE] / 1e6;
}

struct attention attention_of(const struct kernel *kernel, const struct hardware *hardware)
{
    const double heads = (double)kernel->attention.heads, width = (double)kernel->attention.width;
    const double key_heads = kernel->attention.key_heads ? (double)kernel->attention.key_heads : heads;
    const double keys = (double)kernel->attention.keys, window = (double)kernel->attention.window;
    const bool windowed = window > 0 && window < keys;
    struct attention a = {
        .batch = (double)kernel->attention.batch,
        .heads = heads,
        .key_heads = key_heads,
        .group = fmax(1, heads / key_heads),
        .queries = (double)kernel->attention.queries,
        .keys = keys,
        .width = width,
        .value_width = kernel->attention.value_width ? (double)kernel->attention.value_width : width,
        .element_bytes = kernel_element_bytes(kernel),
        .key_bytes = kernel_key_bytes(kernel),
        .causal = kernel->attention.causal || windowed,
        .windowed = windowed,
        .met = windowed ? window : keys,
    };
    a.past = a.causal ? fmax(0, a.keys - a.queries) : a.keys;
    a.cached = kernel->attention.latent ? a.width : a.width + a.value_width;
    set_device(&a, kernel, hardware);
    return a;
}
