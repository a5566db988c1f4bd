/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python lines that a thread is at, asked of the interpreter in its own process. Only where the thread holds the
 * interpreter's lock: then its frames stand still, and nobody has to be waited for.
 */
#ifndef CUDA_LINES_H
#define CUDA_LINES_H

#include "out.h"
#include "texts.h"

/* Finds the interpreter. Without one, lines_note does nothing. */
void lines_begin(void);

/* Keeps the lines of the calling thread, for the call of this id. Any thread; it takes about a microsecond. */
void lines_note(uint32_t correlation);

struct lines_counts {
    uint64_t noted, unlocked, lost; /* kept; without the lock; without room */
};

/* What was kept since the last call, as rows. One thread. */
void lines_write(struct out *out, struct texts *texts);
struct lines_counts lines_counts(void);

#endif
