/* SPDX-License-Identifier: Apache-2.0 */
/* From units to all that they name, or to all that names them, mention by mention (mentions.h). */
#ifndef SOURCE_MENTION_SEARCH_H
#define SOURCE_MENTION_SEARCH_H

#include "mentions.h"

/* Units in the order in which they are come to, and the mentions of each from one side. */
struct mention_search {
    const struct mentions *mentions;
    uint32_t *first, *of; /* of[first[unit]] up to first[unit + 1]: mentions */
    bool *seen;           /* per unit */
    uint32_t *via;        /* per unit: the mention by which it was come to; NONE */
    uint32_t *queue;
    uint32_t count;
    bool backward;
};

void mention_search_new(struct mention_search *search, const struct mentions *mentions, bool backward);
void mention_search_free(struct mention_search *search);

/* The unit is come to by the mention, or begins the search: NONE. */
void mention_search_begin(struct mention_search *search, uint32_t unit, uint32_t via);
/* Over strict mentions alone, or over all: from all that was come to. */
void mention_search_on(struct mention_search *search, bool strict);

#endif
