/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would make a script fit on a device that has too little memory: tried by replaying the lives of its storages as they
 * would be then, and by running it dry again. doc/numbers/price.md says what each way leaves out.
 */
#ifndef CLI_PRICE_WAYS_H
#define CLI_PRICE_WAYS_H

#include "price_run.h"

struct price_ways {
    const struct price_asked *asked;
    const struct price_run *run;
    struct program_texts *texts;
    struct arena *arena;
};

/* On those of the devices that need it; with `always`, on the first where none does. Nothing is shown where none is left. */
void price_ways_show(const struct price_ways *ways, const struct prices *prices, bool always, struct report *report);

#endif
