/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the names of the kernels that a call launched tell, and its arguments do not: whether fp32 was multiplied in TF32,
 * whether an element-wise kernel worked out an address for each element, what was turned into another layout before, and how many
 * small kernels came beside. Where no kernel was recorded, all is as the arguments say.
 */
#ifndef OPS_LAUNCHED_H
#define OPS_LAUNCHED_H

#include "base/str.h"

enum launch_hint {
    HINT_TF32,          /* a product in TF32 */
    HINT_VECTOR,        /* a product of a few rows by threads, not tiles (cuBLAS, gemmSN) */
    HINT_STRIDED,       /* element by element, an address worked out for each (PyTorch, elementwise_kernel) */
    HINT_LAYOUT,        /* images or filters turned into another order */
    HINT_COPY,          /* a tensor copied into one piece */
    HINT_CHANNELS_LAST, /* of a norm */
    HINT_PART,          /* belongs to the kernel before it: sums of the parts of a cut K */
    LAUNCH_HINTS,
};

struct launched {
    uint32_t count;                /* kernels; 0: none was recorded */
    uint32_t hinted[LAUNCH_HINTS]; /* of these, how many say so */
};

/* Bits 1 << HINT_.... */
uint32_t launch_hints(str kernel);

void launched_add(struct launched *launched, uint32_t hints);

static inline bool launched_hint(const struct launched *launched, enum launch_hint hint)
{
    return launched->hinted[hint] > 0;
}

#endif
