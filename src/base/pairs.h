/* SPDX-License-Identifier: Apache-2.0 */
/* What of two lists goes with each other: the n-th of a name with the n-th of that name, where both have as many of it. */
#ifndef BASE_PAIRS_H
#define BASE_PAIRS_H

#include "arena.h"
#include "str.h"

enum { PAIR_NONE = UINT32_MAX };

struct pair_names {
    const str *at;
    uint32_t count;
};

/* By index in `of`: the index in `in` that goes with it; PAIR_NONE. */
uint32_t *pairs_by_name(struct pair_names of, struct pair_names in, struct arena *arena);

#endif
