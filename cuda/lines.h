/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python lines that a thread is at, in its own process. Nobody waits for the interpreter's lock: PyTorch gives it back before
 * it copies or waits, so the thread's frames are read from memory (frames.h); where that is off, public functions are asked,
 * which takes the lock to be held.
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
    uint64_t noted;     /* kept */
    uint64_t unlocked;  /* frames are not read from memory, or not yet, and the thread did not hold the lock */
    uint64_t frameless; /* the thread ran no Python */
    uint64_t lost;      /* for want of room */
};

/* What was kept since the last call, as rows. One thread. */
void lines_write(struct out *out, struct texts *texts);
struct lines_counts lines_counts(void);

/* Why frames are not read from memory, for a person; "": they are, or there is no Python. */
const char *lines_why_off(void);

#endif
