/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names judged by tables. A rule is a pattern and what it means; the first rule
 * of the table that fits wins, so special rules stand above general ones.
 *
 * A pattern is lower-case text that the name must contain, ASCII case ignored.
 * `^` at its start ties it to the start of the name, `$` at its end to the end,
 * and `*` stands for any text between two parts.
 */
#ifndef OPS_RULES_H
#define OPS_RULES_H

#include "base/str.h"

struct name_rule {
    const char *pattern;
    int value;
};

/* The name is in lower case already. */
bool name_fits(str lowered, str pattern);

/* At most `bytes` of the name in lower case, in `room`. */
str name_lowered(str name, char *room, size_t bytes);

/* The value of the first rule that fits, else `otherwise`. */
int name_judged(str name, const struct name_rule *rules, size_t count, int otherwise);

#endif
