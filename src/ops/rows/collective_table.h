/* SPDX-License-Identifier: Apache-2.0 */
/* A table of collectives under construction, for the two files that fill it. */
#ifndef OPS_COLLECTIVE_TABLE_H
#define OPS_COLLECTIVE_TABLE_H

#include "base/map.h"
#include "collective.h"

struct collective_table {
    const struct trace *trace;
    const struct work_classes *classes;
    struct arena *arena; /* of the result */
    struct collective *at;
    size_t count, room;
    struct collective_group *groups;
    size_t group_count, group_room;
    struct map group_index; /* name and ranks, as text ids, to the index of the group */
};

/* A row of which nothing is known but its name, added at the end. The pointer holds until the next is added. */
struct collective *collective_table_add(struct collective_table *table, uint32_t row, enum collective_kind kind);

/*
 * Who sends a message between two, and to whom: as the attributes of the rows say, else the name of an annotation
 * (nccl:send 0->1), else the third argument of a call (c10d::send). ROW_NONE: there is none.
 */
struct peer_rows {
    int64_t source, destination; /* attributes of the kernel or of an operator around its launch; -1 */
    str collective;              /* "send"; "" */
    str group_ranks;             /* "[4, 5]"; "" */
    uint32_t annotation, call;
};
void collective_set_peers(const struct trace *trace, const struct peer_rows *rows, struct collective *into);

void collective_table_add_kernels(struct collective_table *table); /* collective_device.c */
void collective_table_add_host(struct collective_table *table);    /* collective_host.c */

/* The group of that name and these ranks (text ids, 0: not recorded), found or added. */
uint32_t collective_table_group(struct collective_table *table, uint32_t name, uint32_t ranks, int64_t size);

#endif
