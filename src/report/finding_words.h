/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is told about a kind of finding beside the finding itself. A room that
 * makes findings of its own keeps a list of these, one row an id; the list ends
 * with a row without an id. `steptime rules show` and SARIF read them.
 */
#ifndef REPORT_FINDING_WORDS_H
#define REPORT_FINDING_WORDS_H

#include "report.h"

struct finding_words {
    const char *id, *name;
    enum severity severity; /* at most */
    const char *brief;      /* a few words: when it is said */
    const char *why;        /* what is behind it */
    const char *remedy;     /* what to do */
};

/* All there is to say, as Markdown that reads well on a terminal too. */
str finding_words_help(struct arena *arena, const struct finding_words *words);

/* By its id or name; NULL where no row has it. */
const struct finding_words *finding_words_of(const struct finding_words *list, str id);

/* Tells the readers of the report what its findings are about. */
void report_words(struct report *report, const struct finding_words *list);

#endif
