/* SPDX-License-Identifier: Apache-2.0 */
/* The stretches of a path, latest first: all of them, or the longest of a path of any length in bounded memory. */
#ifndef BREAKDOWN_CRITICAL_PATH_KEEP_H
#define BREAKDOWN_CRITICAL_PATH_KEEP_H

#include "critical_path.h"

/* A zeroed struct with `most` is empty. path_kept_free releases it. */
struct path_kept {
    uint32_t most;          /* PATH_ALL: no bound */
    uint64_t found;         /* stretches, whether kept or not */
    struct path_piece last; /* of them: the next piece may go on with it */
    int64_t shorter_ns;     /* pieces shorter than this are let go */
    struct path_piece *at;
    size_t count, room;
};

/* A piece that goes on where the last one began, of the same class and event, is one with it. */
void path_kept_add(struct path_kept *kept, const struct path_piece *piece);

/* The length of the `most`-th longest; 0 where there are no more than that. */
int64_t path_kept_bar_ns(const struct path_kept *kept, uint32_t most);

/* Lets go of all but the longest, then turns the order: earliest first. */
void path_kept_finish(struct path_kept *kept);

void path_kept_free(struct path_kept *kept);

#endif
