/* SPDX-License-Identifier: Apache-2.0 */
/* A list of places in the making, from the finding outward; it is handed out from the origin on. */
#ifndef RULES_CHAIN_H
#define RULES_CHAIN_H

#include "rules/ask/ask.h"

enum {
    CHAIN_PLACES = 20, /* shown */
    CHAIN_STEPS = 160, /* kept: beyond them the last takes the place of the one before, and no more than 20 are shown */
};

struct chain {
    const struct check *check;
    struct proof_place places[CHAIN_STEPS];
    uint32_t count;
    bool origin;      /* it came to an end that is named */
    const char *open; /* what nobody shows of it, a clause; NULL */
};

/* The check of another file of the run. */
struct check chain_check(const struct chain *chain, uint32_t file);
/* "`text of the node`". */
str chain_text(const struct chain *chain, struct site site);

/* Always true. */
bool chain_add(struct chain *chain, struct site site, str what);
/* The last of it. */
void chain_end(struct chain *chain, struct site site, str what);
/* It comes to its last place, from where nothing shows it: `open` says what is missing. */
void chain_leave(struct chain *chain, const char *open);
void chain_give(const struct chain *chain, struct proof_link *link);

/* ---- the links ---- */

/* From where the value comes that lies on the device. */
void chain_device(struct chain *chain, const struct match *match);
/* From the node to what makes it run as often as it does. */
void chain_pace(struct chain *chain, struct site site);
/* From the loader that is made there to the loop of training steps that goes over it. */
void chain_pace_of_run(struct chain *chain, struct site loader);
/* What the change spares, as a clause; of a wait also what the host could launch meanwhile. */
str chain_gain(struct chain *chain, const struct match *match);

#endif
