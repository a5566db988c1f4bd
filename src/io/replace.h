/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in the place of another, whole or not at all, over a crash of the machine too.
 *
 * The new text is written beside the place under a name of its own, synced to the disk, and renamed; then the folder is
 * synced. What renaming would lose is first given to the new file: owner, group, rights and extended attributes (access
 * lists are such). A symbolic link stays one: what it leads to is replaced, also where that is not there yet.
 *
 * Where the old file has further hard links, or something of it cannot be given to another file (an owner that only
 * root may give), it is written over in its own place instead. Room for the longer text is reserved before the first
 * byte changes, and the new text stays beside it, whole and synced, until it has arrived: should the disk or the
 * machine fail in between, `replace_kept` names it.
 *
 * Each function that can fail leaves errno.
 */
#ifndef IO_REPLACE_H
#define IO_REPLACE_H

#include <stdbool.h>

#include "base/arena.h"

struct replace {
    int fd;     /* takes the new text */
    int folder; /* of the place; opened before the place changes, for afterwards nothing may fail. -1: not readable */
    const char *path; /* the place, links followed */
    const char *temporary;
    bool kept; /* the temporary file stays: the place was left half-written */
};

/* False where no file can be made beside the place, or the place is a folder. Names live in the arena. */
bool replace_begin(struct replace *replace, const char *path, struct arena *arena);

/* The text is written. True: it is in its place. False: the place is as it was, unless replace_kept. */
bool replace_end(struct replace *replace);

/* After an end that failed, or instead of it. */
void replace_abandon(struct replace *replace);

/* The name under which the new text is whole, where the place was left half-written; else NULL. */
const char *replace_kept(const struct replace *replace);

#endif
