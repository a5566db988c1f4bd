/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often warnings turned out to be worth a change, in code that nobody had tuned for: repositories drawn by chance, linted
 * once, their warnings judged by people who wrote no rule. The figures are sums over the files of tests/data/judgements
 * (a test holds them to that): what a warning says of itself is no proof, and this is how far it can be trusted.
 */
#ifndef RULES_WORTH_H
#define RULES_WORTH_H

#include "rules/ask/rule.h"

struct worth {
    uint32_t judged, worth; /* warnings; of them those that were worth a change */
};

/* Of a rule; both 0 where none of it was judged. */
struct worth worth_of(const struct rule *rule);
/* Of all rules. */
struct worth worth_of_all(void);

/*
 * The share of warnings of this rule that may be expected to be worth a change: that of all rules where few of it were
 * judged, its own where many were. (worth + 10 x share of all) / (judged + 10).
 */
double worth_expected(const struct rule *rule);

#endif
