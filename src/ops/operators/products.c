/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices and their gradients: 2 m n k, as torch.utils.flop_counter
 * counts them (mm_flop, addmm_flop, bmm_flop, baddbmm_flop). Of C = A B, with A
 * m x k and B k x n,
 *
 *     dA = dC B^T      m x n times n x k
 *     dB = A^T dC      k x m times m x n
 *
 * and a bias has the column sums of dC.
 */
#include "reading.h"

struct product {
    int64_t batch, m, reduced, n;
};

static void add_product(struct reading *reading, enum kernel_form form, enum dtype dtype, const struct product *p,
                        bool backward)
{
    reading_add(reading,
                (struct kernel){
                    .form = form, .backward = backward, .dtype = dtype, .product = {p->batch, p->m, p->reduced, p->n}});
}

/* Each operand is read and the result written once. */
static void say_least(struct reading *reading, int left, int right, const struct product *p)
{
    const struct op_call *call = &reading->call;
    const enum dtype dtype = call_dtype(call, left);
    const enum dtype written = reading->row->writes == WRITES_I32 ? DTYPE_I32 : dtype;
    const int64_t results = figure_product(p->batch, figure_product(p->m, p->n));
    const int64_t read = sum_known(call_bytes(call, left), call_bytes(call, right));
    reading->least = (struct op_cost){
        .flops = figure_product(2, figure_product(results, p->reduced)),
        .bytes = sum_known(read, figure_bytes(results, written)),
        .dtype = dtype,
        .matrix = true,
    };
}

static bool say_product(struct reading *reading, enum kernel_form form, int left, int right, const struct product *p)
{
    say_least(reading, left, right, p);
    add_product(reading, form, call_kernel_dtype(&reading->call, left), p, false);
    return true;
}

static const char no_product[] = "its operands are no matrices that fit";

/* ---- shapes ---- */

static bool mm_of(const struct op_call *call, int left, int right, struct product *p)
{
    const struct tensor_dims a = call_dims(call, left), b = call_dims(call, right);
    if (a.rank != 2 || b.rank < 1 || b.rank > 2 || a.at[1] != b.at[0])
        return false;
    *p = (struct product){1, a.at[0], a.at[1], b.rank == 2 ? b.at[1] : 1};
    return true;
}

static bool bmm_of(const struct op_call *call, int left, int right, struct product *p)
{
    const struct tensor_dims a = call_dims(call, left), b = call_dims(call, right);
    if (a.rank != 3 || b.rank != 3 || a.at[0] != b.at[0] || a.at[2] != b.at[1])
        return false;
    *p = (struct product){a.at[0], a.at[1], a.at[2], b.at[2]};
    return true;
}

/* input [..., k], weight [n, k] or [k]. */
static bool linear_of(const struct op_call *call, struct product *p)
{
    const struct tensor_dims input = call_dims(call, 0), weight = call_dims(call, 1);
    if (input.rank < 1 || weight.rank < 1 || weight.rank > 2 || dims_cols(input) != dims_cols(weight))
        return false;
    *p = (struct product){1, dims_rows(input), dims_cols(input), weight.rank == 2 ? weight.at[0] : 1};
    return true;
}

/* Batch dimensions of both operands broadcast from the right; -1 where they do not. */
static int64_t broadcast_batch(struct tensor_dims a, struct tensor_dims b)
{
    const uint32_t a_rank = a.rank > 2 ? a.rank - 2 : 0, b_rank = b.rank > 2 ? b.rank - 2 : 0;
    int64_t batch = 1;
    for (uint32_t i = 0; i < a_rank || i < b_rank; i++) {
        const int64_t x = i < a_rank ? a.at[a_rank - 1 - i] : 1, y = i < b_rank ? b.at[b_rank - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            return -1;
        batch = figure_product(batch, x == 1 ? y : x);
    }
    return batch;
}

/*
 * A vector is a row on the left and a column on the right. Matrices in front of a single one on the right are folded into
 * one product.
 */
static bool matmul_of(const struct op_call *call, struct product *p)
{
    const struct tensor_dims a = call_dims(call, 0), b = call_dims(call, 1);
    if (a.rank < 1 || b.rank < 1)
        return false;
    const int64_t k = b.rank > 1 ? b.at[b.rank - 2] : b.at[0], n = b.rank > 1 ? b.at[b.rank - 1] : 1;
    const int64_t batch = b.rank <= 2 ? 1 : broadcast_batch(a, b);
    if (dims_cols(a) != k || batch < 0)
        return false;
    *p = (struct product){batch, b.rank <= 2 ? dims_rows(a) : a.rank > 1 ? a.at[a.rank - 2] : 1, k, n};
    return true;
}

/* ---- forward ---- */

bool read_mm(struct reading *reading)
{
    struct product p;
    const int left = reading->row->tensor, right = reading->row->with;
    return mm_of(&reading->call, left, right, &p) ? say_product(reading, FORM_LINEAR, left, right, &p)
                                                  : reading_miss(reading, no_product);
}

bool read_bmm(struct reading *reading)
{
    struct product p;
    const int left = reading->row->tensor, right = reading->row->with;
    return bmm_of(&reading->call, left, right, &p) ? say_product(reading, FORM_BMM, left, right, &p)
                                                   : reading_miss(reading, no_product);
}

bool read_linear(struct reading *reading)
{
    struct product p;
    return linear_of(&reading->call, &p) ? say_product(reading, FORM_LINEAR, 0, 1, &p)
                                         : reading_miss(reading, no_product);
}

bool read_matmul(struct reading *reading)
{
    struct product p;
    return matmul_of(&reading->call, &p) ? say_product(reading, p.batch > 1 ? FORM_BMM : FORM_LINEAR, 0, 1, &p)
                                         : reading_miss(reading, no_product);
}

/* ---- gradients ---- */

static void add_gradients(struct reading *reading, enum kernel_form form, enum dtype dtype, const struct product *p)
{
    add_product(reading, form, dtype, &(struct product){p->batch, p->m, p->n, p->reduced}, true);
    add_product(reading, form, dtype, &(struct product){p->batch, p->reduced, p->m, p->n}, true);
}

static void add_column_sums(struct reading *reading, enum dtype dtype, const struct product *p)
{
    reading_add(reading,
                (struct kernel){.form = FORM_REDUCTION, .dtype = dtype, .variant = S("columns"), .rows = {p->n, p->m}});
}

static const char no_forward[] = "the call whose gradient it computes is not known";

/* addmm has its bias first. */
bool read_mm_gradients(struct reading *reading)
{
    struct product p;
    const int left = reading->row->tensor;
    if (!mm_of(&reading->forward, left, reading->row->with, &p) && !linear_of(&reading->forward, &p))
        return reading_miss(reading, no_forward);
    const enum dtype dtype = call_kernel_dtype(&reading->forward, left);
    add_gradients(reading, FORM_LINEAR, dtype, &p);
    if (left > 0)
        add_column_sums(reading, dtype, &p);
    return true;
}

bool read_bmm_gradients(struct reading *reading)
{
    struct product p;
    const int left = reading->row->tensor;
    if (!bmm_of(&reading->forward, left, reading->row->with, &p))
        return reading_miss(reading, no_forward);
    add_gradients(reading, FORM_BMM, call_kernel_dtype(&reading->forward, left), &p);
    return true;
}

/* linear_backward(input, grad_output, weight, mask) has all it needs; an autograd node has its forward call. */
bool read_linear_gradients(struct reading *reading)
{
    struct product p;
    const bool node = reading->row->of_forward;
    const struct op_call *call = node ? &reading->forward : &reading->call;
    const struct tensor_dims weight = call_dims(call, 2);
    if (!node && weight.rank == 2)
        p = (struct product){1, dims_rows(call_dims(call, 0)), weight.at[1], weight.at[0]};
    else if (!linear_of(&reading->forward, &p))
        return reading_miss(reading, no_forward);
    add_gradients(reading, FORM_LINEAR, call_kernel_dtype(call, 0), &p);
    add_column_sums(reading, DTYPE_F32, &p);
    return true;
}
