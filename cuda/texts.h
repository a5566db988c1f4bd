/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as numbers: a text becomes a row of the file once, and a number from then on. Memory is bounded. */
#ifndef CUDA_TEXTS_H
#define CUDA_TEXTS_H

#include "out.h"

enum { TEXTS_NEAR = 1 << 12, TEXTS_BYTES_MOST = 64 << 20 };

struct texts {
    struct out *out;
    char **at;       /* by id */
    uint32_t *slots; /* ids by hash; 0 free */
    uint32_t count, mask;
    size_t bytes;
    uint64_t refused; /* texts that had no room */
    struct {
        const char *address;
        uint32_t id;
    } near[TEXTS_NEAR]; /* the text met last at an address: it may be another one by now, so it is compared */
};

bool texts_begin(struct texts *texts, struct out *out);

/* 0: the empty text (NULL, too), or one that has no room. */
uint32_t texts_id(struct texts *texts, const char *text);

#endif
