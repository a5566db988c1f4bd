/* SPDX-License-Identifier: Apache-2.0 */
/* All there is to say about a rule, as Markdown that reads well on a terminal too. */
#ifndef RULES_HELP_H
#define RULES_HELP_H

#include "rules/ask/rule.h"

str rule_help(struct arena *arena, const struct rule *rule);

/* Where the rule is described, for who follows links; "" where the build was not told (doc_url). */
str rule_uri(struct arena *arena, const struct rule *rule);

const char *level_word(enum level level); /* "warning" */
const char *fix_word(enum fix_kind fix);  /* "safe", "unsafe", "none" */
str rule_family(const struct rule *rule); /* "element-access" of ST101 */

#endif
