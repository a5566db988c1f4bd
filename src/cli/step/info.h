/* SPDX-License-Identifier: Apache-2.0 */
/* What `info` takes of a file, and how it shows that of all. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "info_execution.h"
#include "trace/trace.h"

struct lane_count {
    str process, name;
    bool device;
    uint32_t events;
    int64_t first_ns, end_ns;
};

struct step_time {
    int64_t number, start_ns, wall_ns;
    int64_t after_ns; /* of it behind its own end on the host, where no next step begins there */
};

struct info {
    str path, format, host, backend, torch_version, trace_id, recorded;
    int64_t rank, world_size, bytes, base_ns, origin_ns, span_ns;
    uint64_t events, device_events, repaired, dropped, kinds[EVENT_KINDS];
    struct trace_oddities oddities;
    struct step_basis step_basis;
    struct step_time *steps;
    uint32_t step_count;
    struct lane_count *lanes;
    uint32_t lane_count;
    struct device_info *devices;
    uint32_t device_count;
    bool is_execution;
    struct info_execution execution;
};

/* Results of all files; with a single one, the columns that tell files apart are only for machines. */
struct infos {
    const struct info *const *at;
    uint32_t count;
};

/* All sections. Infos own nothing that is shown: texts live in the arenas of their results. */
void info_show(const struct infos *infos, struct report *report);

#endif
