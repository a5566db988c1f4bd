/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of ranks as a report. */
#ifndef BREAKDOWN_RANKS_SHOW_H
#define BREAKDOWN_RANKS_SHOW_H

#include "ranks.h"
#include "report/report.h"

void ranks_show(const struct ranks *ranks, struct report *report);

void ranks_show_collectives(const struct ranks *ranks, struct report *report);

/* A mean a step: of ns over steps; null of no steps. */
struct cell ranks_per_step(double ns, uint32_t steps);

#endif
