/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proof of a match (rules/ask/proof.h): its level follows from the links, and each link is shown by places.
 *
 *     proof_weigh(check, &match);    the level, from what the rule and the context broke
 *     proof_show(check, &match);     the places of each link, and in the message of a note what is missing
 */
#ifndef RULES_PROVE_H
#define RULES_PROVE_H

#include "rules/ask/rule.h"

void proof_weigh(const struct check *check, struct match *match);
void proof_show(const struct check *check, struct match *match);

#endif
