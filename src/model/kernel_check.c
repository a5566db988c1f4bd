/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernel.h"

/* The largest product of a kernel's sizes: beyond it a double is no longer exact, and nothing real is that large. */
static const double most_work = 9007199254740992.0; /* 2^53 */

struct size_names {
    const char *zero[KERNEL_SIZES]; /* what is wrong where a size is 0 or less; NULL ends them */
    uint32_t may_be_zero;           /* bits: sizes whose 0 means something */
};

static const struct size_names names[FORMS] = {
    [FORM_BMM] = {{"b is 0 or less", "m is 0 or less", "n is 0 or less", "k is 0 or less"}, 0},
    [FORM_LINEAR] = {{"b is 0 or less", "m is 0 or less", "n is 0 or less", "k is 0 or less"}, 0},
    [FORM_CONVOLUTION] = {{"the batch is 0 or less", "there are no input channels", "there are no output channels",
                           "the window has no height", "the window has no width", "the input has no height",
                           "the input has no width", "the stride is 0 or less", "the padding is less than 0",
                           "there are no groups"},
                          1u << 8},
    [FORM_ELEMENTWISE] = {{"rows is 0 or less", "cols is 0 or less", "it reads and writes nothing"}, 0},
    [FORM_SOFTMAX] = {{"rows is 0 or less", "cols is 0 or less"}, 0},
    [FORM_LAYER_NORM] = {{"rows is 0 or less", "cols is 0 or less"}, 0},
    [FORM_DROPOUT] = {{"rows is 0 or less", "cols is 0 or less"}, 0},
    [FORM_BATCH_NORM] = {{"the batch is 0 or less", "there are no channels", "there are no positions"}, 0},
    [FORM_POOLING] = {{"there are no planes", "no positions are read", "no positions are written",
                       "the window is 0 or less"},
                      0},
    [FORM_REDUCTION] = {{"rows is 0 or less", "cols is 0 or less"}, 0},
    [FORM_EMBEDDING] = {{"the batch is 0 or less", "there are no tables", "a table has no rows", "the bag is empty",
                         "a row has no width"},
                        0},
    [FORM_TRANSPOSE] = {{"the batch is 0 or less", "rows is 0 or less", "cols is 0 or less"}, 0},
    [FORM_INDEX] = {{"the bytes read are less than 0", "the bytes written are less than 0"}, 3u},
    [FORM_CONCAT] = {{"no bytes are written", "there are no parts"}, 0},
    [FORM_COPY] = {{"there are no bytes"}, 0},
    [FORM_FILL] = {{"there are no bytes"}, 0},
    [FORM_HOST_COPY] = {{"there are no bytes", "pinned is neither 0 nor 1"}, 2u},
    [FORM_OPTIMIZER] = {{"there are no parameters", "the states are fewer than 0"}, 2u},
    [FORM_ATTENTION] = {{"the batch is 0 or less", "there are no heads", "there are no queries", "there are no keys",
                         "a head has no width", "causal is neither 0 nor 1"},
                        1u << 5},
    [FORM_COLLECTIVE] = {{"the kind is not known", "there are no bytes", "there are no ranks", "a server has no ranks"},
                         0},
    [FORM_ITERATION] = {{"the hidden size is 0 or less", "there are no heads", "there are no layers",
                         "the sequence is 0 or less", "the micro-batch is 0 or less", "the global batch is 0 or less",
                         "the tensor group has no ranks", "the data group has no ranks", "there are no stages"},
                        0},
    [FORM_BYTES] = {{"there are no bytes", "the work is less than 0"}, 0},
};

const char *kernel_check(const struct kernel *kernel)
{
    if (kernel->form >= FORMS)
        return "an unknown form";
    const struct size_names *row = &names[kernel->form];
    double product = 1;
    for (uint32_t i = 0; i < kernel_form_sizes(kernel->form); i++) {
        const int64_t size = kernel->size[i];
        if (size < 0 || (size == 0 && !(row->may_be_zero >> i & 1)))
            return row->zero[i];
        product *= size ? (double)size : 1;
        if ((double)size > most_work)
            return "a size is too large to be one";
    }
    return product > most_work * most_work ? "the sizes overflow when multiplied" : NULL;
}
