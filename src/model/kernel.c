/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

struct form_row {
    const char *word;
    uint32_t sizes;
};

static const struct form_row forms[FORMS] = {
    [FORM_BMM] = {"bmm", 4},
    [FORM_LINEAR] = {"linear", 4},
    [FORM_CONVOLUTION] = {"convolution", 10},
    [FORM_ELEMENTWISE] = {"elementwise", 3},
    [FORM_SOFTMAX] = {"softmax", 2},
    [FORM_LAYER_NORM] = {"layer_norm", 2},
    [FORM_DROPOUT] = {"dropout", 2},
    [FORM_BATCH_NORM] = {"batch_norm", 3},
    [FORM_POOLING] = {"pooling", 4},
    [FORM_REDUCTION] = {"reduction", 2},
    [FORM_EMBEDDING] = {"embedding", 5},
    [FORM_TRANSPOSE] = {"transpose", 3},
    [FORM_INDEX] = {"index", 2},
    [FORM_CONCAT] = {"concat", 2},
    [FORM_COPY] = {"copy", 1},
    [FORM_FILL] = {"fill", 1},
    [FORM_HOST_COPY] = {"host_copy", 2},
    [FORM_OPTIMIZER] = {"optimizer", 2},
    [FORM_ATTENTION] = {"attention", 6},
    [FORM_COLLECTIVE] = {"collective", 4},
    [FORM_ITERATION] = {"iteration", 9},
    [FORM_BYTES] = {"bytes", 2},
};

str kernel_form_word(enum kernel_form form)
{
    return form < FORMS ? str_of(forms[form].word) : S("?");
}

bool kernel_form_of_word(str word, enum kernel_form *form)
{
    for (int i = 0; i < FORMS; i++) {
        if (!str_eq(word, str_of(forms[i].word)))
            continue;
        *form = (enum kernel_form)i;
        return true;
    }
    return false;
}

uint32_t kernel_form_sizes(enum kernel_form form)
{
    return form < FORMS ? forms[form].sizes : 0;
}
