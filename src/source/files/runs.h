/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files take part in a run. A run is of one script, and of what that imports at any remove: what one script of a
 * folder sets says nothing of another, though both import the same.
 */
#ifndef SOURCE_RUNS_H
#define SOURCE_RUNS_H

#include "files.h"

/* Marks what `from` are and import, at any remove, but nothing that a script without any of them has too. */
void runs_below(const struct files *files, const bool *from, bool *marked);
/* For each file the nearest of the given ones that imports it at any remove, else that takes part in a run with it; NONE. */
void runs_nearest(const struct files *files, const bool *given, uint32_t *nearest);

#endif
