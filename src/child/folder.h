/* SPDX-License-Identifier: Apache-2.0 */
/* A private folder for the time of one command, with a module that the Python of a child loads before all others. */
#ifndef CHILD_FOLDER_H
#define CHILD_FOLDER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

/*
 * In $TMPDIR or /tmp, for this user alone. The module is its sitecustomize.py, which Python loads when it starts; beside it
 * lies steptime_inside.py (python/inside.py), what all such modules share. NULL with *err where it cannot be made.
 */
const char *folder_make(str module, struct arena *arena, struct steptime_error *err);

/* A file to lie in it. */
struct folder_file {
    const char *name;
    str text;
};

/* The same with more files beside the module, ended by one without a name. */
const char *folder_make_with(str module, const struct folder_file *besides, struct arena *arena,
                             struct steptime_error *err);

/* With everything in it. */
void folder_remove(const char *folder);

/*
 * This program's environment with the folder first on PYTHONPATH, and `more` ("NAME=VALUE", ended by NULL), which take the
 * place of what has these names. Ended by NULL; in the arena.
 */
const char *const *folder_environment(const char *folder, const char *const *more, struct arena *arena);

#endif
