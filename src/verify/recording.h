/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is to record, as python/verify/capture.py is told it. */
#ifndef VERIFY_RECORDING_H
#define VERIFY_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "steptime/error.h"

struct recording {
    const char *path;     /* of the file to write; absolute */
    bool times;           /* of steps; else losses */
    bool processor;       /* times are the time of the process on processors; else the wall clock, or the device's */
    bool saved;           /* what is saved, too */
    bool draws;           /* what is drawn by chance, and nothing else */
    bool looks;           /* times of steps, and waits for loaders and steps of optimizers */
    const char *settings; /* of loaders and optimizers (python/verify/settings.py); NULL: the script's own */
    int64_t seed;
    int64_t steps; /* stop after so many; 0: at its end */
};

/* A private folder with the module in it (child/folder.h). */
const char *recording_folder(struct arena *arena, struct steptime_error *err);

/* The environment of the run. PYTHONHASHSEED follows the seed unless it is set already. */
const char *const *recording_environment(const char *folder, const struct recording *recording, struct arena *arena);

#endif
