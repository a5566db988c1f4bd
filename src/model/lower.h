/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operator launches, as eager PyTorch does: the kernels of one call, from
 * its name, its recorded arguments and, for an autograd node that was recorded
 * without shapes, those of the forward call whose gradient it computes.
 *
 * Operators nest, and a recording may hold the calls inside or not. So an answer
 * says not only which kernels, but whether the calls inside are the ones that
 * launch them:
 *
 *     aten::addmm         LOWERED_TO_KERNELS   launches itself
 *     aten::linear        LOWERED_TO_CALLS     its calls do; the kernels are those of all of them together, for
 *                                              recordings that lack them
 *     aten::view          LOWERED_TO_NOTHING   and known to launch nothing
 *     nccl:all_reduce     LOWERED_TO_COLLECTIVE   see the collectives of the program
 *     my::operator        LOWERED_TO_BYTES     no form: one FORM_BYTES over its recorded tensors
 *     aten::mm, no shapes LOWERED_NOT          `why` says what is missing
 *
 * Who lowers a whole program takes, from the top: an operator that answers LOWERED_TO_CALLS and has calls inside that
 * are not LOWERED_TO_NOTHING launches nothing itself; one that answers LOWERED_TO_KERNELS has launched what its calls
 * inside would too (aten::zero_ calls aten::fill_ in some versions: the outermost counts, never both).
 */
#ifndef MODEL_LOWER_H
#define MODEL_LOWER_H

#include "base/arena.h"
#include "kernel.h"
#include "ops/flops.h"
#include "ops/phase.h"
#include "ops/work.h"

enum lowering_way {
    LOWERED_TO_KERNELS,
    LOWERED_TO_CALLS,
    LOWERED_TO_NOTHING,
    LOWERED_TO_COLLECTIVE,
    LOWERED_TO_BYTES,
    LOWERED_NOT,
    LOWERING_WAYS,
};

str lowering_way_word(enum lowering_way way); /* "kernels", "calls", "nothing", "collective", "bytes", "not" */

struct lowered_call {
    str name;
    const struct op_arguments *arguments;
    enum phase phase;
    str forward;                                  /* name of the call whose gradient this computes; "" */
    const struct op_arguments *forward_arguments; /* NULL: not known */
    enum copy_direction direction;                /* of a copy, where its launch says so; COPY_UNKNOWN: on the device */
    enum host_memory memory;
    /* Of the calls that come next on the host, nearest first: one of them reads the output that is not recorded. */
    const struct op_arguments *const *after;
    uint32_t after_count;
};

struct lowering {
    enum lowering_way way;
    const struct kernel *kernels; /* every one passes kernel_check */
    uint32_t count;
    const char *why; /* of LOWERED_NOT and LOWERED_TO_BYTES, in words: "its shapes were not recorded" */
};

/* Kernels live in the arena, their variants are constant text. Equal calls give equal answers: remember them by text. */
struct lowering lower(const struct lowered_call *call, struct arena *arena);

/* Whether the table knows the name: everything but LOWERED_TO_BYTES and LOWERED_NOT for want of an entry. */
bool lower_knows(str name);

#endif
