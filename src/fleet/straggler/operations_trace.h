/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of a job from the traces of its ranks: each rank is a replica of one
 * stage. A step is cut where the rank comes to a collective, and where the
 * forward pass ends, the backward pass, the optimizer; all in the order in which
 * the host launched the work, which is the same on all ranks.
 *
 *     a piece of work     from its first kernel to the end of its last, without the time in which the device only waited
 *                         for a collective; the first one from the start of the step, or from the end of the last step's
 *                         work: what the host needs to begin is part of it
 *     a collective        a kernel or host operation in which all ranks take part. Those among some of the ranks, and
 *                         transfers from rank to rank, are work of the rank
 *
 * Which collectives are the same one on all ranks is found as everywhere (ops/rows/collective_match.h); one that not all
 * ranks have recorded is left out. Clocks of the ranks are set by the ends of their common collectives.
 */
#ifndef FLEET_OPERATIONS_TRACE_H
#define FLEET_OPERATIONS_TRACE_H

#include "operations.h"
#include "ops/rows/collective_match.h"
#include "trace/select.h"

struct rank_operation {
    int64_t start_ns, dur_ns;      /* by the rank's clock, from the trace's start */
    int64_t step;                  /* its number */
    int64_t group_size;            /* of a collective; 0: not recorded, or work */
    struct collective_class class; /* see ops/rows/collective_match.h; of work none */
    uint8_t kind;                  /* see rank_operation_kinds */
    bool numbered;                 /* the class holds its sequence number */
};

struct rank_operations {
    int64_t rank;
    int64_t origin_ns;               /* of its times */
    bool dated;                      /* the origin is since an epoch that all share */
    const struct rank_operation *at; /* by step, and in the order of their launches */
    uint32_t count;
};

/* Of one trace, which may be dropped afterwards. */
void rank_operations_of(const struct trace *trace, const struct selection *selection, struct arena *arena,
                        struct rank_operations *operations);

/*
 * Joins the ranks; steps that not all of them have are left out. False where nothing is left. *doubt: which collective
 * is which on the rank that is most doubtful, an index into `ranks`.
 */
bool operations_of_ranks(const struct rank_operations *ranks, uint32_t count, struct arena *arena,
                         struct operations *operations, struct match_doubt *doubt, struct steptime_error *err);

#endif
