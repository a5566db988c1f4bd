/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a step would be if one resource took so much of its time: the verdict's replay at several paces, slower
 * ones too. The pace of 0 is the removal of the verdict, that of a half its "twice as fast".
 * doc/numbers/verdict.md defines the table.
 */
#ifndef BREAKDOWN_CURVES_H
#define BREAKDOWN_CURVES_H

#include "lab.h"
#include "report/report.h"

enum { CURVE_PACES = 7, CURVE_AS_IS = 4 };
extern const int curve_percent[CURVE_PACES]; /* of its time; curve_percent[CURVE_AS_IS] is 100 */

struct curves {
    uint32_t steps; /* replayed; 0: nothing is known */
    bool device;
    int64_t step_ns;                          /* of all of them, as recorded */
    int64_t time_ns[RESOURCES];               /* 0: the resource has no curve */
    int64_t taken_ns[RESOURCES][CURVE_PACES]; /* of all steps */
};

/* Replays the steps that a verdict would. */
void curves_run(const struct trace *trace, const struct selection *selection, struct curves *out);

/* Section "curves" with the table `curves`; of several ranks each by itself, and the mean of all. */
void curves_show(const struct curves *const *ranks, uint32_t count, struct report *report);

#endif
