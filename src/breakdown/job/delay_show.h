/* SPDX-License-Identifier: Apache-2.0 */
/* Delay costs as a report. */
#ifndef BREAKDOWN_DELAY_SHOW_H
#define BREAKDOWN_DELAY_SHOW_H

#include "job.h"

/* Section "delay_costs" with the table `delay_costs`, the largest rows of it. Nothing where a rank has no strip. */
void delay_show(const struct job *job, struct report *report);

#endif
