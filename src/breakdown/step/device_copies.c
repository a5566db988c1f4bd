/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in numbers, and compute by the step that launched it: sums over rows that need no sweep. */
#include "breakdown/parts/device_class.h"
#include "device_parts.h"

/* Some copies record no bytes: a bandwidth must leave out their time as well. */
static void book_copy(const struct device_run *run, uint32_t row, int kind)
{
    const int64_t bytes = trace_attr_or(run->trace, row, ATTR_BYTES, -1), dur_ns = run->trace->dur_ns[row];
    run->out->copies[kind]++;
    ledger_book(run->ledger, ACCOUNT_COPY_TIME + kind, row, dur_ns);
    if (bytes < 0)
        return;
    ledger_book(run->ledger, ACCOUNT_COPY_BYTES + kind, row, bytes);
    ledger_book(run->ledger, ACCOUNT_COPY_MEASURED + kind, row, dur_ns);
}

void device_copies_run(const struct device_run *run)
{
    const struct trace *trace = run->trace;
    for (uint32_t i = 0; i < run->work.count; i++) {
        const uint32_t row = run->work.at[i];
        if (trace->kind[row] != EVENT_COPY || trace->start_ns[row] < run->start_ns ||
            trace->start_ns[row] >= run->end_ns)
            continue;
        book_copy(run, row, (int)device_class(run->classes, row) - CLASS_COPY);
    }
}

/* Rows come by start, so the union of a step's kernels needs one number a step: the latest end so far. */
void device_launched_run(const struct device_run *run)
{
    const struct trace *trace = run->trace;
    struct arena scratch = {0};
    int64_t *until = arena_array(&scratch, run->steps.count, sizeof *until);
    for (uint32_t i = 0; i < run->work.count; i++) {
        const uint32_t row = run->work.at[i];
        const uint32_t step = trace_step(trace, row);
        if (step == STEP_NONE || step < run->first_step || step - run->first_step >= run->steps.count)
            continue;
        if (work_class(run->classes, row) != WORK_COMPUTE)
            continue;
        const uint32_t s = step - run->first_step;
        const int64_t start = trace->start_ns[row] > until[s] ? trace->start_ns[row] : until[s];
        const int64_t end = trace_end_ns(trace, row);
        if (end <= start)
            continue;
        run->out->steps[s].launched_compute_ns += end - start;
        ledger_book(run->ledger, ACCOUNT_LAUNCHED_COMPUTE, row, end - start);
        until[s] = end;
    }
    arena_free(&scratch);
}
