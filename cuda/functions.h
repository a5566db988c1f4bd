/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python functions as numbers: by what they are (file, name, first line), not by where they lie. A code object that was freed and
 * another at its address are so two functions, and many of the same text are one. Under a lock of the caller's.
 */
#ifndef CUDA_FUNCTIONS_H
#define CUDA_FUNCTIONS_H

#include "stack.h"

enum { FUNCTIONS_NEAR = 1 << 12 };

struct functions {
    struct known_function *at; /* by id; [CUDAFILE_CODES_MOST], once there is one */
    uint32_t *slots;           /* ids by hash; 0 free */
    uint32_t count;            /* ids up to this are taken */
    struct {
        const void *code;
        uint32_t id;
    } near[FUNCTIONS_NEAR]; /* the function met last at an address: it may be another one by now, so it is compared */
};

/* 0: it is not known, and there is no room for it. *is_new: it was met first. */
uint32_t functions_id(struct functions *functions, const void *code, const struct function *function, bool *is_new);

#endif
