/* SPDX-License-Identifier: Apache-2.0 */
/* The words of operators in tables and lists of graphs, and the kernels that they mean. */
#include "table.h"

#include "ops/rows/collective.h"

/* Tensors that an element-wise operator reads and writes, each of all elements. */
enum { UNARY = 2, BINARY = 3 };

struct word {
    const char *op;
    enum kernel_form form;
    uint32_t numbers;
    int64_t accesses; /* of element-wise operators; of collectives the kind */
};

static const struct word words[] = {
    {"bmm", FORM_BMM, 4, 0},
    {"linear", FORM_LINEAR, 4, 0},
    {"add", FORM_ELEMENTWISE, 2, BINARY},
    {"addu", FORM_ELEMENTWISE, 2, UNARY},
    {"sub", FORM_ELEMENTWISE, 2, BINARY},
    {"subu", FORM_ELEMENTWISE, 2, UNARY},
    {"mul", FORM_ELEMENTWISE, 2, BINARY},
    {"mulu", FORM_ELEMENTWISE, 2, UNARY},
    {"div", FORM_ELEMENTWISE, 2, BINARY},
    {"divu", FORM_ELEMENTWISE, 2, UNARY},
    {"pow", FORM_ELEMENTWISE, 2, BINARY},
    {"powu", FORM_ELEMENTWISE, 2, UNARY},
    {"relu", FORM_ELEMENTWISE, 2, UNARY},
    {"gelu", FORM_ELEMENTWISE, 2, UNARY},
    {"tanh", FORM_ELEMENTWISE, 2, UNARY},
    {"softmax", FORM_SOFTMAX, 2, 0},
    {"ln", FORM_LAYER_NORM, 2, 0},
    {"conv", FORM_CONVOLUTION, 7, 0},
    {"gemm_fp8", FORM_LINEAR, 3, 0},
    {"all_reduce", FORM_COLLECTIVE, 3, COLLECTIVE_ALL_REDUCE},
    {"all_gather", FORM_COLLECTIVE, 3, COLLECTIVE_ALL_GATHER},
    {"reduce_scatter", FORM_COLLECTIVE, 3, COLLECTIVE_REDUCE_SCATTER},
    {"all_to_all", FORM_COLLECTIVE, 3, COLLECTIVE_ALL_TO_ALL},
    {"broadcast", FORM_COLLECTIVE, 3, COLLECTIVE_BROADCAST},
    {"reduce", FORM_COLLECTIVE, 3, COLLECTIVE_REDUCE},
    {"send_recv", FORM_COLLECTIVE, 3, COLLECTIVE_POINT_TO_POINT},
    {"iteration", FORM_ITERATION, 9, 0},
};
enum { WORDS = sizeof words / sizeof *words };

/* in_channels ... padding of the table, as the form orders them: square windows and inputs, one group. */
static void set_convolution(const int64_t *n, struct kernel *kernel)
{
    const struct axis side = {.size = n[4], .window = n[3], .stride = n[5], .padding = n[6], .dilation = 1};
    kernel->convolution.batch = n[0];
    kernel->convolution.in = n[1];
    kernel->convolution.out = n[2];
    kernel->convolution.groups = 1;
    kernel->convolution.axes[0] = axis_of_one();
    kernel->convolution.axes[1] = kernel->convolution.axes[2] = side;
}

/* The table's N is the width of the output; the form's n is the reduction. */
static void set_fp8(const int64_t *n, struct kernel *kernel)
{
    kernel->product.batch = 1;
    kernel->product.m = n[0];
    kernel->product.reduced = n[2];
    kernel->product.n = n[1];
    kernel->dtype = DTYPE_F8;
}

/* Bytes of the message, ranks, ranks of a server. */
static void set_collective(const struct word *word, const int64_t *n, struct kernel *kernel)
{
    kernel->collective.kind = word->accesses + 1;
    kernel->collective.bytes = n[0];
    kernel->collective.ranks = n[1];
    kernel->collective.server_ranks = n[2];
}

static void set_sizes(const struct word *word, const int64_t *sizes, struct kernel *kernel)
{
    if (word->form == FORM_CONVOLUTION) {
        set_convolution(sizes, kernel);
        return;
    }
    if (word->form == FORM_LINEAR && word->numbers == 3) {
        set_fp8(sizes, kernel);
        return;
    }
    if (word->form == FORM_COLLECTIVE) {
        set_collective(word, sizes, kernel);
        return;
    }
    const struct form_sizes named = form_sizes_of(word->form);
    for (uint32_t i = 0; i < word->numbers; i++)
        kernel_set_size(kernel, &named.at[i], sizes[i]);
    if (word->form == FORM_ELEMENTWISE)
        kernel->elements.accesses = word->accesses;
}

bool op_word_known(str op)
{
    for (int i = 0; i < WORDS; i++)
        if (str_eq(op, str_of(words[i].op)))
            return true;
    return false;
}

const char *kernel_of_op(str op, const int64_t *sizes, uint32_t count, struct kernel *kernel)
{
    for (int i = 0; i < WORDS; i++) {
        const struct word *word = &words[i];
        if (!str_eq(op, str_of(word->op)))
            continue;
        if (count != word->numbers)
            return "its columns are those of another operator";
        *kernel = (struct kernel){.form = word->form, .dtype = DTYPE_F32, .variant = str_of(word->op)};
        set_sizes(word, sizes, kernel);
        return kernel_check(kernel);
    }
    return "an operator of no known word";
}
