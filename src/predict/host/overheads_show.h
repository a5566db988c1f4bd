/* SPDX-License-Identifier: Apache-2.0 */
/* The overheads of a job as a report; definitions in doc/numbers/overheads.md. */
#ifndef PREDICT_OVERHEADS_SHOW_H
#define PREDICT_OVERHEADS_SHOW_H

#include "overheads.h"
#include "report/report.h"
#include "trace/select.h"

/* What one trace gives. */
struct overheads_taken {
    struct overhead_samples *samples; /* NULL once they are pooled */
    const struct overhead_pool *pool; /* where they went */
    uint32_t steps;
    uint64_t operators, launches;
};

void overheads_run(const struct trace *trace, const struct selection *selection, struct overheads_taken *taken);

/* Moves the samples into the pool, which must live as long as what was taken. */
void overheads_pool(struct overhead_pool *pool, struct overheads_taken *taken);

/* All of them together; they went into one pool. */
void overheads_show(const struct overheads_taken *const *taken, uint32_t count, struct report *report);

#endif
