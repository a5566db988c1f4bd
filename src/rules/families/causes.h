/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One finding a cause. Places that one change mends, or that cost once together,
 * are told as one finding: the first is the finding, the others are its places.
 *
 *   one rule in one statement      up(x), up(y)
 *   reads with host code between   a.append(x.item()); b.append(y.item()): the first has waited for both
 *   waits with next to nothing between, whatever it is that waits (rules/proof/twice.h)
 *   copies of one batch            x = x.to(d); y = y.to(d): it is the batch that is not pinned
 */
#ifndef RULES_CAUSES_H
#define RULES_CAUSES_H

#include "rules.h"

/* Links the matches of a file, which are in the order of their places. */
void causes_join(const struct check *check, struct matches matches);

/* Safe where the rewrite of any of its places is, else unsafe where one is. */
enum fix_kind causes_fix(const struct match *match);

/* The same without those that `left_out` marks: their places lose them, and the first that is left becomes the finding. */
void causes_leave_out(struct matches matches, const bool *left_out);

#endif
