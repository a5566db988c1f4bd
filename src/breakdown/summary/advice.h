/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What matters most about a mean step, and what to do: the findings SM... of the
 * summary. A rule is a row of one table: what share of the step it needs to be
 * worth a word, how it is measured, what it says. doc/numbers/summary.md lists
 * them.
 */
#ifndef BREAKDOWN_ADVICE_H
#define BREAKDOWN_ADVICE_H

#include "breakdown/holdup/holdup.h"
#include "breakdown/step/facts.h"
#include "breakdown/verdict/verdict.h"
#include "report/finding_words.h"

/* What it is about; holdups are of all ranks. */
struct advice {
    const struct facts *facts;
    const struct holdups *holdups;
    const struct verdict *verdict; /* no finding on a resource claims more than its removal saves in the replay */
};

/*
 * Puts the `most` largest findings into the report, largest first; the count of all that applied is returned. *first: what
 * to do first, where something is a warning; else "".
 */
uint32_t advise(const struct advice *advice, uint32_t most, struct report *report, str *first);

/* The parts whose largest events a finding may show: a bit each. */
uint64_t advice_parts(void);

/* What is behind each of them. */
extern const struct finding_words advice_words[];

#endif
