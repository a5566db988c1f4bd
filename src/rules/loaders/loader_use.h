/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes over the batches of a loader: through names, attributes, arguments and returns of the run. */
#ifndef RULES_LOADER_USE_H
#define RULES_LOADER_USE_H

#include "rules/ask/ask.h"

struct loader_use {
    bool trains;            /* a loop of training steps, or next() in each of them */
    bool evaluates;         /* a loop of an evaluation, or next() now and then */
    bool unknown;           /* it goes where nobody follows */
    bool handed_out;        /* a function returns it that nobody in the run calls */
    bool generates;         /* each round of that loop begins by making data with the network */
    bool given_away;        /* a function that is not of the run takes it */
    bool measured;          /* its length is asked for */
    bool inner;             /* a class within the function names it, which may go over it */
    struct site trained_at; /* the loop, or call of next(), that makes it trains; site_none */
    struct site copied_at;  /* the first copy to the device by who goes over it; site_none; of .._with_copies alone */
    bool copies_itself;     /* such a copy takes what the loader gave, or a view of it, not a tensor made of it */
    bool copies_run_on;     /* one of these does not wait, or need not once the loader pins */
};

/* `node` makes the loader. */
struct loader_use loader_use_of(const struct check *check, uint32_t node);
/* Looks for the copies of its batches too, in the loops over it and in functions of the run that they call. */
struct loader_use loader_use_with_copies(const struct check *check, uint32_t node);

#endif
