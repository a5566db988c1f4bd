/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about a holdup of the host: advice fits the cause, whether it comes in each step, and the device. */
#ifndef BREAKDOWN_ADVICE_CAUSES_H
#define BREAKDOWN_ADVICE_CAUSES_H

#include "breakdown/holdup/holdup.h"
#include "breakdown/step/facts.h"

/* What one says of a holdup; rule NULL: nothing, other findings do. */
struct cause_advice {
    const char *rule; /* "SM101" */
    double notable;   /* share of the step from which it is a warning */
};

struct cause_advice advice_on(const struct holdup *holdup, const struct facts *facts);

/* The cost and what to do; where only of long stretches. */
str advice_short(const struct holdup *holdup, const struct holdups *holdups, const struct facts *facts,
                 struct arena *arena);

str advice_text(const struct holdup *holdup, const struct holdups *holdups, const struct facts *facts,
                struct arena *arena);

#endif
