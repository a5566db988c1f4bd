/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel as its time model sees it: the form, which says what its time depends
 * on, and the sizes of that form, by name. Sizes are positive; a zero or an
 * overflow is found by kernel_check and named, never predicted.
 *
 * A new form: its word in enum kernel_form, its sizes in the union, and its row in
 * kernel.c, by which tables name the sizes and a check finds what is wrong. Then
 * its least work in kernel_work.c.
 */
#ifndef OPS_KERNEL_H
#define OPS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "ops/words/backend.h"
#include "ops/words/dtype.h"
#include "ops/words/format.h"
#include "ops/words/library.h"
#include "ops/words/version.h"

enum kernel_form {
    FORM_BMM,
    FORM_LINEAR,
    FORM_CONVOLUTION,
    FORM_ELEMENTWISE,
    FORM_SOFTMAX,
    FORM_LAYER_NORM,
    FORM_DROPOUT,
    FORM_BATCH_NORM,
    FORM_POOLING,
    FORM_REDUCTION,
    FORM_EMBEDDING,
    FORM_TRANSPOSE,
    FORM_INDEX, /* gather, scatter, tril, sort */
    FORM_CONCAT,
    FORM_COPY,
    FORM_FILL,
    FORM_HOST_COPY,
    FORM_OPTIMIZER,
    FORM_ATTENTION,
    FORM_EXPERTS,   /* a layer of experts on one GPU: products up, gate and down of the tokens that come to it */
    FORM_QUANTIZE,  /* 16 bits to 8, with a given scale or finding it */
    FORM_RECURRENT, /* the steps of one direction of a recurrent layer, without the product of its inputs */
    FORM_COLLECTIVE,
    FORM_ITERATION,
    FORM_BYTES, /* whatever has no form of its own */
    FORMS,
};

/* How a window walks over one axis of an image. */
struct axis {
    int64_t size, window, stride, padding, dilation;
};

enum { KERNEL_AXES = 3 }; /* depth, height, width; an image of fewer has axes of one in front */

static inline struct axis axis_of_one(void)
{
    return (struct axis){1, 1, 1, 0, 1};
}

/* Positions out along the axis; 0 where the window is larger than its input. */
int64_t axis_positions(const struct axis *axis);

/* Elements of the window over all axes. */
double axes_window(const struct axis axes[KERNEL_AXES]);
double axes_size(const struct axis axes[KERNEL_AXES]);

/* How an element-wise kernel or a copy goes through memory. */
enum scattered {
    SCATTERED_NOT,     /* in order, several elements at once */
    SCATTERED_ROWS,    /* an address worked out for each element; rows in order, as of what is broadcast */
    SCATTERED_SOMEHOW, /* the same, and whether rows are in order is not known */
    SCATTERED_COLUMNS, /* one of them down columns, so that each element is a line of memory */
};

struct kernel {
    enum kernel_form form;
    bool backward;
    bool alone; /* launched and timed by itself: launch cost included. Queued, as in a model or a CUDA graph: false */
    bool
        among; /* other kernels, as in a model: its code is to be fetched first. Measurements repeat one kernel: false */
    enum dtype dtype;     /* DTYPE_UNKNOWN counts as fp32 */
    enum dtype key_dtype; /* of keys and values in a cache, FORM_ATTENTION; DTYPE_UNKNOWN: as dtype */
    enum format format;   /* of products and experts */
    enum library library; /* whose kernel */
    uint64_t version;     /* of the library (version_of_word) */
    enum backend backend; /* which of them, where there are several: of experts */
    double busy_us;       /* above 0: it takes that long, and the power is asked for; 0: its time is asked for */
    str variant;          /* finer than the form: "gelu", "addu"; "" where none is known */
    union {
        /* FORM_BMM, FORM_LINEAR: C[m x n] = A[m x reduced] B[reduced x n]. Public tables call `reduced` n and `n` k. */
        struct {
            int64_t batch, m, reduced, n;
        } product;
        struct {
            int64_t batch, in, out, groups; /* channels of all groups */
            struct axis axes[KERNEL_AXES];
        } convolution;
        struct {
            int64_t rows, cols, accesses; /* tensors read and written, each rows x cols */
            int64_t scattered;            /* enum scattered */
            int64_t chunk; /* elements of the largest piece that a block takes, of lists of tensors; 0: none */
        } elements;        /* FORM_ELEMENTWISE */
        struct {
            int64_t rows, cols;
        } rows; /* FORM_SOFTMAX, FORM_LAYER_NORM, FORM_DROPOUT; FORM_REDUCTION, where cols are reduced */
        struct {
            int64_t batch, channels, positions;
        } norm; /* FORM_BATCH_NORM */
        struct {
            int64_t planes, in, out, window; /* planes: images x channels; positions in and out of each */
        } pooling;
        struct {
            int64_t batch, tables, rows, bag, width;
        } lookup; /* FORM_EMBEDDING */
        struct {
            int64_t batch, rows, cols;
        } transpose;
        struct {
            int64_t read, written; /* bytes */
        } index;
        struct {
            int64_t written, parts; /* bytes */
        } concat;
        struct {
            int64_t bytes, pinned; /* pinned, 1 or 0: of FORM_HOST_COPY */
            int64_t scattered;     /* enum scattered: of FORM_COPY */
        } moved;                   /* FORM_COPY and FORM_FILL (on the device), FORM_HOST_COPY, FORM_BYTES */
        struct {
            int64_t parameters, states; /* states: 0 SGD, 1 momentum, 2 Adam */
        } optimizer;
        struct {
            int64_t batch, heads, queries, keys, width, causal;
            int64_t key_heads, value_width; /* 0: as many as heads; as wide as width */
            int64_t window;                 /* keys that a query meets at most; 0: all */
            int64_t latent;                 /* 1: values are part of the keys, as in latent attention */
        } attention;
        struct {
            int64_t tokens, hidden, intermediate, experts, topk; /* tokens before routing, of the whole group */
            int64_t tensor_parallel, expert_parallel; /* this GPU holds experts / expert_parallel, each cut in parts */
            int64_t matrices;                         /* of an expert: 3, or 2 without a gate */
            int64_t skew; /* thousandths: tokens an expert follow i^-(skew / 1000), on the most loaded GPU; 0: alike */
        } experts;
        struct {
            int64_t rows, cols;
            int64_t finds_scale; /* 1: the scale is found, too; 0: given */
        } quantize;
        struct {
            int64_t batch, steps, units, gates; /* gates: products a unit needs of its own state: 1, 3 or 4 */
            int64_t width;                      /* of what a step hands to the next: units, or less by a projection */
            int64_t packed;                     /* 1: sequences of several lengths */
        } recurrent;
        struct {
            int64_t kind, bytes, ranks, server_ranks; /* kind: enum collective_kind + 1 */
        } collective;
        struct {
            int64_t hidden, heads, layers, sequence, micro_batch, global_batch, tensor, data, pipeline;
        } iteration;
    };
};

/* ---- sizes as data ---- */

struct form_size {
    const char *name;   /* its column in tables: "kernel_h" */
    const char *shared; /* a column that stands for several sizes: "stride" of "stride_h"; NULL */
    const char *wrong;  /* where it is 0 or less: "the stride is 0 or less" */
    uint32_t offset;    /* in struct kernel */
    bool may_be_zero;
    bool optional; /* absent from a table it is `otherwise` */
    int64_t otherwise;
};

enum { FORM_SIZES_MOST = 4 + 5 * KERNEL_AXES };

struct form_sizes {
    const struct form_size *at;
    uint32_t count;
};

struct form_sizes form_sizes_of(enum kernel_form form);
int64_t kernel_size(const struct kernel *kernel, const struct form_size *size);
void kernel_set_size(struct kernel *kernel, const struct form_size *size, int64_t value);

str kernel_form_word(enum kernel_form form); /* "bmm" */
bool kernel_form_of_word(str word, enum kernel_form *form);

/* Bytes of an element; 4 where the type is not known. */
static inline double kernel_element_bytes(const struct kernel *kernel)
{
    const int64_t bytes = dtype_bytes(kernel->dtype);
    return bytes ? (double)bytes : 4;
}

/* The same of a weight: the second operand of a product, an expert's matrices. */
static inline double kernel_weight_bytes(const struct kernel *kernel)
{
    const double bytes = format_weight_bytes(kernel->format);
    return bytes > 0 ? bytes : kernel_element_bytes(kernel);
}

/* The same of what a cache of keys and values holds. */
static inline double kernel_key_bytes(const struct kernel *kernel)
{
    const int64_t bytes = dtype_bytes(kernel->key_dtype);
    return bytes ? (double)bytes : kernel_element_bytes(kernel);
}

/* Products, convolutions, attention, experts and recurrent layers: what matrix units do. */
static inline bool kernel_form_is_matrix(enum kernel_form form)
{
    return form == FORM_BMM || form == FORM_LINEAR || form == FORM_CONVOLUTION || form == FORM_ATTENTION ||
           form == FORM_EXPERTS || form == FORM_RECURRENT;
}

/* NULL where every size is positive and FLOPs and bytes fit; else what is wrong, in words: "k is 0". */
const char *kernel_check(const struct kernel *kernel);

/* Least work by definition (doc/models.md), in double, so it never overflows. FLOPs of matrix forms; of the others 0. */
double kernel_flops(const struct kernel *kernel);
double kernel_bytes(const struct kernel *kernel);

#endif
