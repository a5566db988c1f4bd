/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a job saves where a rank, a kind of time or the transfers are ideal, by
 * replay (lines_replay.h). A kind of time is ideal on a rank where it takes, in each
 * step, what it takes on the typical rank: so its pieces are scaled.
 *
 * After Lin et al., OSDI 2025: S = T / T_ideal, S_w = T(all but w ideal) / T_ideal,
 * returned = (T - T(w ideal)) / (T - T_ideal).
 */
#ifndef BREAKDOWN_IDEAL_H
#define BREAKDOWN_IDEAL_H

#include "lines.h"

enum ideal_rule {
    IDEAL_MIDDLE, /* the lower median of all ranks: what only one of them does is ideally not done */
    IDEAL_MEAN,   /* the mean of those that do it at all */
};

struct ideal;
struct ideal *ideal_new(const struct lines *lines, enum ideal_rule rule, struct arena *arena);

/* False: there are so many ranks, steps and kinds that all steps are taken together. */
bool ideal_by_step(const struct ideal *ideal);

int64_t ideal_as_is_ns(struct ideal *ideal); /* T, the job as recorded */
int64_t ideal_all_ns(struct ideal *ideal);   /* T_ideal: every kind on every rank; transfers as they are */
int64_t ideal_rank_ns(struct ideal *ideal, uint32_t rank);
int64_t ideal_all_but_ns(struct ideal *ideal, uint32_t rank);
int64_t ideal_kind_ns(struct ideal *ideal, uint32_t plain, uint32_t rank); /* on one rank; NO_RANK: on all */
int64_t ideal_class_ns(struct ideal *ideal, uint8_t class);                /* all kinds of the class, on all ranks */
int64_t ideal_stage_ns(struct ideal *ideal, uint32_t stage);               /* all ranks of a stage of the pipeline */
int64_t ideal_link_ns(struct ideal *ideal);      /* what goes over the slow link takes what it takes without */
int64_t ideal_transfers_ns(struct ideal *ideal); /* all of them at no time */

#endif
