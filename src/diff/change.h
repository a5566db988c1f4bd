/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed between two sides: the step, and which kind of its time. Kinds are exclusive and sum to the step, so their
 * changes sum to its change. doc/numbers/diff.md defines each number.
 *
 *     proven      p of the permutation test (permutation.h) is 0.05 or less; of kinds after Holm's correction
 *     silent      the step changed by less than 1 %, or than twice the spread of the noisier side, and no kind of more
 *                 than 1 % of the step is proven to have changed. Of fewer steps than a test needs the spread says nothing,
 *                 and 1 % alone counts
 *     disturbed   of a change of what the host does less than half is in the step at its quickest (quickest.h): other programs may
 *                 have made it, and it is not called proven
 */
#ifndef DIFF_CHANGE_H
#define DIFF_CHANGE_H

#include "side.h"

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
    DIFF_UNPROVEN, /* the step differs, and that may be chance */
    DIFF_UNTESTED, /* it differs, and there are too few steps for any test */
    DIFF_APART,    /* one side marks steps and the other is a whole recording: they are not compared */
};

struct diff {
    const struct diff_side *before, *after;
    double share;          /* change of the mean step, of that before */
    double p_mean, p_rank; /* NAN: too few steps */
    double
        quickest_share; /* change of the step at its quickest, of that before; NAN: not known, or not the same operators */
    bool disturbed;     /* the tests call the step changed, and it may be other programs that changed it */
    struct diff_change kinds[DIFF_KINDS];
    enum diff_answer answer;
    enum diff_kind cause; /* the kind that made most of the change; DIFF_KINDS: none */
};

struct diff diff_of(const struct diff_side *before, const struct diff_side *after);

/* p of what is called proven, at most. */
#define DIFF_LEVEL 0.05

/* Why nothing can be said for or against a gate; NULL: something can. */
const char *diff_cannot_tell(const struct diff *diff);

/* Whether the step got longer by more than the share, and that is proven: what a gate may fail on. */
bool diff_is_slower(const struct diff *diff, double share);

#endif
