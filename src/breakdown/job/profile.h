/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank did before it came to a collective: its time by kind on the way there, waiting apart. */
#ifndef BREAKDOWN_PROFILE_H
#define BREAKDOWN_PROFILE_H

#include "lines.h"

/* A wait on the way, in a collective of the rank. */
struct line_wait {
    uint32_t collective;
    int64_t ns;
};

/* A zeroed struct is empty. profile_free releases it. */
struct profile {
    int64_t *ns;    /* by kind */
    uint32_t *seen; /* the kinds that have any */
    uint32_t seen_count, kinds;
    struct line_wait *waits;
    size_t wait_count, wait_room;
};

/* From a time to the entry of the collective. What was in the profile is gone. */
void profile_of(const struct lines *lines, uint32_t rank, uint32_t collective, int64_t from_ns, struct profile *out);
void profile_free(struct profile *profile);

#endif
