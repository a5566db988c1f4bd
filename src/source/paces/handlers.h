/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are given to objects of frameworks, to be run at their events. */
#ifndef SOURCE_HANDLERS_H
#define SOURCE_HANDLERS_H

#include "source/contexts/contexts.h"

struct handler {
    uint32_t function; /* NONE */
    struct context context;
};

/* Room for what is remembered of them. */
void handlers_begin(struct project *project);
/* What the call registers; what it says of engines is remembered. */
struct handler handler_of(struct project *project, struct site call);

#endif
