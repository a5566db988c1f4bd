/* SPDX-License-Identifier: Apache-2.0 */
/* The traces that lint is given: read, joined to the findings, and dropped. The findings keep the numbers. */
#ifndef CLI_LINT_TRACES_H
#define CLI_LINT_TRACES_H

#include "cli/program/call.h"
#include "inputs/inputs.h"
#include "join/device_against_cpu.h"
#include "join/join.h"
#include "report/report.h"

struct lint_traces {
    uint32_t count;                    /* joined */
    struct device_against_cpu against; /* where --trace-cpu was given */
    struct inputs_asked asked, asked_cpu;
    struct inputs inputs, cpu; /* of --trace, of --trace-cpu */
};

/*
 * Joins those of --trace, files and the traces of folders, compares the first with that of --trace-cpu, and ranks the
 * findings. False where none can be used. lint_traces_close is due either way.
 */
bool lint_traces_join(const struct call *call, struct lint *lint, struct arena *arena, struct lint_traces *traces,
                      struct steptime_error *err);

void lint_traces_show(const struct lint_traces *traces, struct report *report);

/* Whether all that were named could be used, as inputs_whole says it. */
bool lint_traces_whole(const struct lint_traces *traces, struct steptime_error *err);

void lint_traces_close(struct lint_traces *traces);

#endif
