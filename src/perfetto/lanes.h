/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a lane as slices of tracks. */
#ifndef PERFETTO_LANES_H
#define PERFETTO_LANES_H

#include "sequence.h"

struct lane_place {
    const struct trace *trace;
    int64_t offset_ns; /* of the trace's start in the file */
    uint64_t flows;    /* the first id of a flow that is the trace's own */
    int64_t process;   /* id of the process in the file */
    uint64_t parent;   /* its track */
    int32_t order;
};

/* By row, each plus 1 (0: none): the first backward operator of a forward one, the next of the same forward one. */
struct backward {
    uint32_t *first, *next;
};

void lane_put(struct output *out, const struct lane_place *place, uint32_t lane, const struct backward *backward,
              struct arena *scratch);

#endif
