/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the projects around the files say that they keep their packages: pyproject.toml (setuptools, poetry, hatch,
 * pdm), setup.cfg and setup.py. A file of these that cannot be read says nothing; it is not what is linted.
 */
#ifndef LINT_SOURCE_ROOTS_H
#define LINT_SOURCE_ROOTS_H

#include "source/files/given.h"

struct source_roots {
    struct source_root *at;
    uint32_t count;
};

/* Of the folders that the paths lie in, and those above. */
struct source_roots source_roots_find(struct arena *arena, const str *paths, uint32_t count);

#endif
