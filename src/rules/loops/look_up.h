/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a value stands among the distinct ones, found by comparing it with all of them:
 *
 *     node = np.unique(items)
 *     [np.where(node == item)[0][0] for item in items]     of all
 *     np.where(node == items[i])[0][0]                     of one
 *
 * np.unique sorts, and gives each value once: a binary search finds the same place, wherever the value is in it at all. That it is,
 * the text says: it is one of `items`. (Of a value that is not, the text as it stands raises IndexError.)
 */
#ifndef RULES_LOOK_UP_H
#define RULES_LOOK_UP_H

#include "rules/ask/ask.h"

struct look_up {
    uint32_t distinct; /* node: a name */
    uint32_t items;
    uint32_t item;  /* of one: items[i] */
    bool is_proven; /* items are single values, and nothing changes the distinct ones */
};

/* Whether the list comprehension, or the outer subscript, is one. */
bool look_up_of_all(const struct check *check, uint32_t comprehension, struct look_up *look_up);
bool look_up_of_one(const struct check *check, uint32_t subscript, struct look_up *look_up);

/* Those of one value among the same distinct ones, in the order of the text; fills at most LOOK_UPS. */
enum { LOOK_UPS = 16 };
uint32_t look_ups_beside(const struct check *check, const struct look_up *one, uint32_t subscripts[LOOK_UPS]);

#endif
