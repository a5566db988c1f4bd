/* SPDX-License-Identifier: Apache-2.0 */
/* A slow link as the cause for which all ranks of a job wait (breakdown/ranks/ranks_link.h finds it). */
#ifndef BREAKDOWN_JOB_LINK_H
#define BREAKDOWN_JOB_LINK_H

#include "job.h"

/* Where a link was found: the cause alone, and communication of all ranks, since those beside it wait for what it holds up. */
void link_explain(struct job *job, struct arena *arena);

#endif
