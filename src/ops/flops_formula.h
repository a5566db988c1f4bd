/* SPDX-License-Identifier: Apache-2.0 */
/* What the formulas of flops_*.c share: arguments as read, and sums that know when they stop being known. */
#ifndef OPS_FLOPS_FORMULA_H
#define OPS_FLOPS_FORMULA_H

#include "flops.h"

/* The arguments of a call, parsed. */
struct op_call {
    struct shape shape, strides; /* no strides: not recorded */
    struct text_list types, values;
    bool in_place; /* the name ends in "_": the first argument is the output */
};

/* Which call of the table: a formula serves many operators that differ in the place or number of their arguments. */
struct op_variant {
    int a, b, c, d;
};

typedef struct op_cost op_formula_fn(const struct op_call *call, const struct op_variant *variant);

/* ---- arguments ---- */

bool call_has(const struct op_call *call, uint32_t i); /* a tensor of known sizes, scalars of known type included */
struct tensor_dims call_dims(const struct op_call *call, uint32_t i); /* rank 0 where there is none */
enum dtype call_dtype(const struct op_call *call, uint32_t i);
bool call_boolean(const struct op_call *call, uint32_t i, bool *flag);     /* false: not recorded */
bool call_integer(const struct op_call *call, uint32_t i, int64_t *value); /* the same */

/* Sizes a spatial dimension: a list of `rank` values, or one that stands for all. False: not recorded. */
bool call_sizes(const struct op_call *call, uint32_t i, uint32_t rank, int64_t *sizes);

/* Sizes without the leading dimensions. */
static inline struct tensor_dims dims_from(struct tensor_dims dims, uint32_t first)
{
    return first < dims.rank ? (struct tensor_dims){dims.at + first, dims.rank - first} : (struct tensor_dims){NULL, 0};
}

/* ---- figures: -1 is unknown and stays so ---- */

int64_t figure_product(int64_t a, int64_t b);
int64_t figure_sum(int64_t a, int64_t b);
int64_t figure_bytes(int64_t elements, enum dtype dtype); /* -1 for DTYPE_UNKNOWN, 0 for DTYPE_NONE */

/* Elements and bytes of an argument; a list counts all its tensors. */
int64_t call_elements(const struct op_call *call, uint32_t i);
int64_t call_bytes(const struct op_call *call, uint32_t i);

/* Bytes that a tensor has in memory: a dimension that is expanded (stride 0) holds one and the same element. */
int64_t call_stored_bytes(const struct op_call *call, uint32_t i);

static inline struct op_cost no_cost(void)
{
    return (struct op_cost){-1, -1, DTYPE_UNKNOWN, false};
}

/* ---- formulas ---- */

op_formula_fn cost_mm;     /* a: first matrix, b: second */
op_formula_fn cost_matmul; /* any rank */
op_formula_fn cost_linear;
op_formula_fn cost_bmm;                  /* a, b as in cost_mm */
op_formula_fn cost_convolution;          /* a: place of padding etc., see flops_convolution.c */
op_formula_fn cost_convolution_backward; /* a: grad_output, b: input, c: weight, d: output_mask */
op_formula_fn cost_attention; /* a: query, b: 1 if sequence comes before heads, c: causal flag, d: integer mask kind */
op_formula_fn cost_attention_backward; /* the same */
op_formula_fn
    cost_elementwise; /* a: operands, b: flops an element, c: 1 if the output is bool, 2 if a mask of bool is written too */
op_formula_fn cost_copy;      /* a: destination, b: source */
op_formula_fn cost_fill;      /* a: destination */
op_formula_fn cost_lists;     /* a: flops an element; foreach and fused optimizers over the first list */
op_formula_fn cost_reduction; /* a: flops an element, b: place of the dimensions, c: 1 if the output is of indices */
op_formula_fn cost_rows; /* softmax and norms: a: input, b: flops an element, c: tensors of its size read, d: written */
op_formula_fn cost_embedding; /* a: weight, b: indices */
op_formula_fn cost_embedding_bag;
op_formula_fn cost_embedding_backward; /* a: gradient, b: indices, c: place of num_weights */
op_formula_fn cost_gather;             /* a: input, b: index */
op_formula_fn cost_cat;
op_formula_fn cost_pool;          /* a: 1 if indices are written too */
op_formula_fn cost_pool_backward; /* the same */
op_formula_fn cost_adaptive_pool;
op_formula_fn cost_loss; /* a: flops an element */

#endif
