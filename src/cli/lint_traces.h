/* SPDX-License-Identifier: Apache-2.0 */
/* The traces that lint is given: read, joined to the findings, and dropped. The findings keep the numbers. */
#ifndef CLI_LINT_TRACES_H
#define CLI_LINT_TRACES_H

#include "call.h"
#include "lint/device_against_cpu.h"
#include "lint/join.h"
#include "report/report.h"

struct lint_traces {
    struct joined *joined; /* one a --trace */
    struct report_input *inputs;
    uint32_t count;
    bool compared; /* --trace-cpu was given */
    struct device_against_cpu against;
    struct report_input cpu;
};

/* Joins those of --trace, compares the first with that of --trace-cpu, and ranks the findings. */
bool lint_traces_join(const struct call *call, struct lint *lint, struct arena *arena, struct lint_traces *traces,
                      struct steptime_error *err);

void lint_traces_show(const struct lint_traces *traces, struct report *report);

#endif
