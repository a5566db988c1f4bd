/* SPDX-License-Identifier: Apache-2.0 */
/* The calls into the device's runtime and driver, by name: how many, how long, how much work they caused. */
#ifndef BREAKDOWN_LAUNCHES_H
#define BREAKDOWN_LAUNCHES_H

#include "samples.h"
#include "report/report.h"
#include "trace/select.h"

struct launch_group {
    str name;
    struct samples dur_ns;
    uint64_t work; /* pieces of device work caused */
};

struct launches {
    struct launch_group *groups;
    uint32_t count;
};

/* Texts are copied into the arena. */
struct launches launches_run(const struct trace *trace, const struct selection *selection, struct arena *arena);

/* Adds the table `launches`, all ranks together, longest first. */
void launches_show(const struct launches *const *ranks, uint32_t count, struct report *report);

#endif
