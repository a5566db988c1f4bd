/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows --steps and --skip-warmup pick: host rows that begin in the selected steps, device work launched there. */
#ifndef BREAKDOWN_KERNELS_SELECT_H
#define BREAKDOWN_KERNELS_SELECT_H

#include "trace/select.h"

struct picked {
    const struct trace *trace;
    bool all; /* everything, also what lies outside the steps */
    int64_t start_ns, end_ns;
};

static inline struct picked picked_by(const struct trace *trace, const struct selection *selection)
{
    struct picked picked = {.trace = trace, .all = !selection->limited && !selection->skip_warmup};
    selection_window(trace, selection, &picked.start_ns, &picked.end_ns);
    return picked;
}

/* Device work counts where its cause began; where no cause is recorded, where it began itself. */
static inline bool picks(const struct picked *picked, uint32_t row)
{
    const struct trace *trace = picked->trace;
    if (picked->all)
        return true;
    const bool caused = event_on_device((enum event_kind)trace->kind[row]) && trace->cause[row] != ROW_NONE;
    const int64_t at_ns = trace->start_ns[caused ? trace->cause[row] : row];
    return at_ns >= picked->start_ns && at_ns < picked->end_ns;
}

static inline uint64_t device_work_count(const struct trace *trace)
{
    return trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET];
}

/* Rows of the device work that is picked, in order of the file; in the arena. */
static inline const uint32_t *picked_device_work(const struct picked *picked, struct arena *arena, uint32_t *count)
{
    const struct trace *trace = picked->trace;
    uint32_t *rows = arena_array(arena, device_work_count(trace), sizeof *rows), found = 0;
    for (uint32_t row = 0; row < trace->count; row++)
        if (event_is_device_work((enum event_kind)trace->kind[row]) && picks(picked, row))
            rows[found++] = row;
    *count = found;
    return rows;
}

#endif
