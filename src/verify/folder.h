/* SPDX-License-Identifier: Apache-2.0 */
/* A private folder for the time of one command: the recording module, and what it writes down. */
#ifndef VERIFY_FOLDER_H
#define VERIFY_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "steptime/error.h"

/* In $TMPDIR or /tmp, for this user alone, with the module in it. NULL with *err where it cannot be made. */
const char *folder_make(struct arena *arena, struct steptime_error *err);

/* With everything in it. */
void folder_remove(const char *folder);

/* What a run is to record. */
struct recording {
    const char *path; /* of the file to write; absolute */
    bool times;       /* of steps; else losses */
    bool saved;       /* what is saved, too */
    int64_t seed;
    int64_t steps; /* stop after so many; 0: at its end */
};

/*
 * This program's environment with the folder first on PYTHONPATH and what to
 * record. PYTHONHASHSEED follows the seed unless it is set already. Ended by NULL.
 */
const char *const *folder_environment(const char *folder, const struct recording *recording, struct arena *arena);

#endif
