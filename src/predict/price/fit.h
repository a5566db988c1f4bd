/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a script holds fits on a device. Between what its tensors take at least and what the allocator takes from the
 * device at most, with what CUDA and its libraries take: doc/numbers/price.md has the figures and where they are from.
 */
#ifndef PREDICT_PRICE_FIT_H
#define PREDICT_PRICE_FIT_H

#include "dry/allocator.h"
#include "hw/hardware.h"

enum fit_verdict { FIT_UNKNOWN, FIT_YES, FIT_MAYBE, FIT_NO };

const char *fit_word(enum fit_verdict verdict); /* "yes", "may not", "no"; NULL: not known */

struct fit_range {
    int64_t low, high;
};

/* What a process takes besides its tensors: CUDA's context, and workspaces of cuBLAS. */
struct fit_range fit_context(void);
struct fit_range fit_workspaces(const struct hardware *hardware);

/* What of workspaces PyTorch's allocator gives out in training, and so counts as allocated; 0: not known of this device. */
int64_t fit_workspaces_allocated(const struct hardware *hardware);

struct fit {
    enum fit_verdict verdict;
    int64_t low, high; /* bytes of the device; 0: nothing is known */
    int64_t spare;     /* the device's memory less `high`, where its memory is known */
    str place;         /* the line for which there is no room; "": there is */
};

/* `free` is what a replay without bound came to. */
struct fit fit_on(const struct dry_lives *lives, struct allocator_peak free, const struct hardware *hardware);

/* What its tensors take may be off besides, by a share whose mean is `error`: both ends reach out by twice as much. 0: nothing. */
void fit_widen(struct fit *fit, double error, const struct hardware *hardware);

#endif
