/* SPDX-License-Identifier: Apache-2.0 */
/* What the lowerings of lower_*.c share: the call under work, its parsed arguments, the kernels so far. */
#ifndef MODEL_LOWER_WORK_H
#define MODEL_LOWER_WORK_H

#include "lower.h"
#include "ops/flops_formula.h"

struct lower_work {
    const struct lowered_call *asked;
    struct op_call call;    /* its arguments, parsed */
    struct op_call forward; /* those of the forward call; no arguments where they are not known */
    struct arena *arena;    /* of the answer */
    struct kernel *kernels;
    uint32_t count, room;
    bool empty;      /* a tensor without elements: launches nothing, and that is no error */
    const char *why; /* what is missing, set where a lowering answers false */
};

/* Which call of the table: places of arguments, numbers of tensors; each lowering says what its own mean. */
struct lower_variant {
    int a, b, c;
    const char *word; /* variant of the kernels; NULL: none */
};

/* False: `why` says what keeps the kernels unknown. No kernels and true: the call launches nothing. */
typedef bool lower_fn(struct lower_work *work, const struct lower_variant *variant);

struct lower_row {
    const char *names; /* patterns of ops/rules.h, between bars; the first row that fits counts */
    enum lowering_way way;
    lower_fn *lower; /* NULL: nothing to be said, see way */
    struct lower_variant variant;
};

const struct lower_row *lower_row_of(str name); /* NULL: not in the table */

/* ---- kernels ---- */

/* Adds a kernel with these sizes, ended by 0 or as many as the form has. A size of 0 makes the call empty instead. */
void lower_add(struct lower_work *work, enum kernel_form form, enum dtype dtype, const int64_t *sizes);

/* The one added last. */
static inline struct kernel *lower_last(struct lower_work *work)
{
    return work->count ? &work->kernels[work->count - 1] : NULL;
}

/* `count` equal kernels in place of the one added last. */
void lower_repeat(struct lower_work *work, uint32_t count);

/* Answers false with the reason. */
bool lower_miss(struct lower_work *work, const char *why);

/* A kernel that moves what an unknown operator touches of its arguments (lower_bytes.c). */
bool lower_bytes_alone(struct lower_work *work);

/* ---- arguments ---- */

/* The element type, fp32 where it was not recorded; inside a list, that of the first tensor where types are given. */
enum dtype lower_dtype(const struct op_call *call, uint32_t i);
int64_t lower_bytes(const struct op_call *call, uint32_t i); /* of all tensors of the argument; -1: no tensor there */

/* Product of all sizes but the last; the last. Of a scalar 1 and 1. */
int64_t dims_rows(struct tensor_dims dims);
int64_t dims_cols(struct tensor_dims dims);

/* A dimension as recorded, negative ones from the end; `otherwise` where it was not. Within the rank. */
uint32_t call_axis(const struct op_call *call, uint32_t i, uint32_t rank, int64_t otherwise);

/* ---- lowerings ---- */

lower_fn lower_mm;          /* a: first matrix, b: second */
lower_fn lower_bmm;         /* the same */
lower_fn lower_linear;      /* input 0, weight 1 */
lower_fn lower_matmul;      /* operands of any rank, 0 and 1 */
lower_fn lower_addmm_back;  /* of addmm, linear and mm: from the forward call; a: first matrix, b: second */
lower_fn lower_bmm_back;    /* the same of bmm */
lower_fn lower_linear_back; /* the same of linear: a: whether the incoming gradient is argument 1 (else 0) */

lower_fn lower_convolution;      /* a: place of the paddings, b: of the strides, c: of the groups */
lower_fn lower_convolution_back; /* a: gradient, b: input, c: weight */
lower_fn lower_attention;        /* a: place of the causal flag, -1 none; b: 1 where sequence comes before heads */
lower_fn lower_attention_back;   /* the same; the gradient comes first */

lower_fn lower_elementwise; /* a: operands; c: type written: 0 as promoted, 1 bool; word: variant */
lower_fn lower_fill;        /* a: tensor */
lower_fn lower_copy;        /* a: destination, b: source */
lower_fn lower_cast;        /* `to`, `clone`, `contiguous`: tensor a copied whole */
lower_fn lower_reduction;   /* a: tensor, b: place of the dimensions; c: passes over it */
lower_fn lower_sum;         /* the same; whole numbers are widened first */
lower_fn lower_loss;        /* element-wise on a operands, then a reduction to one number */
lower_fn lower_loss_back;   /* a: operands */
lower_fn lower_nll;         /* a: tensor; backward where b */
lower_fn lower_softmax;     /* a: tensor, b: place of the dimension; backward where c */
lower_fn lower_layer_norm;  /* a: tensor, b: place of the normalized shape; backward where c */
lower_fn lower_group_norm;  /* a: tensor, b: place of the number of groups; backward where c */
lower_fn lower_batch_norm;  /* a: tensor; backward where c */
lower_fn lower_dropout;     /* a: tensor; backward where c */
lower_fn lower_pool;        /* a: tensor, b: place of the window (-1: adaptive, the output instead); */
lower_fn lower_pool_back;   /* a: gradient, b: input */
lower_fn lower_resize;      /* a: tensor, b: place of the output's sizes */

lower_fn lower_cat;       /* list a */
lower_fn lower_index;     /* a: tensor; b: index; each of its elements fetches c: 0 one, 1 the rest of the tensor */
lower_fn lower_index_put; /* a: tensor, b: values that are added or written */
lower_fn lower_triangle;  /* a: tensor */
lower_fn lower_scan;      /* sort, cumulative sums, nonzero: a: tensor, b: passes */
lower_fn lower_embedding; /* a: table, b: indices */
lower_fn lower_embedding_back; /* a: gradient, b: indices, c: place of the number of rows */
lower_fn lower_bag;            /* a: table, b: indices, c: offsets */
lower_fn lower_bag_back;       /* a: gradient, b: indices, c: place of the number of rows */
lower_fn lower_lookup;         /* several tables as one, by its forward or own arguments; backward where c */

lower_fn lower_lists;     /* foreach: a: lists read or written, each as long as the first; b: more tensors a step */
lower_fn lower_optimizer; /* fused: a: states a parameter */

#endif
