/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a batch that are as long as the longest row of all data:
 *
 *     self.rows = np.array([row + [0] * (most - len(row)) for row in rows])
 *     self.mask = np.array([[1] * len(row) + [0] * (most - len(row)) for row in rows])
 *     ...
 *     rows, mask = self.rows[batch], self.mask[batch]
 *
 * The mask says where a row ends, in each the ones first: behind the longest row of the batch there is padding alone.
 */
#ifndef RULES_PADDING_H
#define RULES_PADDING_H

#include "rules/ask/ask.h"

enum { PADDING_NAMES = 16 }; /* of more the batch is left as it is, and that is told */

struct padding {
    uint32_t statement;            /* the last one that takes rows */
    uint32_t mask;                 /* the name that it is bound to */
    uint32_t names[PADDING_NAMES]; /* all that are as wide, the mask's too, in the order of the text */
    uint32_t count;
};

/* Whether the statement is the first that takes rows of a batch so. */
bool padding_find(const struct check *check, uint32_t statement, struct padding *padding);

#endif
