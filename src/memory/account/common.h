/* SPDX-License-Identifier: Apache-2.0 */
/* What the accounts of all devices of a log share, made once: what is asked of one of them then takes its own rows alone. */
#ifndef MEMORY_COMMON_H
#define MEMORY_COMMON_H

#include "memory/log/log.h"

struct memory_time {
    int64_t time_ns, number;
};

/* In order of time. */
struct memory_times {
    struct memory_time *at;
    uint32_t count;
};

struct memory_common {
    const struct memory_log *log;
    uint32_t *group_of; /* by context: those that people see as one line have the same number */
    struct map owners;  /* by address: what the program said of a piece that lives at the end */

    struct memory_times steps; /* begins of those that the recording tells */
    int64_t steps_end_ns;      /* the end of the last of them */
    struct memory_times optimizer_begins;
    struct memory_times optimizer_ends; /* of the optimizer that ends first alone: once a step */

    struct arena arena;
};

/* The log must live as long, and be by device. */
struct memory_common memory_common_new(const struct memory_log *log);
void memory_common_free(struct memory_common *common);

/* The rows of a device: first <= row < end. */
static inline size_t memory_first_row(const struct memory_log *log, uint16_t device)
{
    return log->event_begin[device];
}
static inline size_t memory_end_row(const struct memory_log *log, uint16_t device)
{
    return log->event_begin[device + 1];
}

#endif
