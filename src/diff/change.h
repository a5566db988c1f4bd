/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed between two sides: the step, and which kind of its time. Kinds are exclusive and sum to the step, so their
 * changes sum to its change. doc/numbers/diff.md defines each number.
 *
 *     proven      p of the permutation test (permutation.h) is 0.05 or less; of kinds after Holm's correction
 *     explained   below what chance alone may make of steps that differ as these do (spread.h); of fewer than eight steps a side
 *                 also below a tenth of the step
 *     silent      the step changed by less than 1 %, of fewer than eight steps a side by less than twice the spread of the
 *                 noisier side, or its change is explained, and no kind of more than 1 % of the step is proven to have changed
 *     disturbed   of a change of what the host does less than half is in the step at its quickest (quickest.h): other programs may
 *                 have made it, and it is not called proven. What is found there is explained below an eighth of what they took
 *                 of a step: then it is silent, too
 */
#ifndef DIFF_CHANGE_H
#define DIFF_CHANGE_H

#include "side.h"
#include "spread.h"

enum diff_kind {
    DIFF_COMPUTE,
    DIFF_LATE, /* waiting in collectives for a late rank */
    DIFF_COMMUNICATION,
    DIFF_COPIES,
    DIFF_LOADING,
    DIFF_BLOCKED, /* the device idle while the host waited for it */
    DIFF_HOST,    /* idle while the host launched, ran operators or Python; of a host-only step its operators */
    DIFF_COMPILATION,
    DIFF_PROFILER,
    DIFF_UNKNOWN,
    DIFF_KINDS,
};

const char *diff_kind_id(enum diff_kind kind);    /* "data_loading" */
const char *diff_kind_title(enum diff_kind kind); /* "data loading" */
enum diff_kind diff_kind_of_part(enum part part);

struct diff_change {
    double before_ns, after_ns; /* of the mean step */
    double p;                   /* by the mean, corrected; NAN: not tested */
};

enum diff_answer {
    DIFF_SILENT,
    DIFF_PROVEN,   /* the step changed */
    DIFF_PART,     /* a kind of its time is proven to have changed, the step is not */
    DIFF_UNPROVEN, /* the step differs by more than is explained, and that is not proven */
    DIFF_UNTESTED, /* it differs by more than is explained, and there are too few steps for any test */
    DIFF_APART,    /* one side marks steps and the other is a whole recording: they are not compared */
};

struct diff {
    const struct diff_side *before, *after;
    double share;          /* change of the mean step, of that before */
    double p_mean, p_rank; /* NAN: too few steps */
    double
        quickest_share; /* change of the step at its quickest, of that before; NAN: not known, or not the same operators */
    bool disturbed;     /* the tests call the step changed, and it may be other programs that changed it */
    double
        taken_share; /* what they took of a step, of the step at its quickest, on the side that lost more; NAN: not known */
    struct spread spread; /* of steps */
    double shows_share;   /* the smallest change, of the step before, that would have been proven; NAN: none would */
    struct diff_change kinds[DIFF_KINDS];
    enum diff_answer answer;
    enum diff_kind cause; /* the kind that made most of the change; DIFF_KINDS: none */
};

struct diff diff_of(const struct diff_side *before, const struct diff_side *after);

/* p of what is called proven, at most. */
#define DIFF_LEVEL 0.05

/* Whether silence is because the step at its quickest is the same, and not because its steps are. */
bool diff_is_quickest_alone(const struct diff *diff);

/* Steps a side that would prove a change of this share; 0: not known, or no number would do. */
uint32_t diff_steps_for(const struct diff *diff, double share);

#endif
