/* SPDX-License-Identifier: Apache-2.0 */
/* What was kept so far: files as they were, as they are, and all that changed in between. */
#ifndef TUNE_KEPT_H
#define TUNE_KEPT_H

#include "base/buf.h"
#include "rewrites.h"

struct kept {
    struct rewritten *at; /* by the order in which they first changed; paths as they were given first */
    uint32_t count;
    size_t room;
};

/* One more change of files, whose paths are of the tree that is kept. */
void kept_add(struct kept *kept, const struct rewritten *file, struct arena *arena);

/* Unified, with paths below `root`. */
void kept_diff(const struct kept *kept, str root, struct buf *diff);

void kept_free(struct kept *kept);

#endif
