/* SPDX-License-Identifier: Apache-2.0 */
/* What an execution trace holds, for `info`. */
#ifndef CLI_INFO_EXECUTION_H
#define CLI_INFO_EXECUTION_H

#include "ops/rows/phase.h"
#include "report/report.h"
#include "trace/execution.h"

struct info_execution {
    str recorded; /* when */
    int64_t nodes, process;
    int64_t step; /* that prediction would take; -1: the trace as one */
    uint32_t operators, outermost, labels, threads, collectives;
    uint64_t by_phase[PHASES]; /* operators of that step */
    uint64_t on_host;          /* of them, whose tensors all lie in host memory */
    uint64_t linked;           /* backward operators whose forward operator is known */
};

/* Texts are copied to the arena. */
void info_execution_take(const struct execution *execution, struct arena *arena, struct info_execution *info);
void info_execution_show(const struct info_execution *info, struct report *report);

#endif
