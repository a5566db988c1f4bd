/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of public tables that were passed over, and the first of them one by one. */
#ifndef FLEET_IMPORT_DROPS_H
#define FLEET_IMPORT_DROPS_H

#include <stdint.h>

enum { IMPORT_TOLD = 20 };

struct import_drop {
    const char *table; /* name of the file, of several; NULL: there is but one. It lives as long as the stream */
    uint64_t line;     /* of it, from 1 */
    const char *why;   /* static */
};

/* told: the first min(count, IMPORT_TOLD), in the order in which they were met. */
struct import_drops {
    uint64_t count;
    struct import_drop told[IMPORT_TOLD];
};

static inline void import_drop(struct import_drops *drops, struct import_drop drop)
{
    if (drops->count < IMPORT_TOLD)
        drops->told[drops->count] = drop;
    drops->count++;
}

/* Those of a later part of the same table. */
static inline void import_drops_add(struct import_drops *drops, const struct import_drops *later)
{
    for (uint64_t i = 0; i < later->count && i < IMPORT_TOLD && drops->count + i < IMPORT_TOLD; i++)
        drops->told[drops->count + i] = later->told[i];
    drops->count += later->count;
}

#endif
