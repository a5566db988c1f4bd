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

/* Over the steps of one run or of several. */
struct pace_summary {
    uint32_t runs;
    uint64_t steps;
    double p10_ns, p50_ns, p90_ns, mean_ns;
};
struct pace_summary pace_summarise(const struct pace *runs, uint32_t count);

/* How many times as fast: time before by time after. All 0 where there is nothing to compare. */
struct pace_ratio {
    double ratio;    /* of the medians over all steps of all runs */
    double of_means; /* of the means: what the whole run gains */
    double p10, p90; /* over pairs: the same step of the same repetition, before and after */
};
struct pace_ratio pace_compare(const struct pace *before, const struct pace *after, uint32_t count);

#endif
