/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers share: the row, the call's arguments as read, the kernels and the least work so far. */
#ifndef OPS_OPERATORS_READING_H
#define OPS_OPERATORS_READING_H

#include "operators.h"
#include "base/sum.h"
#include "ops/words/shape.h"

/* ---- a row of the catalogue ---- */

struct reading;

/* False: `why` says what keeps the kernels unknown. No kernels and true: the call launches nothing. */
typedef bool read_fn(struct reading *reading);

/* Where a schema of convolutions keeps what the output's size depends on; NO_ARGUMENT: not there. */
struct window_places {
    int stride, padding, dilation, groups;
    int transposed; /* place of the flag */
    bool always_transposed;
    int output_padding;
};

enum writes { WRITES_OPERANDS_TYPE, WRITES_BOOL, WRITES_WITH_MASK, WRITES_INDICES, WRITES_I32 };

/* Which of these fields a reader reads, it says where it is declared below. */
struct operator_row {
    const char *names; /* patterns of rules.h, between bars; the first row that fits counts */
    enum lowering_way way;
    read_fn *read;   /* NULL: nothing to be said, see way */
    int tensor;      /* place of the tensor that counts; of a product the left one */
    int with;        /* of the second one: right matrix, index, source */
    int place;       /* of what else is read: dimensions, causal flag, sizes of the result */
    int operands;    /* of an element-wise operator, a list, an optimizer's states, passes of a scan */
    int each;        /* flops an element */
    bool backward;   /* a gradient */
    bool of_forward; /* read from the call whose gradient it is */
    enum writes writes;
    const struct window_places *window;
    const char *word;                   /* variant of the kernels; NULL: none */
    const char *flops, *bytes, *source; /* the formula in words; NULL: no cost is said */
};

extern const struct operator_row operator_rows[];
extern const uint32_t operator_row_count;

const struct operator_row *operator_row_of(str name); /* NULL: not in the catalogue */

/* ---- a call under work ---- */

/* The arguments of a call, parsed. */
struct op_call {
    struct shape shape, strides; /* no strides: not recorded */
    struct text_list types, values;
    bool in_place; /* the name ends in "_": the first argument is the output */
};

struct reading {
    const struct operator_row *row;
    const struct operator_call *asked;
    struct op_call call;
    struct op_call forward; /* those of the forward call; no arguments where they are not known */
    struct arena *arena;    /* of the answer */
    struct kernel *kernels;
    uint32_t count, room;
    bool empty;           /* a tensor without elements: launches nothing, and that is no error */
    const char *why;      /* what is missing, set where a reader answers false */
    struct op_cost least; /* -1 until a reader says it */
};

/* Adds a kernel; a size of 0 makes the call empty instead. The one added last, or NULL. */
struct kernel *reading_add(struct reading *reading, struct kernel kernel);

/* `count` equal kernels in place of the one added last. */
void reading_repeat(struct reading *reading, uint32_t count);

/* What recorded kernels tell beyond the arguments (launched.c). */
void reading_take_launched(struct reading *reading);

/* Answers false with the reason. */
bool reading_miss(struct reading *reading, const char *why);

/* A kernel that moves what an unknown operator touches of its arguments (unknown.c). */
bool read_unknown(struct reading *reading);

/* ---- arguments ---- */

const struct shape_argument *call_argument_at(const struct op_call *call, int i); /* NULL where it has none */
bool call_has(const struct op_call *call, int i); /* a tensor of known sizes, scalars of known type included */
struct tensor_dims call_dims(const struct op_call *call, int i);           /* rank 0 where there is none */
bool call_boolean(const struct op_call *call, int i, bool *flag);          /* false: not recorded */
bool call_integer(const struct op_call *call, int i, int64_t *value);      /* the same */
str call_value(const struct op_call *call, int i);                         /* "" where it was not recorded */
const struct shape_argument *call_list(const struct op_call *call, int i); /* NULL: no list there */

/* Sizes a spatial dimension: a list of `rank` values, or one that stands for all. False: not recorded. */
bool call_sizes(const struct op_call *call, int i, uint32_t rank, int64_t *sizes);

/* A dimension as recorded, negative ones from the end; `otherwise` where it was not. Within the rank. */
uint32_t call_axis(const struct op_call *call, int i, uint32_t rank, int64_t otherwise);

/* The type as recorded; and what a model takes it for: fp32 where it was not, of a list that of its first tensor. */
enum dtype call_dtype(const struct op_call *call, int i);
enum dtype call_kernel_dtype(const struct op_call *call, int i);

/* Elements and bytes of an argument; a list counts all its tensors. -1: no tensor there, or its type is not known. */
int64_t call_elements(const struct op_call *call, int i);
int64_t call_bytes(const struct op_call *call, int i);
int64_t call_kernel_bytes(const struct op_call *call, int i); /* with the type that a model takes it for */

/* Bytes that a tensor has in memory: a dimension that is expanded (stride 0) holds one and the same element. */
int64_t call_stored_bytes(const struct op_call *call, int i);

/* Whether the last dimension of the tensor does not lie side by side, by its recorded strides. */
bool call_transposed(const struct op_call *call, int i);

/* Product of all sizes but the last; the last. Of a scalar 1 and 1. */
int64_t dims_rows(struct tensor_dims dims);
int64_t dims_cols(struct tensor_dims dims);

/* Sizes without the leading dimensions. */
static inline struct tensor_dims dims_from(struct tensor_dims dims, uint32_t first)
{
    return first < dims.rank ? (struct tensor_dims){dims.at + first, dims.rank - first} : (struct tensor_dims){NULL, 0};
}

/* ---- figures: -1 is unknown and stays so ---- */

int64_t figure_product(int64_t a, int64_t b);
int64_t figure_bytes(int64_t elements, enum dtype dtype); /* -1 for DTYPE_UNKNOWN, 0 for DTYPE_NONE */

/* ---- readers ---- */

/* products.c. Gradients: of_forward, unless the row has the arguments itself. */
read_fn read_mm;               /* tensor, with: matrices; writes */
read_fn read_bmm;              /* the same */
read_fn read_linear;           /* input 0, weight 1 */
read_fn read_matmul;           /* operands of any rank, 0 and 1 */
read_fn read_mm_gradients;     /* tensor, with: those of the forward call */
read_fn read_bmm_gradients;    /* the same */
read_fn read_linear_gradients; /* of_forward, or (input, gradient, weight) */

/* convolutions.c */
read_fn read_convolution;           /* window */
read_fn read_convolution_gradients; /* tensor: gradient, with: input; weight behind; window */

/* attention.c */
read_fn
    read_attention; /* tensor: queries; place: causal flag or kind of mask; operands: 1 where sequence is before heads */

/* recurrent.c */
read_fn read_recurrent; /* tensor: state; place: sizes of steps, the mask of a gradient last; backward */
read_fn read_cell;      /* tensor: gates; operands: tensors of their size that are read or written */

/* elements.c */
read_fn read_elementwise;    /* operands, each, writes, word */
read_fn read_dropout;        /* tensor, each, backward */
read_fn read_loss;           /* operands, each: terms, then their sum */
read_fn read_loss_gradients; /* the same */
read_fn read_nll;            /* tensor, with: target; backward */

/* rows.c */
read_fn read_softmax;    /* tensor, place: dimension; each, backward, word */
read_fn read_layer_norm; /* tensor, place: normalized shape; each, backward */
read_fn read_group_norm; /* tensor, place: number of groups; each, backward */
read_fn read_batch_norm; /* tensor, each, backward */
read_fn read_reduction;  /* tensor, place: dimensions; each, operands: passes, writes */
read_fn read_dot;        /* of two vectors */
read_fn read_sum;        /* the same; whole numbers are widened first */

/* windows.c */
read_fn read_pool;           /* tensor, place: window, stride and padding behind; writes indices */
read_fn read_adaptive_pool;  /* tensor, place: sizes of the result */
read_fn read_pool_gradients; /* tensor: gradient, with: input; writes */
read_fn read_resize;         /* tensor, place: sizes of the result */

/* moves.c */
read_fn read_fill; /* tensor */
read_fn read_copy; /* tensor: destination, with: source */
read_fn read_cast; /* tensor copied whole */
read_fn read_cat;  /* tensor: list */

/* indexing.c */
read_fn read_gather;    /* tensor, with: index, each element of which fetches one */
read_fn read_index;     /* the same; each fetches the rest of the tensor */
read_fn read_select;    /* the same, along the dimension at `place` */
read_fn read_index_put; /* tensor, with: values that are added or written; operands: 1 where indices are sorted first */
read_fn read_triangle;  /* tensor */
read_fn read_scan;      /* tensor, operands: passes; each */

/* lookups.c */
read_fn read_embedding;           /* tensor: table, with: indices */
read_fn read_bag;                 /* the same; place: offsets */
read_fn read_embedding_gradients; /* tensor: gradient, with: indices, place: number of rows */
read_fn read_lookup;              /* several tables as one; of_forward, backward */

/* lists.c */
read_fn read_lists; /* operands: lists read or written besides; each; writes: a new list besides (unless in place) */
read_fn read_optimizer; /* operands: states a parameter; each */

#endif
