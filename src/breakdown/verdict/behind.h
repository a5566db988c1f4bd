/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is behind an experiment: the events whose time it takes away, by name, and how much of that lies on the longest
 * path of the replayed steps. Without one of them alone the steps are shorter by no more than that, and what lies off the
 * path saves nothing by itself. It costs a graph of its own, so it is taken only where somebody asks (--explain verdict).
 */
#ifndef BREAKDOWN_BEHIND_H
#define BREAKDOWN_BEHIND_H

#include "lab.h"
#include "report/report.h"

struct behind {
    enum resource resource;
    str name;      /* "": no event stands for it */
    uint32_t row;  /* of the longest; ROW_NONE */
    int64_t times; /* nodes of the steps */
    int64_t path_ns, time_ns, longest_ns;
};

/* Of each resource those with most time on the path, then with most time. */
struct behinds {
    struct behind *at;
    uint32_t count;
    int64_t rank;
    uint32_t steps;             /* replayed */
    int64_t path_ns[RESOURCES]; /* of all its events */
};

/* The words of --explain that ask for it. NULL does not. */
bool behinds_wanted(const char *explain);

void behinds_run(const struct trace *trace, const struct selection *selection, struct arena *arena,
                 struct behinds *out);

/* The table "behind" of section "verdict"; nothing where none was taken. */
void behinds_show(const struct behinds *const *ranks, uint32_t count, struct report *report);

#endif
