/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict of a job (breakdown/job), of which cli/fleet knows no more: its late
 * rank and what bounds it. Apart, because jobs of a cluster and parts of a step have
 * the same names there.
 */
#ifndef CLI_FLEET_RANK_JOB_H
#define CLI_FLEET_RANK_JOB_H

#include "report/report.h"
#include "trace/select.h"
#include "trace/trace.h"

struct job_numbers;

/* What is kept of one rank; in the arena. */
const struct job_numbers *rank_job_take(const struct trace *trace, const struct selection *selection,
                                        struct arena *arena);

/* It exchanged anything with others. */
bool rank_job_meets(const struct job_numbers *rank);

/* What every command says of the job. */
void rank_job_show(const struct job_numbers *const *ranks, uint32_t count, struct report *report);

#endif
