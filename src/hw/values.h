/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values that a figure takes one after the other, as people write them:
 *
 *     10..400Gbps           doubling from 10 up, and 400 at the end
 *     500..8000:9           nine values, each the same times the one before
 *     0..1  0..1:6          from 0 in equal steps: eleven, or as many as said
 *     25,100,400Gbps        as listed; the unit may stand behind the last alone
 */
#ifndef HW_VALUES_H
#define HW_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum { VALUES_MOST = 256 };

struct values {
    uint32_t count;        /* at most VALUES_MOST */
    bool too_many;         /* false is said of more than that */
    const double *numbers; /* in the unit as given */
    const str *texts;      /* as people write them: "25Gbps" */
};

/* False where the text is none of these. `whole`: values are rounded to integers, and each is there once. */
bool values_read(str text, bool whole, struct arena *arena, struct values *values);

#endif
