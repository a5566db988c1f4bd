/* SPDX-License-Identifier: Apache-2.0 */
/* Which names the path is made of. */
#ifndef BREAKDOWN_CRITICAL_PATH_TOP_H
#define BREAKDOWN_CRITICAL_PATH_TOP_H

#include "base/map.h"
#include "critical_path.h"

struct path_group {
    enum path_class class;
    uint32_t name;    /* text id */
    uint32_t longest; /* row of the longest piece; ROW_NONE */
    int64_t longest_ns, ns;
    uint64_t count;
};

/* A zeroed struct is empty. path_groups_free releases it. */
struct path_groups {
    struct map places;
    struct path_group *at;
    size_t count, room;
};

void path_groups_add(struct path_groups *groups, const struct trace *trace, const struct path_piece *piece, int64_t ns);

/* The largest of them with their texts, in the arena. */
struct path_top *path_groups_top(const struct path_groups *groups, const struct trace *trace, uint32_t most,
                                 struct arena *arena, uint32_t *count);

void path_groups_free(struct path_groups *groups);

#endif
