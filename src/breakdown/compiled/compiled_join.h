/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilation of a log is which of a trace. */
#ifndef BREAKDOWN_COMPILED_JOIN_H
#define BREAKDOWN_COMPILED_JOIN_H

#include "compiled.h"

enum joined_by {
    JOINED_NOT,
    JOINED_ID_AND_TIME, /* the same compile id, begun within 1 s */
    JOINED_TIME,        /* the trace records no id: begun within 10 ms */
    JOINED_ID,          /* one of the two records no time since 1970 */
    JOINED_REGION,      /* compiled outside of the recording, but its code ran in it */
};

const char *joined_word(enum joined_by by);

struct joined {
    enum joined_by by;
    const struct compiled_trace *trace;    /* NULL where not joined */
    const struct compiled_event *event;    /* NULL of a region too */
    const struct compiled_event *backward; /* its backward, compiled later; NULL */
    int64_t runs;                          /* of its code in the selected steps; -1: the trace records none */
};

/* One for each compile of the log. */
struct joined *compiled_join(const struct compile_log *log, const struct compiled_trace *const *traces, uint32_t count,
                             struct arena *arena);

#endif
