/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of the training thread under the lines of findings, where no device works: what a rewrite could spare is then time
 * of the host alone. It is told by frames and operators:
 *
 *     a call        the frame of that name right below a run of its function, by its order there
 *     a loop in brackets   its frame, by its line (`<listcomp>`); Python 3.12 and later give it none: see inlined.h
 *     look-ups by np.where one behind another: from the call before the first to the last
 *     torch.Tensor(list)   no frame: the operators that end in aten::lift_fresh, by their order
 *     a loop over elements the operators of a run of its function, from the first to the last
 *     what backward does of all that
 */
#ifndef JOIN_HOST_SIGHT_H
#define JOIN_HOST_SIGHT_H

#include "private.h"

struct host_sight {
    struct spans time; /* in the steps; a set once all is found */
    uint32_t calls;    /* seen in the steps */
    uint32_t
        shared; /* how many places of the function the trace cannot tell apart, of which each has its part; 0: it can */
    const char *unknown; /* why the time is not told, though the function ran; NULL: it is told */
    uint32_t unsure;     /* calls in the steps of which nobody knows whether they are its */
    bool is_exact;       /* by the line, or by name and order */
};

/* By finding, in the scratch arena of the join; the spans are the caller's to free. */
struct host_sight *host_sights(struct join *join);

#endif
