/* SPDX-License-Identifier: Apache-2.0 */
/* The breakdown of one or many ranks as a report. */
#ifndef BREAKDOWN_BREAKDOWN_SHOW_H
#define BREAKDOWN_BREAKDOWN_SHOW_H

#include "breakdown.h"
#include "report/report.h"

void breakdown_show(const struct breakdown *const *ranks, uint32_t count, struct report *report);

/* The table `steps` alone, and of one device the lines of the step and its largest parts over the steps. */
void steps_show(const struct breakdown *const *ranks, uint32_t count, struct report *report);

/* ---- for the files that draw the parts of it ---- */

struct shown_device {
    const struct breakdown *rank;
    const struct breakdown_device *device;
};

struct shown {
    struct report *report;
    struct shown_device *rows; /* every device of every rank */
    uint32_t count;
    uint32_t step_rows; /* over all of them */
    int64_t wall_ns;    /* the same */
    int64_t part_ns[PARTS];
    bool device, host_only; /* there are rows with device activity, without it */
    bool many;              /* more than one row: a terminal needs their names */
};

/* Sum of an account over all rows; a mean over the rows of `steps` divides it by shown->step_rows. */
int64_t shown_total(const struct shown *shown, int account);

void show_idle(const struct shown *shown); /* idle, blocked */
void show_work(const struct shown *shown); /* overlap, copies, phases, four_parts */

#endif
