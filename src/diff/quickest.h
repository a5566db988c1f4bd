/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a step of the host takes where nothing comes between. Other programs on the processors make steps longer, by much
 * and for minutes: that is a change of the recordings, and none of what ran. But they interrupt a few stretches of a step at
 * a time. So from one begin of an operator to the next, of any thread, there lies in each step a stretch; its quickest lengths are
 * its own, and those of all stretches sum to the step at its quickest.
 *
 *     quickest of a stretch   of n steps the one that n / 8 are quicker than, so that one freak says nothing
 *     steps                   those that call the operators in the same order as most do
 *
 * Nothing is known with a device (its work waits for no processor), of sketches, and where no order is that of half the steps.
 */
#ifndef DIFF_QUICKEST_H
#define DIFF_QUICKEST_H

#include "trace/select.h"

struct quickest {
    uint32_t steps; /* 0: not known */
    uint64_t order; /* of two recordings the same: they call the same operators in the same order */
    double ns;
};

struct quickest quickest_of(const struct trace *trace, const struct selection *selection);

#endif
