/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices and their gradients. Of C = A B, with A m x k and B k x n,
 *
 *     dA = dC B^T      m x n times n x k
 *     dB = A^T dC      k x m times m x n
 *
 * and a bias has the column sums of dC. In a kernel's sizes the reduction stands third.
 */
#include "lower_work.h"

struct product {
    int64_t batch, m, reduced, n;
};

static void add_product(struct lower_work *work, enum kernel_form form, enum dtype dtype, const struct product *p)
{
    lower_add(work, form, dtype, (const int64_t[]){p->batch, p->m, p->reduced, p->n});
}

static const char no_product[] = "its operands are no matrices that fit";

static bool read_mm(const struct op_call *call, const struct lower_variant *v, struct product *p)
{
    const struct tensor_dims a = call_dims(call, (uint32_t)v->a), b = call_dims(call, (uint32_t)v->b);
    if (a.rank != 2 || b.rank < 1 || b.rank > 2 || a.at[1] != b.at[0])
        return false;
    *p = (struct product){1, a.at[0], a.at[1], b.rank == 2 ? b.at[1] : 1};
    return true;
}

static bool read_bmm(const struct op_call *call, const struct lower_variant *v, struct product *p)
{
    const struct tensor_dims a = call_dims(call, (uint32_t)v->a), b = call_dims(call, (uint32_t)v->b);
    if (a.rank != 3 || b.rank != 3 || a.at[0] != b.at[0] || a.at[2] != b.at[1])
        return false;
    *p = (struct product){a.at[0], a.at[1], a.at[2], b.at[2]};
    return true;
}

/* input [..., k], weight [n, k] or [k]. */
static bool read_linear(const struct op_call *call, struct product *p)
{
    const struct tensor_dims input = call_dims(call, 0), weight = call_dims(call, 1);
    if (input.rank < 1 || weight.rank < 1 || weight.rank > 2 || dims_cols(input) != dims_cols(weight))
        return false;
    *p = (struct product){1, dims_rows(input), dims_cols(input), weight.rank == 2 ? weight.at[0] : 1};
    return true;
}

/* Of torch.matmul, whose matrices in front of a single one on the right are folded into one product. */
static bool read_matmul(const struct op_call *call, struct product *p)
{
    const struct tensor_dims a = call_dims(call, 0), b = call_dims(call, 1);
    if (a.rank < 1 || b.rank < 1)
        return false;
    const int64_t k = b.rank > 1 ? b.at[b.rank - 2] : b.at[0], n = b.rank > 1 ? b.at[b.rank - 1] : 1;
    if (dims_cols(a) != k)
        return false;
    *p = (struct product){1, dims_rows(a), k, n};
    if (b.rank <= 2)
        return true;
    const int64_t batches = dims_elements((struct tensor_dims){b.at, b.rank - 2}),
                  m = a.rank > 1 ? a.at[a.rank - 2] : 1;
    const int64_t own = a.rank > 2 ? dims_elements((struct tensor_dims){a.at, a.rank - 2}) : 1;
    *p = (struct product){batches > own ? batches : own, m, k, n};
    return true;
}

bool lower_mm(struct lower_work *work, const struct lower_variant *v)
{
    struct product p;
    if (!read_mm(&work->call, v, &p))
        return lower_miss(work, no_product);
    add_product(work, FORM_LINEAR, lower_dtype(&work->call, (uint32_t)v->a), &p);
    return true;
}

bool lower_bmm(struct lower_work *work, const struct lower_variant *v)
{
    struct product p;
    if (!read_bmm(&work->call, v, &p))
        return lower_miss(work, no_product);
    add_product(work, FORM_BMM, lower_dtype(&work->call, (uint32_t)v->a), &p);
    return true;
}

bool lower_linear(struct lower_work *work, const struct lower_variant *v)
{
    (void)v;
    struct product p;
    if (!read_linear(&work->call, &p))
        return lower_miss(work, no_product);
    add_product(work, FORM_LINEAR, lower_dtype(&work->call, 0), &p);
    return true;
}

bool lower_matmul(struct lower_work *work, const struct lower_variant *v)
{
    (void)v;
    struct product p;
    if (!read_matmul(&work->call, &p))
        return lower_miss(work, no_product);
    add_product(work, p.batch > 1 ? FORM_BMM : FORM_LINEAR, lower_dtype(&work->call, 0), &p);
    return true;
}

/* ---- gradients ---- */

static void add_gradients(struct lower_work *work, enum kernel_form form, enum dtype dtype, const struct product *p)
{
    add_product(work, form, dtype, &(struct product){p->batch, p->m, p->n, p->reduced});
    add_product(work, form, dtype, &(struct product){p->batch, p->reduced, p->m, p->n});
    for (uint32_t i = 0; i < work->count; i++)
        work->kernels[i].backward = true;
}

static void add_column_sums(struct lower_work *work, enum dtype dtype, const struct product *p)
{
    lower_add(work, FORM_REDUCTION, dtype, (const int64_t[]){p->n, p->m});
    if (work->count)
        lower_last(work)->variant = S("columns");
}

static const char no_forward[] = "the call whose gradient it computes is not known";

/* addmm has its bias first. */
bool lower_addmm_back(struct lower_work *work, const struct lower_variant *v)
{
    struct product p;
    if (!read_mm(&work->forward, v, &p) && !read_linear(&work->forward, &p))
        return lower_miss(work, no_forward);
    const enum dtype dtype = lower_dtype(&work->forward, (uint32_t)v->a);
    add_gradients(work, FORM_LINEAR, dtype, &p);
    if (v->a > 0)
        add_column_sums(work, dtype, &p);
    return true;
}

bool lower_bmm_back(struct lower_work *work, const struct lower_variant *v)
{
    struct product p;
    if (!read_bmm(&work->forward, v, &p))
        return lower_miss(work, no_forward);
    add_gradients(work, FORM_BMM, lower_dtype(&work->forward, (uint32_t)v->a), &p);
    return true;
}

/* linear_backward(input, grad_output, weight, mask) has all it needs; an autograd node has its forward call. */
bool lower_linear_back(struct lower_work *work, const struct lower_variant *v)
{
    struct product p;
    const struct tensor_dims weight = call_dims(&work->call, 2);
    if (v->a && weight.rank == 2)
        p = (struct product){1, dims_rows(call_dims(&work->call, 0)), weight.at[1], weight.at[0]};
    else if (!read_linear(&work->forward, &p))
        return lower_miss(work, no_forward);
    add_gradients(work, FORM_LINEAR, lower_dtype(v->a ? &work->call : &work->forward, 0), &p);
    add_column_sums(work, DTYPE_F32, &p);
    return true;
}
