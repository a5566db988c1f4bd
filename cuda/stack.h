/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's Python stack as it is told, whoever reads it: python.c by public functions, frames.c from memory. */
#ifndef CUDA_STACK_H
#define CUDA_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "cudafile/format.h"

enum { TEXT_MOST = 1024 };

/* Innermost first. What lies above the frames that are kept is not walked: depth says only that there is more. */
struct stack {
    uint32_t depth, frames;
    bool had_collector; /* Python's, which is off until python_release */
    const void *code[CUDAFILE_FRAMES_MOST];
    uint32_t line[CUDAFILE_FRAMES_MOST]; /* 0: none */
};

/* A code object. Texts are UTF-8, cut to whole characters, and not ended by a 0. */
struct function {
    uint32_t first_line, file_bytes, name_bytes;
    char file[TEXT_MOST], name[TEXT_MOST];
};

#endif
