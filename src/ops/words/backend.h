/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernels an engine launches where it has several for the same: a layer of experts by Triton or by TensorRT-LLM's
 * fused kernels takes up to twice as long one way as the other, and engines choose by device, format and model.
 */
#ifndef OPS_BACKEND_H
#define OPS_BACKEND_H

#include "base/str.h"

enum backend {
    BACKEND_UNTOLD, /* what the engine usually launches */
    BACKEND_TRITON,
    BACKEND_MARLIN,
    BACKEND_CUTLASS,
    BACKEND_DEEPGEMM,
    BACKEND_FUSED, /* of TensorRT-LLM, for Blackwell's large boards: routing and products in few launches */
    BACKENDS,
};

str backend_word(enum backend backend); /* "triton"; "" where none is told */

/* By a word, or by any name of a kernel that has it: "sglang_fused_moe_triton". BACKEND_UNTOLD for one that tells none. */
enum backend backend_of_name(str name);

#endif
