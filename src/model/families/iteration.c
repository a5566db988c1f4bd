/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An iteration of training a transformer on many GPUs, from its sizes alone: the
 * products, vector kernels and collectives of a layer, composed as the schedule
 * composes them.
 *
 *     layer   the longer of what the device works and what the host needs to launch it, softly;
 *             device: products + attention's scores + vector work + all-reduces of the tensor group (4)
 *     stage   layers / pipeline, for each micro-batch, and pipeline - 1 micro-batches more: the bubble
 *     head    logits and loss of each micro-batch, on the last stage
 *     end     the all-reduce of gradients over the data group, the optimizer, a fixed rest
 *
 * Ranks lie as Megatron lays them: tensor groups inside servers, data groups next,
 * pipeline stages outermost. A tensor group that spans servers, a data group and
 * the sends between stages share the network of their servers.
 */
#include <math.h>

#include "family.h"

enum {
    HOST,
    HOST_TENSOR,
    EFFICIENCY,
    SHORT_SIDE,
    VECTOR,
    SCORES,
    HEAD,
    OPTIMIZER,
    LINK,
    LATENCY,
    REST,
    NETWORK_DATA,
    NETWORK_TENSOR,
    NETWORK_STAGE,
    PARAMETERS,
};

static const struct parameter parameters[PARAMETERS] = {
    [HOST] = {"host", 3000, 1000, 8000, 0.3, "us to launch a layer, forward and backward", false},
    [HOST_TENSOR] = {"host_tensor", 100, 10, 400, 0.3, "us more for each further rank of the tensor group", false},
    [EFFICIENCY] = {"efficiency", 0.7, 0.4, 0.95, 0.2, "of the fp16 peak, of large products", false},
    [SHORT_SIDE] = {"short_side", 100, 20, 800, 0.5, "side at which a product takes twice as long", false},
    [VECTOR] = {"vector", 30, 15, 70, 0.3, "passes over the activations in vector kernels of a layer", false},
    [SCORES] = {"scores", 10, 4, 25, 0.3, "passes over the scores of attention", false},
    [HEAD] = {"head", 30, 10, 80, 0.3, "passes over the logits", false},
    [OPTIMIZER] = {"optimizer", 30, 20, 60, 0.3, "bytes moved for each parameter", false},
    [LINK] = {"link", 0.7, 0.4, 0.9, 0.2, "of the rate between the GPUs of a server", false},
    [LATENCY] = {"latency", 20, 4, 120, 0.5, "us of an all-reduce for each further rank", false},
    [REST] = {"rest", 2000, 100, 10000, 0.5, "us of an iteration that belong to nothing else", false},
    [NETWORK_DATA] = {"network_data", 0.4, 0.05, 0.9, 0.5, "of the network's rate, all-reduces of gradients", false},
    [NETWORK_TENSOR] = {"network_tensor", 0.4, 0.25, 0.6, 0.3, "the same, of activations between servers", false},
    [NETWORK_STAGE] = {"network_stage", 0.4, 0.1, 0.9, 0.5, "the same, sends between stages, for each GPU", false},
};

/* GPT-2's vocabulary, filled up so that products are aligned: no table of iterations says it. */
static const double vocabulary = 51200, bytes_each = 2;

struct iteration {
    double hidden, heads, layers, sequence, micro, batch, tensor, data, pipeline;
    double tokens, micro_batches, parameters; /* of a micro-batch; of a rank; of a rank */
    double gpus;                              /* of a server */
    const struct hardware *hardware;
    const double *c;
};

static struct iteration iteration_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    struct iteration it = {
        .hidden = (double)kernel->iteration.hidden,
        .heads = (double)kernel->iteration.heads,
        .layers = (double)kernel->iteration.layers,
        .sequence = (double)kernel->iteration.sequence,
        .micro = (double)kernel->iteration.micro_batch,
        .batch = (double)kernel->iteration.global_batch,
        .tensor = (double)kernel->iteration.tensor,
        .data = (double)kernel->iteration.data,
        .pipeline = (double)kernel->iteration.pipeline,
        .gpus = fmax(1, hardware->figure[HW_GPUS_PER_SERVER]),
        .hardware = hardware,
        .c = c,
    };
    it.tokens = it.micro * it.sequence;
    it.micro_batches = fmax(1, it.batch / (it.data * it.micro));
    it.parameters = (12 * it.layers * it.hidden * it.hidden / it.pipeline + vocabulary * it.hidden) / it.tensor;
    return it;
}

/* ---- device, microseconds ---- */

/* [rows x inner] [inner x cols], forward and the two of its gradient. A short side fills no tiles. */
static double products_us(const struct iteration *it, double rows, double inner, double cols)
{
    const double side = fmin(rows, fmin(inner, cols));
    const double flops = 3 * 2 * rows * inner * cols;
    const double rate = hardware_peak(it->hardware, PRECISION_FP16) * it->c[EFFICIENCY];
    return flops / rate * 1e6 * (1 + it->c[SHORT_SIDE] / side);
}

static double passes_us(const struct iteration *it, double passes, double elements)
{
    return passes * elements * bytes_each / it->hardware->figure[HW_MEMORY_RATE] * 1e6;
}

static double layer_products_us(const struct iteration *it)
{
    const double h = it->hidden, t = it->tensor;
    const double attention_rows = it->micro * it->heads / t * it->sequence;
    return products_us(it, it->tokens, h, 3 * h / t) + products_us(it, it->tokens, h / t, h) +
           2 * products_us(it, it->tokens, h, 4 * h / t) +
           2 * products_us(it, attention_rows, h / it->heads, it->sequence);
}

/* Half of the vector work is on activations that every rank of the tensor group has whole. */
static double layer_vector_us(const struct iteration *it)
{
    const double scores = it->micro * it->heads / it->tensor * it->sequence * it->sequence;
    const double activations = it->tokens * it->hidden * (0.5 + 0.5 / it->tensor);
    return passes_us(it, it->c[VECTOR], activations) + passes_us(it, it->c[SCORES], scores);
}

/* ---- between devices, microseconds ---- */

/* Between the GPUs of a server; those without links of their own go through the host's. */
static double link_rate(const struct iteration *it)
{
    const double own = it->hardware->figure[HW_GPU_LINK];
    return it->c[LINK] * (own > 0 ? own : it->hardware->figure[HW_HOST_LINK]);
}

static double all_reduce_us(double ranks, double bytes, double rate)
{
    return 2 * (ranks - 1) / ranks * bytes / rate * 1e6;
}

static double layer_all_reduces_us(const struct iteration *it)
{
    if (it->tensor <= 1)
        return 0;
    const bool inside = it->tensor <= it->gpus;
    const double rate = inside ? link_rate(it) : it->c[NETWORK_TENSOR] * it->hardware->figure[HW_NETWORK];
    const double one = all_reduce_us(it->tensor, it->tokens * it->hidden * bytes_each, rate);
    return 4 * (one + it->c[LATENCY] * (it->tensor - 1));
}

/* As many data groups meet at a server's network as a tensor group has ranks there. */
static double gradients_us(const struct iteration *it)
{
    if (it->data <= 1)
        return 0;
    const double shared = it->c[NETWORK_DATA] * it->hardware->figure[HW_NETWORK] / fmin(it->tensor, it->gpus);
    const double rate = it->tensor * it->data <= it->gpus ? link_rate(it) : shared;
    return all_reduce_us(it->data, it->parameters * bytes_each, rate);
}

/* Activations one way and their gradients back, for a micro-batch. */
static double sends_us(const struct iteration *it)
{
    if (it->pipeline <= 1)
        return 0;
    const bool inside = it->tensor * it->data * it->pipeline <= it->gpus;
    const double shared = it->c[NETWORK_STAGE] * it->hardware->figure[HW_NETWORK] / it->gpus;
    return 2 * it->tokens * it->hidden * bytes_each / (inside ? link_rate(it) : shared) * 1e6;
}

/* ---- together ---- */

static double layer_us(const struct iteration *it)
{
    const double device = layer_products_us(it) + layer_vector_us(it) + layer_all_reduces_us(it);
    const double host = it->c[HOST] + it->c[HOST_TENSOR] * (it->tensor - 1);
    return soft_max(device, host, 6);
}

static double head_us(const struct iteration *it)
{
    return products_us(it, it->tokens, it->hidden, vocabulary / it->tensor) +
           passes_us(it, it->c[HEAD], it->tokens * vocabulary / it->tensor);
}

static double end_us(const struct iteration *it)
{
    const double optimizer = it->c[OPTIMIZER] * it->parameters / it->hardware->figure[HW_MEMORY_RATE] * 1e6;
    return gradients_us(it) + optimizer + it->c[REST];
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *coefficients)
{
    const struct iteration it = iteration_of(kernel, hardware, coefficients);
    const double stage = layer_us(&it) * it.layers / it.pipeline + sends_us(&it);
    return (it.micro_batches + it.pipeline - 1) * stage + it.micro_batches * head_us(&it) + end_us(&it);
}

static uint32_t also_needs(const struct kernel *kernel, const struct hardware *hardware)
{
    const double ranks =
        (double)kernel->iteration.tensor * (double)kernel->iteration.data * (double)kernel->iteration.pipeline;
    const uint32_t link = hardware->figure[HW_GPU_LINK] > 0 ? 0 : 1u << HW_HOST_LINK;
    const bool servers = ranks > hardware->figure[HW_GPUS_PER_SERVER];
    return (ranks > 1 ? link : 0) | (servers ? 1u << HW_NETWORK | 1u << HW_GPUS_PER_SERVER : 0);
}

const struct family family_iteration = {
    .name = "iteration",
    .forms = 1u << FORM_ITERATION,
    .needs = 1u << HW_FP16 | 1u << HW_MEMORY_RATE,
    .about =
        "An iteration of training a transformer in fp16 from its sizes: products, vector kernels and collectives of "
        "a layer, or what the host needs to launch it; times layers and micro-batches, with the pipeline's bubble; "
        "then the gradients' all-reduce and the optimizer.",
    .also_needs = also_needs,
    .us = us,
    .parameters = parameters,
    .parameter_count = PARAMETERS,
};
