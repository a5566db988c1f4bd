/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One answer for a job at any number of ranks: what bounds its steps, and where
 * that is a late rank, which one, why, and in how many steps. Every command that
 * concludes about a job asks here, so that none contradicts another.
 *
 * The verdicts of the ranks (breakdown/verdict) are added up as one mean step, but
 *
 *     communication   counts without the waiting for those who came later: what is left is transfer
 *     lateness        a resource of its own: what all ranks gain where the late one comes with the last but one
 *
 * Why a rank is late is told by what it did longer than the others: of the host by
 * cause (breakdown/holdup), of the device by its compute. Of each rank only numbers
 * are kept. doc/numbers/verdict.md and ranks.md define each number.
 */
#ifndef BREAKDOWN_JOB_H
#define BREAKDOWN_JOB_H

#include "across.h"
#include "breakdown/holdup/holdup.h"
#include "breakdown/kernels/kernel_times.h"
#include "breakdown/verdict/respond.h"
#include "breakdown/verdict/verdict.h"
#include "delay.h"

/* What is kept of a rank; the parts may lie in the results of other analyses. */
struct job_rank {
    const struct rank_numbers *numbers;
    const struct verdict *verdict;
    const struct holdups *holdups;
    const struct strip *strip;
    const struct responses *responses;
};

/* The same, by itself. */
struct job_numbers {
    struct rank_numbers numbers;
    struct verdict verdict;
    struct holdups holdups;
    struct strip strip;
    struct kernel_times kernels;
    struct responses responses;
};

void job_numbers_of(const struct trace *trace, const struct selection *selection, struct arena *arena,
                    struct job_numbers *out);
struct job_rank job_rank_of(const struct job_numbers *numbers);

/* The class of what makes a rank late. */
enum late_kind {
    LATE_OTHER,
    LATE_COMPUTE,   /* its compute takes longer, for work of the same size */
    LATE_SEQUENCES, /* its compute takes longer, for it was given more */
    LATE_LOADER,
    LATE_COLLECTION,
    LATE_COMPILATION,
    LATE_ALLOCATOR,
    LATE_SKEWED, /* it began later, once */
    LATE_STAGE,  /* a stage of a pipeline that has more to do than the others */
    LATE_LINK,   /* of no rank: a slow link, for which all wait */
    LATE_KINDS,
};

/* What the late rank did longer than the lower median of the others. */
struct late_cause {
    const char *id; /* of an enum cause, "compute_slower" or "sequence_lengths" */
    str title;
    double per_step_ns;
    int64_t cost_ns; /* what all ranks waited for it (delay.h); 0 where ranks have no strips */
    enum habit habit;
    str what, inside, line; /* of the longest stretch; "" */
    const char *phase;      /* "forward"; "loader"; "" */
    enum late_kind kind;
};

enum { LATE_CAUSES_MOST = HOLDUPS_MOST + 1 };

struct job {
    struct ranks ranks;
    struct verdict verdict; /* of all ranks as one mean step */
    int64_t link_saves_ns,
        stage_saves_ns; /* in the verdict's steps, by the same replay: without the slow link; with the
                                              longest stage as long as the middle of the others; -1: not replayed */
    uint32_t late;      /* index of the rank; RANK_NONE_LATE */
    str sentence;       /* who is late, or that nobody is */
    struct late_cause causes[LATE_CAUSES_MOST]; /* of the late rank, what takes most first; or the slow link alone */
    uint32_t cause_count;

    bool lined; /* every rank has its strip: then the three below are known */
    struct lines lines;
    struct delays delays;
    struct across across;
};

/* Everything lives in the arena, and points to what is given. */
void job_of(const struct job_rank *ranks, uint32_t count, struct arena *arena, struct job *out);

/* Of its late rank; 0: nobody is late. */
double job_late_per_step_ns(const struct job *job);
double job_saving_per_step_ns(const struct job *job); /* where it comes with the last but one */

const char *late_kind_id(enum late_kind kind);

/* Values late_rank, late_per_step_ns and those of job_show_reason. */
void job_show_late(const struct job *job, struct section *section);

/* Values late (the sentence), late_phase, late_kind, late_cause, late_steps. */
void job_show_reason(const struct job *job, struct section *section);

/* Where a rank is late, section "late" with the table `causes`: why. */
void job_show_why(const struct job *job, struct report *report);

#endif
