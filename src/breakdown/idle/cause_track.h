/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The causes that stand over the calls of a thread, as stretches of time. The
 * innermost event that says anything counts, but for a sleep of the data loader,
 * which is data loading, memory of a search, and waiting for a thread or process.
 *
 * What a name alone does not say:
 *
 *     module loading   a launch of 1 ms or more, and over 100 times the median of its name, on a kernel's first use
 *     first use        a call that frees or pins memory inside the product or convolution in which that is done
 *                      for the first time
 *     caching off      memory asked of the driver for at least half of the tensors made, twenty or more
 *     memory full      in one operator memory is freed between two requests
 *     search           a convolution that asks for memory and launches four kernels of different names or more
 *     capture          from the call that begins it to the call that ends it, and holes of 1 ms or more in the event around
 */
#ifndef BREAKDOWN_CAUSE_TRACK_H
#define BREAKDOWN_CAUSE_TRACK_H

#include "base/arena.h"
#include "cause.h"
#include "ops/rows/collective.h"
#include "ops/rows/work.h"

struct cause_stretch {
    int64_t start_ns, end_ns;
    uint32_t row; /* the event that says so */
    enum cause cause;
};

/* By time, disjoint. */
struct cause_track {
    const struct cause_stretch *at;
    uint32_t count;
};

/* What is known of the rows of a trace, found once for all who ask; phases are those of ops/rows/phase.h. */
struct judged_rows {
    const struct work_classes *classes;
    const uint8_t *phases;
    const struct cause_track *tracks;
    const struct collective_rows *collectives; /* of a rank of a job; NULL: it is by itself */
};

struct judged_rows rows_judge(const struct trace *trace, struct arena *arena);

/* By lane; none of a device's. In the arena. */
struct cause_track *cause_tracks_of(const struct trace *trace, const struct work_classes *classes, struct arena *arena);

/* The first stretch that ends after the time. */
uint32_t cause_track_find(const struct cause_track *track, int64_t time_ns);

#endif
