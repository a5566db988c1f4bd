/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of the source that a training script lies in, so that rewrites are tried, and what a script writes is kept, apart
 * from the user's files.
 *
 * Its root is the nearest folder at or above the script with .git or pyproject.toml, else the script's own folder. All of
 * it is copied but hidden entries, virtual environments, __pycache__ and folders that recordings were written to. Links
 * stay links. Where a file system can share the bytes of two files they are shared until one is written to.
 */
#ifndef TUNE_TREE_H
#define TUNE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

struct tree {
    str from;  /* the root, absolute, without a slash at its end */
    str to;    /* the copy's */
    str apart; /* a folder that is not copied, since the copy lies in it */
};

/* Of the script, whose path is absolute. */
str tree_root(str script, struct arena *arena);

/* False with *err: it holds more than `most_bytes`, or cannot be read or written; then what was copied is left there. */
bool tree_copy(const struct tree *tree, int64_t most_bytes, struct steptime_error *err);

/* A path in the root as it is in the copy; others as they are. */
str tree_path(const struct tree *tree, str path, struct arena *arena);
/* And back. */
str tree_origin(const struct tree *tree, str path, struct arena *arena);

#endif
