/* SPDX-License-Identifier: Apache-2.0 */
/* The files that say what a script does, by the hashes of what they hold: Python's, notebooks and settings. */
#ifndef TUNE_SOURCES_H
#define TUNE_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "base/str.h"
#include "steptime/error.h"

struct source_file {
    str path;    /* below the root */
    str sha256;  /* in hexadecimal */
    bool loaded; /* the script had imported it when it ended */
};

struct sources {
    struct source_file *at; /* by path */
    uint32_t count;
};

/* Of a folder and all below it. False with *err where one cannot be read. */
bool sources_list(const char *folder, struct arena *arena, struct sources *sources, struct steptime_error *err);

/* Marks those that a run had imported: paths without links in them, of files below `folder`. */
void sources_mark_loaded(struct sources *sources, const char *folder, const str *files, uint32_t count);

/* False of a file that is known and that no run imported, where any is known to be. `path` is below the root. */
bool sources_may_run(const struct sources *sources, str path);

/* "" where the path below `root` cannot be read. */
str source_hash(str root, str path, struct arena *arena);

/* The same files as they are now below `root`; those that are gone are left out. */
struct sources sources_again(const struct sources *before, str root, struct arena *arena);

/*
 * False with *err, which names the first that is not as it was. Files that only `now` has count where they are Python's, and
 * those of Python that no run imported do not count.
 */
bool sources_are_same(const struct sources *before, const struct sources *now, str root, struct steptime_error *err);

#endif
