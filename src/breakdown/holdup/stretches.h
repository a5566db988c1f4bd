/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stretches of the host in the selected steps, by group: one cause, and of long ones of ordinary execution one name;
 * of those that no event stands for one order of magnitude. Where they are asked for, kernels by name, too.
 */
#ifndef BREAKDOWN_STRETCHES_H
#define BREAKDOWN_STRETCHES_H

#include "breakdown/verdict/lab.h"

enum { LONG_STRETCH_NS = 1000 * 1000 };

/* Of a length: how many digits it has. */
uint32_t magnitude(int64_t ns);

/* Where a stretch is. */
struct place {
    uint32_t node, row; /* of the graph; the event that stands for the stretch; ROW_NONE */
};

/* What a joined node of the lab has less without a group; another loss may add to it. */
struct loss {
    uint32_t node;
    uint32_t group : 31;
    uint32_t waits : 1; /* for device work, whether that had ended before or not */
    int64_t ns;
};

/* The steps that have it, as they come: distances between one and the next are equal or not. */
struct seen {
    uint32_t first, last, count, apart; /* indices into trace->steps */
    bool uneven;
};

struct stretch_group {
    enum cause cause;
    bool is_long;
    uint32_t name;        /* text id of long ones of ordinary execution and of kernels; 0 */
    uint32_t times;       /* runs of stretches that follow each other for one event */
    uint32_t last;        /* row of the newest stretch */
    struct place longest; /* the first of the longest run */
    int64_t time_ns, run_ns, longest_ns;
    struct place run; /* where the current run began */
    struct seen seen;
    size_t loss; /* the newest */
};

struct stretches {
    struct loss *losses;
    size_t count, room;
    struct stretch_group *groups;
    size_t group_count, group_room;
};

/* stretches_free releases it. */
struct stretches stretches_of(const struct lab *lab, bool with_kernels);
void stretches_free(struct stretches *stretches);

#endif
