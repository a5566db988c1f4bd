/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of ranks as a report. */
#ifndef BREAKDOWN_RANKS_SHOW_H
#define BREAKDOWN_RANKS_SHOW_H

#include "ranks.h"
#include "report/report.h"

/* Who is late (RANK_NONE_LATE: nobody), and the sentence that says it; the first of all. */
void ranks_show_late(const struct ranks *ranks, uint32_t late, str sentence, struct report *report);

/* Warnings: what makes the comparison doubtful. ranks_show has them. */
void ranks_show_doubts(const struct ranks *ranks, struct report *report);

void ranks_show(const struct ranks *ranks, struct report *report);

void ranks_show_collectives(const struct ranks *ranks, struct report *report);

#endif
