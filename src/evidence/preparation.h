/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the training thread did while the device rested, by function: what could
 * be moved to workers, made faster, or made once. Time in which the thread only
 * waited for the device is no preparation. Where no Python frames are recorded,
 * annotations and the outermost operators stand for functions.
 */
#ifndef EVIDENCE_PREPARATION_H
#define EVIDENCE_PREPARATION_H

#include "movement.h"
#include "place.h"

enum preparer { PREPARER_FUNCTION, PREPARER_ANNOTATION, PREPARER_OPERATOR };

struct preparation {
    enum preparer kind;
    str name;              /* as recorded */
    struct frame function; /* of PREPARER_FUNCTION */
    int64_t total_ns;      /* in it and all that it called; a call inside another of the same function once */
    int64_t idle_ns;       /* of that, while the device rested */
    int64_t own_idle_ns;   /* of that, in no other function that places name */
    const uint32_t *rows;  /* its runs, without those inside another of its own */
    uint32_t count;
};

struct preparations {
    struct preparation *at; /* most idle time first */
    uint32_t count;
    int64_t idle_ns;    /* the device rested in the steps */
    int64_t working_ns; /* of that, while the training thread did not wait for it */

    /* The training thread in the iterator of a data loader. */
    const uint32_t *loader_rows;
    uint32_t loader_count;
    int64_t loader_ns, loader_idle_ns;
};

/* Within the steps. In the arena. */
struct preparations preparations_of(const struct trace *trace, const struct device_times *times,
                                    const struct movement *movement, struct stacks *stacks, struct arena *arena);

#endif
