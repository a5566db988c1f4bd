/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rewrite takes away of the time that a host without a device spends under the lines of a finding, and what it puts
 * there instead. A row a rule; doc/numbers/host-saving.md says where the figures come from.
 */
#ifndef JOIN_HOST_MODEL_H
#define JOIN_HOST_MODEL_H

#include "lint/lint.h"

/* Of the time a part, and for each call so much that is done instead. From low to high savings. */
struct host_model {
    double share_low, share, share_high;
    double put_low_ns, put_ns, put_high_ns; /* a call; low is what makes for the low saving, so the largest */
    bool with_backward;                     /* the backward of what is done there is as much less */
    const char *words;                      /* why: follows "The rewrite" */
};

/* NULL: nothing is known of the rule. */
const struct host_model *host_model_of(const struct lint *lint, const struct match *match);

#endif
