/* SPDX-License-Identifier: Apache-2.0 */
/* Which numbers a word of --explain asks for, for the files that draw the explanation. */
#ifndef BREAKDOWN_EXPLAIN_ASKED_H
#define BREAKDOWN_EXPLAIN_ASKED_H

#include "breakdown/step/breakdown.h"
#include "breakdown/step/definitions.h"

struct asked {
    const struct definition *all;
    uint32_t count;
    bool list;   /* only what there is, nothing of the traces */
    bool *meant; /* [count] by the word itself */
    bool *made;  /* [count] has accounts, and is meant or what a meant one is made of */
};

struct asked explain_asked(str word, struct arena *arena);

/* The values themselves, as the tables of breakdown have them. */
void explain_numbers(const struct asked *asked, const struct breakdown *const *ranks, uint32_t count,
                     struct section *section, struct arena *arena);

/* The sums behind them, and the events of each, largest first. */
void explain_events(const struct asked *asked, const struct breakdown *const *ranks, uint32_t count,
                    struct section *section, struct arena *arena);

#endif
