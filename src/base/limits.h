/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits that were met: a question that would cost too much is not followed to its end, and that is told instead of
 * passing for an answer. Whoever stops says which limit it was and where; each place counts once, whatever asked and
 * however often. Threads may tell at once; what is listed depends on neither their number nor their order.
 *
 *     static const struct limit far_uses = {"uses", "a name is used in more than 64 places; not all are looked at"};
 *     limits_tell(limits, &far_uses, file, node);
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdint.h>

#include "arena.h"

struct limit {
    const char *id;   /* stable: scripts see it */
    const char *what; /* what was not followed, for people */
};

struct limit_met {
    const struct limit *limit;
    uint32_t file, at;
};

struct limits;

struct limits *limits_new(void);
void limits_free(struct limits *limits); /* NULL is fine */

void limits_tell(struct limits *limits, const struct limit *limit, uint32_t file, uint32_t at);

/* By id, file and place. */
const struct limit_met *limits_list(struct limits *limits, struct arena *arena, uint32_t *count);

#endif
