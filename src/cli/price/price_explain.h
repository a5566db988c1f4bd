/* SPDX-License-Identifier: Apache-2.0 */
/* --explain of `steptime price`: what a number means, and the storages, operators or calls that it is made of. */
#ifndef CLI_PRICE_EXPLAIN_H
#define CLI_PRICE_EXPLAIN_H

#include "price_run.h"

/*
 * What is shown in the place of the whole report. Times are explained on the first of the prices. NULL with STEPTIME_USAGE
 * where nothing goes by that name.
 */
struct report *price_explain(str word, const struct price_asked *asked, const struct price_run *run,
                             const struct prices *prices, struct report *whole, struct steptime_error *err);

/* All that may be asked for, told without a run. */
void price_explain_list(struct report *answer);

#endif
