/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as a report: what changed and why in a sentence, the kinds of time, operators, settings. */
#ifndef DIFF_SHOW_H
#define DIFF_SHOW_H

#include "change.h"
#include "operators.h"
#include "report/report.h"

/* What both sides say of how they were recorded and with what; "" where a side does not. */
struct diff_setting {
    const char *id;
    str before, after;
    bool of_recorder; /* it says how it was recorded, not what ran */
};

/* The sentence that stands first. */
void diff_show_answer(const struct diff *diff, const struct diff_operators *operators, struct report *report);

/* All below it. */
void diff_show(const struct diff *diff, const struct diff_operators *operators, const struct diff_setting *settings,
               uint32_t setting_count, struct report *report);

#endif
