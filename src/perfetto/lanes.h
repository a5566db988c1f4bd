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

/* backward: by row of a forward operator its backward one plus 1; 0: none. */
void lane_put(struct output *out, const struct lane_place *place, uint32_t lane, const uint32_t *backward,
              struct arena *scratch);

#endif
