/* SPDX-License-Identifier: Apache-2.0 */
/* Stragglers of a job as a report. */
#ifndef FLEET_STRAGGLER_SHOW_H
#define FLEET_STRAGGLER_SHOW_H

#include "straggler.h"
#include "report/report.h"

void stragglers_show(const struct stragglers *stragglers, struct report *report);

#endif
