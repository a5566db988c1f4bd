/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that HolisticTraceAnalysis counts as device rows, as its loader leaves them: rounded, filtered, linked. */
#ifndef BREAKDOWN_AS_HTA_ROWS_H
#define BREAKDOWN_AS_HTA_ROWS_H

#include "trace/trace.h"

enum hta_class { HTA_COMPUTATION, HTA_COMMUNICATION, HTA_MEMORY, HTA_OTHER, HTA_CLASSES };

struct hta_row {
    int64_t start_ns, end_ns; /* as rounded: the end may be before the start */
    int64_t stream;
    int64_t launch_ns; /* start of the launch call; INT64_MIN: none that stayed */
    enum hta_class class;
    bool work;       /* not a synchronisation: counted in the idle breakdown */
    uint32_t copies; /* how often its filter puts it into the table */
};

struct hta_rows {
    struct hta_row *at; /* by start */
    uint32_t count;
    bool rounded;
    uint32_t step_names; /* distinct names with ProfilerStep in them */
};

struct hta_rows hta_rows_of(const struct trace *trace, struct arena *arena);

#endif
