/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comments that silence a rule:
 *
 *     total += loss.item()  # steptime: ignore[ST401] the scheduler needs it
 *     # steptime: ignore
 *     print(loss)
 *
 * One that ends a line holds for what begins in the line, and for all of the
 * statement that begins there; one alone on its line holds for the line below.
 * Without brackets it holds for all rules.
 *
 *     total += loss.item()  # noqa: ST401
 *     total += loss.item()  # noqa
 *
 * means what it means to other linters: the line that it ends, or the statement
 * that begins or what is found that ends there; codes of theirs say nothing to us.
 */
#ifndef LINT_SUPPRESS_H
#define LINT_SUPPRESS_H

#include "rules/families/rules.h"

struct suppression {
    uint32_t line;     /* that it holds for */
    uint32_t own_line; /* in which it stands */
    str patterns;      /* between the brackets; "" stands for all rules */
    bool noqa;         /* a comment that other linters read too: unknown and unused codes are their business */
    str reason;
    bool used;
};

struct suppressions {
    struct suppression *at; /* by line */
    uint32_t count;
};

struct suppressions suppressions_of(const struct syntax *tree, struct arena *arena);

/* The one that silences the match, now marked as used; NULL. */
const struct suppression *suppressions_use(struct suppressions *suppressions, const struct syntax *tree,
                                           const struct match *match);

/* Of the names between the brackets the first that is no rule. False: there is none. */
bool suppression_unknown(const struct suppression *suppression, str *name);

#endif
