/* SPDX-License-Identifier: Apache-2.0 */
/* The overheads of a job as a report; definitions in doc/numbers/overheads.md. */
#ifndef PREDICT_OVERHEADS_SHOW_H
#define PREDICT_OVERHEADS_SHOW_H

#include "overheads.h"
#include "report/report.h"
#include "trace/select.h"

/* What one trace gives. */
struct overheads_taken {
    const struct overhead_batch *batch;
    uint32_t steps;
    uint64_t operators, launches;
};

void overheads_run(const struct trace *trace, const struct selection *selection, struct arena *arena,
                   struct overheads_taken *taken);

/* All of them pooled. */
void overheads_show(const struct overheads_taken *const *taken, uint32_t count, struct report *report);

#endif
