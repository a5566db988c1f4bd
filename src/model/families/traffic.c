/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that moves data and was not measured here: analytic, not fitted.
 * A kernel takes its traffic over the bandwidth that its way of access reaches,
 * and what a kernel in a queue costs besides:
 *
 *     us = max(floor, offset + traffic / (bandwidth x efficiency))
 *
 * Kernels that work out an address for each element, by dividing its number by
 * the sizes of the tensor, take as long as those instructions where that is longer:
 *
 *     us = elements x instructions / (SMs x 64 x clock)
 *
 * with the 64 integer lanes that a multiprocessor has in every generation. The
 * counts are read off recorded kernels of A100, H100 and V100 (doc/models.md).
 *
 * The efficiencies stand below as constants, with where they come from. Traffic
 * differs from kernel_bytes where a kernel reads a tensor twice (norms, their
 * gradients) or memory hands out more than was asked for (lookups: sectors of 32
 * bytes).
 */
#include <math.h>

#include "embedding.h"
#include "family.h"

enum coefficient {
    FLOOR_US,
    OFFSET_US,
    STREAM,
    CONCAT,
    ROWS,
    ROWS_BACKWARD,
    REDUCE,
    TREE_US,
    TRIP_US,
    CHANNEL_US,
    CHANNEL_TRIP_US,
    NORM,
    TRANSPOSE,
    INDEX,
    LINK,
    PAGEABLE,
    ROW_STEPS,
    COLUMN_STEPS,
    INDEX_STEPS,
    SELECT_STEPS,
    POOL_STEPS,
    COEFFICIENTS,
};

/* Constants: low == high. */
static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR_US] = {"floor_us", 20, 20, 20, 0, "the least that a lone call takes, us", false},
    [OFFSET_US] = {"offset_us", 12, 12, 12, 0, "what a lone call takes besides its work, us", false},
    [STREAM] = {"stream", 0.88, 0.88, 0.88, 0, "of memory bandwidth, in order", false},
    [CONCAT] = {"concat", 0.7, 0.7, 0.7, 0, "the same, from several tensors into one", false},
    [ROWS] = {"table_rows", 0.88, 0.88, 0.88, 0, "the same, rows of tables at random", false},
    [ROWS_BACKWARD] = {"rows_backward", 0.7, 0.7, 0.7, 0, "the same, read, added to and written", false},
    [REDUCE] = {"reduce", 0.7, 0.7, 0.7, 0, "the same, sums", false},
    [TREE_US] = {"tree_us", 2.5, 2.5, 2.5, 0, "of a sum, to start and end: us", false},
    [TRIP_US] = {"trip_us", 0.6, 0.6, 0.6, 0, "of a thread's trip to memory in a sum: us", false},
    [CHANNEL_US] = {"channel_us", 2, 2, 2, 0, "of a block of batch norm, to start and end: us", false},
    [CHANNEL_TRIP_US] = {"channel_trip_us", 0.25, 0.25, 0.25, 0, "of its threads' trip to memory: us", false},
    [NORM] = {"norm", 0.75, 0.75, 0.75, 0, "the same, norms and softmax with their gradients", false},
    [TRANSPOSE] = {"transpose", 0.6, 0.6, 0.6, 0, "the same, rows against columns", false},
    [INDEX] = {"index", 0.4, 0.4, 0.4, 0, "the same, element by element at places of an index", false},
    [LINK] = {"link", 0.8, 0.8, 0.8, 0, "of the link to the host, from pinned memory", false},
    [PAGEABLE] = {"pageable", 0.3, 0.3, 0.3, 0, "the same, from pageable memory, which is copied on the way", false},
    [ROW_STEPS] = {"row_steps", 32, 32, 32, 0, "instructions an element, summed along rows", false},
    [COLUMN_STEPS] = {"column_steps", 44, 44, 44, 0, "the same, down columns, between the wide and the narrow", false},
    [INDEX_STEPS] = {"index_steps", 50, 50, 50, 0, "the same, at places of an index or between pixels", false},
    [SELECT_STEPS] = {"select_steps", 100, 100, 100, 0, "the same, rows selected: true divisions, a thread an element",
                      false},
    [POOL_STEPS] = {"pool_steps", 220, 220, 220, 0, "the same, of a pooling's input: four divisions, four windows",
                    false},
};

static double memory_s(const struct hardware *hardware, double bytes, double efficiency)
{
    return bytes / (hardware->figure[HW_MEMORY_RATE] * efficiency);
}

/* What fits in L2 is not read again. */
static double read_again(const struct hardware *hardware, double bytes)
{
    const double l2 = hardware->figure[HW_L2_BYTES];
    return bytes > l2 ? bytes - l2 : 0;
}

/*
 * Statistics are reduced over the batch first, then applied: the input is read twice. Backward the input and the
 * incoming gradient are read for two sums, then again for the result.
 */
static double batch_norm_bytes(const struct kernel *k, const struct hardware *hardware)
{
    const double tensor =
        (double)k->norm.batch * (double)k->norm.channels * (double)k->norm.positions * kernel_element_bytes(k);
    const double once = k->backward ? 2 * tensor : tensor;
    return once + read_again(hardware, once) + tensor;
}

/*
 * PyTorch's own kernels have a block of 512 threads a channel, which go over all of it one value at a time (Normalization.cuh):
 * once for the statistics; backward twice. cuDNN's have so, too (bn_fw_tr_1C11, bn_bw_1C11), and go faster; two of their blocks
 * share a multiprocessor.
 */
static double channel_s(const struct kernel *k, const struct hardware *hardware, const double *c)
{
    const bool native = str_eq(k->variant, S("native"));
    const double trips = ceil((double)k->norm.batch * (double)k->norm.positions / 512) * (k->backward ? 2 : 1);
    const double block_us = native ? trips * c[TRIP_US] : c[CHANNEL_US] + trips * c[CHANNEL_TRIP_US];
    return block_us * 1e-6 * fmax(1, (double)k->norm.channels / ((native ? 4 : 2) * hardware->figure[HW_SMS]));
}

/* Gradient of layer norm: two kernels, one for the input, one for weight and bias, each reads both tensors. */
static double row_bytes(const struct kernel *k)
{
    const double tensor = (double)k->rows.rows * (double)k->rows.cols * kernel_element_bytes(k);
    if (k->form == FORM_LAYER_NORM)
        return k->backward ? 5 * tensor : 2 * tensor;
    return k->backward ? 3 * tensor : 2 * tensor;
}

/* Windows that overlap are read again from L1 and L2; 8 bytes an output say where its largest was. */
static double pooling_bytes(const struct kernel *k)
{
    const double place = 8;
    return (double)k->pooling.planes * ((double)k->pooling.in * kernel_element_bytes(k) +
                                        (double)k->pooling.out * (kernel_element_bytes(k) + place));
}

/* Parameter and gradient are read, the parameter written; each state is read and written. */
static double optimizer_bytes(const struct kernel *k)
{
    return (double)k->optimizer.parameters * kernel_element_bytes(k) * (3 + 2 * (double)k->optimizer.states);
}

static double host_copy_s(const struct kernel *k, const struct hardware *hardware, const double *c)
{
    const double share = k->moved.pinned ? c[LINK] : c[PAGEABLE];
    const double rate = hardware->figure[HW_HOST_LINK] > 0 ? hardware->figure[HW_HOST_LINK] : 12e9; /* PCIe 3 x16 */
    return (double)k->moved.bytes / (rate * share);
}

/*
 * A sum starts a tree in each block and ends one (a few us even for a handful of numbers), and between them each thread
 * takes its values four at a time, a trip to memory each (PyTorch, Reduce.cuh). Along a row 512 threads share the
 * values; down columns only 16 do, until each would have 256 or more: then blocks share, at least 16 values a thread.
 */
static double reduction_s(const struct kernel *k, const struct hardware *hardware, const double *c)
{
    const bool columns = str_eq(k->variant, S("columns"));
    const double threads = columns ? 16 : 512, outputs_block = columns ? 32 : 1;
    double values = ceil((double)k->rows.cols / threads);
    if (values >= 256) {
        const double blocks = fmax(1, hardware->figure[HW_SMS] * 4 * outputs_block / (double)k->rows.rows);
        values = fmax(16, values / blocks);
    }
    const double trips = fmin(ceil(values / 4), 64) * c[TRIP_US];
    const double elements = (double)k->rows.rows * (double)k->rows.cols;
    const double memory = soft_max(memory_s(hardware, kernel_bytes(k), c[REDUCE]), trips * 1e-6, 3);
    return fmax(memory, issue_s(hardware, elements, c[columns ? COLUMN_STEPS : ROW_STEPS])) + c[TREE_US] * 1e-6;
}

/*
 * The gradient of the largest: each element of the input looks through the windows that it lies in for its own number
 * (PyTorch, DilatedMaxPool2d.cu).
 */
static double pooling_s(const struct kernel *k, const struct hardware *hardware, const double *c)
{
    const double memory = memory_s(hardware, pooling_bytes(k), c[STREAM]);
    return k->backward
               ? fmax(memory, issue_s(hardware, (double)k->pooling.planes * (double)k->pooling.in, c[POOL_STEPS]))
               : memory;
}

static double index_s(const struct kernel *k, const struct hardware *hardware, const double *c)
{
    const bool select = str_eq(k->variant, S("select")), in_order = str_eq(k->variant, S("resize"));
    const double elements = (double)k->index.written / kernel_element_bytes(k);
    return fmax(memory_s(hardware, kernel_bytes(k), c[in_order ? STREAM : INDEX]),
                issue_s(hardware, elements, c[select ? SELECT_STEPS : INDEX_STEPS]));
}

static double work_s(const struct kernel *k, const struct hardware *hardware, const double *c)
{
    switch (k->form) {
    case FORM_EMBEDDING:
        return embedding_s(k, hardware, k->backward ? c[ROWS_BACKWARD] : c[ROWS]);
    case FORM_HOST_COPY:
        return host_copy_s(k, hardware, c);
    case FORM_REDUCTION:
        return reduction_s(k, hardware, c);
    case FORM_BATCH_NORM:
        return fmax(memory_s(hardware, batch_norm_bytes(k, hardware), c[NORM]), channel_s(k, hardware, c));
    case FORM_SOFTMAX:
    case FORM_LAYER_NORM:
        return memory_s(hardware, row_bytes(k), c[NORM]);
    case FORM_POOLING:
        return pooling_s(k, hardware, c);
    case FORM_OPTIMIZER:
        return memory_s(hardware, optimizer_bytes(k), c[STREAM]);
    case FORM_CONCAT:
        return memory_s(hardware, kernel_bytes(k), c[CONCAT]);
    case FORM_TRANSPOSE:
        return memory_s(hardware, kernel_bytes(k), c[TRANSPOSE]);
    case FORM_INDEX:
        return index_s(k, hardware, c);
    case FORM_COPY:
        return fmax(memory_s(hardware, kernel_bytes(k), c[STREAM]),
                    scattered_s(hardware, (enum scattered)k->moved.scattered,
                                (double)k->moved.bytes / kernel_element_bytes(k)));
    default:
        return memory_s(hardware, kernel_bytes(k), c[STREAM]);
    }
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double launches = lone_launches(kernel);
    const double busy = lone_offset_us(kernel, hardware, launches * c[OFFSET_US]) + work_s(kernel, hardware, c) * 1e6;
    return fmax(lone_floor_us(kernel, hardware, launches * c[FLOOR_US]), busy);
}

const struct family family_traffic = {
    .name = "traffic",
    .forms = 1u << FORM_SOFTMAX | 1u << FORM_LAYER_NORM | 1u << FORM_DROPOUT | 1u << FORM_BATCH_NORM |
             1u << FORM_POOLING | 1u << FORM_REDUCTION | 1u << FORM_EMBEDDING | 1u << FORM_TRANSPOSE |
             1u << FORM_INDEX | 1u << FORM_CONCAT | 1u << FORM_COPY | 1u << FORM_FILL | 1u << FORM_HOST_COPY |
             1u << FORM_OPTIMIZER | 1u << FORM_BYTES,
    .needs = 1u << HW_MEMORY_RATE,
    .about =
        "Analytic: traffic over the bandwidth that each way of access reaches. No tables of these; a few counts of "
        "instructions are read off recorded traces (doc/models.md).",
    .lone_tables = true,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
};
