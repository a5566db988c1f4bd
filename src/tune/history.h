/* SPDX-License-Identifier: Apache-2.0 */
/* Predicted against measured over all runs of tune whose manifests lie below some folders. */
#ifndef TUNE_HISTORY_H
#define TUNE_HISTORY_H

#include "manifest.h"

struct history_run {
    str folder;
    struct manifest manifest;
};

struct history {
    struct history_run *at; /* by folder */
    uint32_t count;
    str *unused; /* manifest.json that are none of tune's, or broken: "PATH: why" */
    uint32_t unused_count;
};

/* False with *err: a folder is not there. A run's own copies are not searched. */
bool history_find(const char *const *folders, uint32_t count, struct arena *arena, struct history *history,
                  struct steptime_error *err);

void history_show(const struct history *history, struct report *report);

#endif
