/* SPDX-License-Identifier: Apache-2.0 */
/* Compilations of a function for one reason, together. */
#ifndef BREAKDOWN_COMPILED_AGAIN_H
#define BREAKDOWN_COMPILED_AGAIN_H

#include "base/buf.h"
#include "compiled_join.h"

/* A function that was compiled again because of one size, or because of other guards. */
struct again {
    const struct log_compile *first; /* the first of the recompilations */
    uint32_t times;
    int64_t time_ns;     /* of compiling it and its backward again, as the log has it */
    int64_t in_steps_ns; /* of this what lies in selected steps, as the trace has it */
    uint32_t in_steps;   /* so many of the times */
    str sizes;           /* "16, 17, 18, 19": of a size all that came, of a value those that it was compiled for; "" */
};

/* Longest first; in the arena. */
struct again *compiled_again(const struct compile_log *log, const struct joined *joined, struct arena *arena,
                             uint32_t *count);

#endif
