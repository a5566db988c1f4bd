/* SPDX-License-Identifier: Apache-2.0 */
/* What a dry run says of one finding. */
#ifndef PROVEN_JUDGE_H
#define PROVEN_JUDGE_H

#include "doubt.h"
#include "proven.h"

struct judging {
    struct lint *lint;
    struct wait_sites *sites;
    struct doubts doubts;
    struct arena *arena; /* of the findings */
};

/* Which sites findings stand at, and which of these stay. Before sites_follow. */
void judge_sites(struct judging *judging);
/* Fills what is told of the finding. */
enum verdict judge_finding(struct judging *judging, struct lint_finding *finding);

/* "train.py:12" */
str judge_place(const struct judging *judging, uint32_t site);
/* "once", "2.5 times" */
str judge_often(const struct judging *judging, int64_t count);

#endif
