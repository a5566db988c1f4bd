/* SPDX-License-Identifier: Apache-2.0 */
/* How long steps take: of a run, of all runs of a script, and of one script against another. */
#ifndef VERIFY_PACE_H
#define VERIFY_PACE_H

#include "record.h"

/* The steps of one run behind its warm-up: each from the end of the one before it to its own. */
struct pace {
    int64_t *ns;
    uint32_t count;
};
struct pace pace_of(const struct record *record, int64_t warmup, struct arena *arena);

/* The same run as one step of their mean, times `scale`: what comes once in many steps, as the begin of an epoch, counts. */
struct pace pace_mean(const struct pace *run, double scale, struct arena *arena);

/* Over the steps of one run or of several. */
struct pace_summary {
    uint32_t runs;
    uint64_t steps;
    double p10_ns, p50_ns, p90_ns, mean_ns;
};
struct pace_summary pace_summarise(const struct pace *runs, uint32_t count);

/* What two scripts' times say of which is faster. */
enum pace_verdict {
    PACE_FASTER, /* with 95 % confidence, as PACE_SLOWER */
    PACE_SLOWER,
    PACE_NOISY,   /* too noisy to tell */
    PACE_UNKNOWN, /* one repetition does not show how runs vary */
};

/*
 * How many times as fast: time before by time after. All 0 where there is nothing to compare.
 *
 * `paired` is exp of the mean over repetitions of m, the median over pairs of steps of ln(before / after): the same step of the
 * same repetition, so what differs from step to step cancels. Its interval is Student's over the m of the repetitions, whose
 * standard error is never taken smaller than the one that the steps within the runs give.
 */
struct pace_ratio {
    double ratio;     /* of the medians over all steps of all runs */
    double of_means;  /* of the means: what the whole run gains */
    double p10, p90;  /* over pairs of steps */
    double paired;    /* times as fast */
    double low, high; /* 95 % of it; 0 where there is one repetition */
    enum pace_verdict verdict;
    uint32_t
        would_tell; /* of PACE_NOISY: repetitions that would tell a difference of this size four times of five; 0: none
                       that anybody waits for */
};
struct pace_ratio pace_compare(const struct pace *before, const struct pace *after, uint32_t count);

#endif
