/* SPDX-License-Identifier: Apache-2.0 */
/* `torch.stack([h[i][alias[i]] for i in range(n)])`: rows that are computed one by one to be put together again. */
#ifndef RULES_STACK_H
#define RULES_STACK_H

#include "loop.h"

struct stack {
    bool is;
    uint32_t call;    /* the stack or cat */
    uint32_t element; /* what a round computes */
    bool of_its_own;  /* from a row and a thing of its own: f(x[i], sizes[i]). No index gives all of them at once. */
};

/* Of a comprehension that is the argument of a stack or cat of device tensors. */
struct stack stack_of(const struct check *check, uint32_t comprehension);

/* Whether an expression takes an element of a device tensor by the round of the loop, itself or through a small function. */
bool stack_takes_element(const struct check *check, uint32_t element, uint32_t loop);

#endif
