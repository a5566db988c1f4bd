/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts stretches of time at the bounds of steps. Stretches come in order of time, so steps are walked once. */
#ifndef BREAKDOWN_STEP_CUT_H
#define BREAKDOWN_STEP_CUT_H

#include "trace/trace.h"

struct step_cut {
    const struct step *steps;
    uint32_t count;
    uint32_t at; /* the first step that ends after the stretches so far */
};

/* What of [start_ns, end_ns) lies in step i; 0 if nothing. */
static inline int64_t step_cut_inside(const struct step_cut *cut, uint32_t i, int64_t start_ns, int64_t end_ns)
{
    const struct step *step = &cut->steps[i];
    const int64_t from = start_ns > step->start_ns ? start_ns : step->start_ns;
    const int64_t to = end_ns < step->end_ns ? end_ns : step->end_ns;
    return to > from ? to - from : 0;
}

/* The first step that may hold something of a stretch; those after it follow until one starts at its end or later. */
static inline uint32_t step_cut_first(struct step_cut *cut, int64_t start_ns)
{
    while (cut->at < cut->count && cut->steps[cut->at].end_ns <= start_ns)
        cut->at++;
    return cut->at;
}

#endif
