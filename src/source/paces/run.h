/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of how often functions run, while it goes from callers to callees. */
#ifndef SOURCE_RUN_H
#define SOURCE_RUN_H

#include "source/contexts/contexts.h"

struct run_context {
    uint8_t pace, seen; /* seen: bits of the paces from which it is called */
    uint8_t inner;
    uint8_t gate;
    bool in_forward, in_worker, no_grad, called, asserts;
    bool by_rounds;      /* a generator that a loop goes over: a round of its own loop is one of that */
    struct way_in way;   /* from where its pace came, the first of several */
    struct site gate_at; /* of `gate` */
};

static inline struct site run_site(const struct project *project, uint32_t function)
{
    return (struct site){project->files.functions[function].file, project->files.functions[function].node};
}

/* A lambda, or the body of a class, runs where it stands. */
uint32_t run_function(const struct project *project, uint32_t function);
/* From a caller to what it calls; whether anything changed. */
bool run_reach(struct run_context *to, struct context from, bool evaluates, struct way_in way);

/* What runs a function by convention, whoever else calls it: all of the run. */
void begin_all(struct project *project);
/* Networks that are called from where nobody comes: they run as all others do. Whether there is one. */
bool begin_networks(struct project *project);

#endif
