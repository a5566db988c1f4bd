/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test comes to in this run: over all the ways by which what it asks for comes about, through names, parameters
 * and what callers give for them, attributes and what is bound to them, calls and what they return.
 *
 *     def loss(pred, size=None): ...
 *         if size is None: here              every call in the run gives a size: never
 */
#ifndef SOURCE_WAYS_H
#define SOURCE_WAYS_H

#include "gate.h"

struct ways {
    bool yes, no;       /* on some it holds, on some not */
    bool unknown;       /* on some nobody knows */
    bool by_default;    /* so it is by the default of an option, which a run may give */
    struct site option; /* where that is declared; of by_default */
    enum gate gate;     /* the weakest of those on which it holds, or may */
};

struct ways ways_of_test(const struct project *project, struct site test);

static inline bool ways_never(const struct ways *ways)
{
    return ways->no && !ways->yes && !ways->unknown;
}
static inline bool ways_always(const struct ways *ways)
{
    return ways->yes && !ways->no && !ways->unknown;
}

#endif
