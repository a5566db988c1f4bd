/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a run looks at. */
#ifndef LINT_COLLECT_H
#define LINT_COLLECT_H

#include "config.h"

struct collected {
    str path;
    const struct config *config; /* what holds for it */
};

struct collection {
    struct collected *files; /* by path, each file once */
    uint32_t count;
    uint32_t excluded;
    bool whole;            /* a folder was named */
    struct texts settings; /* what else lies in folders that are named, and may say what runs: mentioned.h */
};

/*
 * What a run was told to look at. Of the path "-" the text came by standard input, and it stands for a file of this
 * path, whether or not there is one; then no file is taken for it.
 */
struct collect_paths {
    const char *const *at;
    uint32_t count;
    str standard_input; /* "": "-" is a path like others */
    const str *texts;   /* paths that stand for texts: named, they need not be there */
    uint32_t text_count;
};

/*
 * Files as they are named, and the *.py and *.ipynb below folders that are named, but for
 * hidden ones, __pycache__, virtual environments and what the configuration
 * excludes. A file of several paths is named by one that is no link, of these by the first. Links to folders are not followed. With `config` that file counts for
 * all, otherwise the nearest pyproject.toml above each path.
 */
bool collect(struct arena *arena, const struct collect_paths *paths, const char *config, struct collection *collection,
             struct steptime_error *err);

#endif
