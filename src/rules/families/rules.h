/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rules, and running them over a file. */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "rules/ask/rule.h"

extern const struct rule *const rules[]; /* by id; ended by NULL */

uint32_t rule_count(void);

/* Whether a pattern of --select or a comment names the rule: its id or a beginning of it ("ST4"), its name, "ALL". */
bool rule_matches(const struct rule *rule, str pattern);

struct matches {
    struct match *at; /* by begin, then by rule */
    uint32_t count;
};

/* All rules of the mask (bit i: rules[i]) over a file. Sites lie in check->arena. */
struct matches rules_check(const struct check *check, uint64_t mask);

#endif
