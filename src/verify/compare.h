/* SPDX-License-Identifier: Apache-2.0 */
/* Two records of what should be the same training. */
#ifndef VERIFY_COMPARE_H
#define VERIFY_COMPARE_H

#include "record.h"

/* Two values agree if their bits do, or if |before - after| <= absolute + relative * |before|. */
struct tolerance {
    double relative, absolute;
};

enum { COMPARE_NONE = -1 };

struct loss_comparison {
    uint32_t before_count, after_count;
    uint32_t equal;       /* pairs with the same bits */
    double worst;         /* greatest relative difference of a pair */
    int64_t first;        /* the first pair that does not agree, from 0; COMPARE_NONE */
    double before, after; /* that pair */
    double relative;      /* its difference */
    bool agree;           /* every pair does, and there are as many on both sides */
};
struct loss_comparison compare_losses(const struct record *before, const struct record *after,
                                      struct tolerance tolerance);

struct saved_comparison {
    uint32_t before_count, after_count; /* tensors */
    uint32_t equal;                     /* pairs with the same bits */
    double worst;                       /* greatest relative difference; infinite where only a hash is known */
    str first;                          /* the place of the first one that does not agree; empty: none */
    bool agree;
};
struct saved_comparison compare_saved(const struct record *before, const struct record *after,
                                      struct tolerance tolerance);

#endif
