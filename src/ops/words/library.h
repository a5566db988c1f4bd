/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose kernel it is: engines and libraries compute the same by kernels of their own, 10 to 37 % apart in time. The words
 * are those of tables of measurements (column `library`, or `framework`).
 */
#ifndef OPS_LIBRARY_H
#define OPS_LIBRARY_H

#include "base/str.h"

enum library {
    LIBRARY_UNTOLD,  /* nothing is said of it */
    LIBRARY_UNKNOWN, /* one of no known word: its kernels may be like any others */
    LIBRARY_SGLANG,
    LIBRARY_TRTLLM,
    LIBRARY_VLLM,
    LIBRARY_NCCL,
    LIBRARY_ONECCL,
    LIBRARY_CUDNN,
    LIBRARIES,
};

/* "vllm"; LIBRARY_UNTOLD for "", LIBRARY_UNKNOWN for what is none. */
enum library library_of_word(str word);
str library_word(enum library library); /* "" where none is told, "unknown" */

#endif
