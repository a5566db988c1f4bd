/* SPDX-License-Identifier: Apache-2.0 */
/* What a round of a loop over rows does with its row: taking `x[i]` is a view, without a kernel and without a wait. */
#ifndef RULES_ROUND_H
#define RULES_ROUND_H

#include "rules/loops/loop.h"

/* Whether the host reads a tensor of the device in the rounds: a condition, .item(), a bound or an index. */
bool round_reads(const struct check *check, uint32_t loop);
/* Whether parts are cut out whose lengths the round brings from the host: each has another size. */
bool round_cuts(const struct check *check, uint32_t loop);
/* Whether a tensor of the device is handed to a function of the run, or one that nobody knows: it works on one row. */
bool round_hands_on(const struct check *check, uint32_t loop);
/* `[len(x) for x in rows]`: nothing is asked but sizes, which the host knows. */
bool round_asks_sizes(const struct check *check, uint32_t loop);

#endif
