/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that what was seen of a run suggests: arguments of a loader or an optimizer, which no file of the user's has to hold. */
#ifndef TUNE_SETTINGS_H
#define TUNE_SETTINGS_H

#include "look.h"
#include "rewrites.h"

struct setting {
    const char *name;   /* "num_workers" */
    str words;          /* "num_workers=2": what would be written */
    int64_t loader;     /* the one that it is of; -1: of optimizers */
    str place;          /* "FILE:LINE" where that is made; "" */
    enum fix_kind kind; /* safe: no loss may change by a bit */
    struct prediction predicted;
    bool other_training; /* steps are of more samples: losses are not compared, and it is never kept */
    double scale;        /* of the time of its steps, to be that of as many samples */
};

struct setting_asks {
    bool unsafe, batch;
    bool waits_unseen; /* times are those of processors: what waits for workers cannot be timed */
    bool on_device;
    int64_t processors;
    bool (*was_tried)(const void *context, str words, int64_t loader);
    const void *context;
};

enum {
    SETTINGS_LEAST_PERCENT = 5
}; /* of a step, that a wait or an optimizer takes before anything is suggested of it */

/* The first that was not tried. False: there is none. */
bool settings_next(const struct look *look, const struct setting_asks *asks, struct arena *arena,
                   struct setting *setting);

/* Whether a loader is waited for, so that settings of it would be tried if their times could be seen. */
bool settings_loader_is_slow(const struct look *look);

/* Whether only --unsafe would make the optimizer's kernels one. */
bool settings_may_be_fused(const struct look *look);

#endif
