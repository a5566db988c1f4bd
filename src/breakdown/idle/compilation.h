/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often something was compiled at run time, as PyTorch records it. When: CAUSE_COMPILATION (cause.h).
 */
#ifndef BREAKDOWN_COMPILATION_H
#define BREAKDOWN_COMPILATION_H

#include "trace/trace.h"

struct compilations {
    uint32_t functions; /* times that a function was compiled */
    uint32_t graphs;    /* graphs that Inductor compiled for them: forward and backward apart */
    uint32_t again; /* of the functions, those that had been compiled before: their compile id is F/N with N above 0 */
    bool numbered;  /* compile ids are recorded, so that `again` is known */
};

/* Those that begin in the window. */
struct compilations compilations_of(const struct trace *trace, int64_t start_ns, int64_t end_ns);

#endif
