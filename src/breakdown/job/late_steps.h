/* SPDX-License-Identifier: Apache-2.0 */
/* In which steps the others waited for the late rank. */
#ifndef BREAKDOWN_LATE_STEPS_H
#define BREAKDOWN_LATE_STEPS_H

#include "job.h"

struct late_steps {
    uint32_t count; /* steps with a quarter or more of the waiting of the worst step */
    uint32_t every; /* they come every so many steps, above 1; 0: otherwise */
};

/* By the waiting for it where it came last: what is left over for the next step is no lateness of that. */
struct late_steps late_steps_of(const struct job *job);

#endif
