/* SPDX-License-Identifier: Apache-2.0 */
/* The stretches of the host in the selected steps, by group: one cause, and of long ones of ordinary execution one name. */
#ifndef BREAKDOWN_STRETCHES_H
#define BREAKDOWN_STRETCHES_H

#include "breakdown/verdict/lab.h"

enum { LONG_STRETCH_NS = 1000 * 1000 };

struct stretch {
    uint32_t node, row, group; /* row: the event that stands for it; ROW_NONE */
    bool waits;                /* for device work, whether that had ended before or not */
    int64_t ns, waited_ns;     /* of its own; before that, waiting */
};

struct stretch_group {
    enum cause cause;
    bool is_long;
    uint32_t name;    /* text id of long ones of ordinary execution; 0 */
    uint32_t times;   /* runs of stretches that follow each other for one event */
    uint32_t last;    /* index of a stretch */
    uint32_t longest; /* the first of the longest run */
    int64_t time_ns, run_ns, longest_ns;
    uint32_t run; /* where the run at hand began */
};

struct stretches {
    struct stretch *at; /* ascending by node */
    size_t count, room;
    struct stretch_group *groups;
    size_t group_count, group_room;
};

/* stretches_free releases it. */
struct stretches stretches_of(const struct lab *lab);
void stretches_free(struct stretches *stretches);

#endif
