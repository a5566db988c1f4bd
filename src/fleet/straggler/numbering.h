/* SPDX-License-Identifier: Apache-2.0 */
/* Dense ids of numbers: as they first appear, and afterwards in their own order. A zeroed struct is empty. */
#ifndef STRAGGLER_NUMBERING_H
#define STRAGGLER_NUMBERING_H

#include "base/arena.h"
#include "base/map.h"

struct numbering {
    struct map ids;
    int64_t *numbers; /* by id */
    size_t count, room;
};

uint32_t numbering_id(struct numbering *numbering, int64_t number); /* found or added */

struct renumbering {
    const uint32_t *place;  /* of each id in ascending order of the numbers */
    const int64_t *numbers; /* in that order */
};
struct renumbering numbering_sort(const struct numbering *numbering, struct arena *arena);

void numbering_free(struct numbering *numbering);

#endif
