/* SPDX-License-Identifier: Apache-2.0 */
/* From CUPTI's buffers to rows of the file. One thread. */
#ifndef CUDA_DECODE_H
#define CUDA_DECODE_H

#include "choice.h"
#include "out.h"
#include "texts.h"

struct decoder {
    const struct cupti *cupti;
    const struct cupti_layout *layout;
    struct out *out;
    struct texts *texts;
    uint64_t records;                 /* given by CUPTI */
    uint64_t unknown;                 /* of these: of a kind that is not known here */
    uint64_t nameless;                /* whose text had no room */
    uint64_t of_library;              /* NVTX ranges and marks that are left out */
    uint64_t odd_sizes;               /* not of the size that the version gives */
    uint32_t call_names[2][CALL_IDS]; /* texts of driver and runtime calls; 0: not asked yet */
};

/* All records of a buffer. */
void decode_buffer(struct decoder *decoder, uint8_t *buffer, size_t valid);

#endif
