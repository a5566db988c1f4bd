/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was predicted against what was measured, of trials. All errors are parts of the step that was timed, so steps of all
 * lengths can be put together.
 */
#ifndef TUNE_ESTIMATOR_H
#define TUNE_ESTIMATOR_H

#include "tune.h"

struct estimator_error {
    str rule;            /* "": all */
    uint32_t count;      /* trials that were predicted and timed */
    uint32_t told;       /* of them: what was measured stands above noise (95 %) */
    double ratio;        /* the median over those of predicted by measured; NaN: there is none */
    double relative;     /* the median over those of |predicted - measured| by |measured|; NaN */
    double mean, median; /* of |predicted - measured| */
    double bias;         /* the mean of predicted - measured */
    uint32_t signs;      /* of told: the sign is right */
    uint32_t intervals;  /* trials whose prediction has an interval */
    uint32_t covered;    /* of them: that interval and that of the measurement meet */
};

/* Whether a trial says anything of the estimator. */
bool estimator_counts(const struct trial *trial);

/* Over those of the trials that count, and that are of the rule ("": of any). */
struct estimator_error estimator_error_of(const struct trial *const *trials, uint32_t count, str rule);

/* Of all together, in a sentence. */
str estimator_text(const struct estimator_error *error, struct arena *arena);

/* A row a rule in the order of their ids, the last of all together; in the arena. `*rows` is 0 where none counts. */
struct estimator_error *estimator_errors(const struct trial *const *trials, uint32_t count, struct arena *arena,
                                         uint32_t *rows);

#endif
