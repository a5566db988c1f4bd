/* SPDX-License-Identifier: Apache-2.0 */
/* What the job would save, as a report. */
#ifndef BREAKDOWN_IDEAL_SHOW_H
#define BREAKDOWN_IDEAL_SHOW_H

#include "job.h"

/* Section "ideal" with the table `ideal`. Nothing where a rank has no strip. */
void ideal_show(const struct job *job, struct report *report);

#endif
