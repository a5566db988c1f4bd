/* SPDX-License-Identifier: Apache-2.0 */
/* A size that was seen with two batches, and what it is with a third. */
#ifndef BASE_BETWEEN_H
#define BASE_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

struct batches {
    int64_t few, more; /* that were run; 0 < few < more. few 0: only the other was */
    int64_t to;
};

/* False where it neither stays, nor goes with the batch, nor with one besides, as lists of offsets do. */
bool size_between(int64_t of_few, int64_t of_more, struct batches batches, int64_t *size);

/* As if it went with the batch. */
int64_t size_with_batch(int64_t of_more, struct batches batches);

#endif
