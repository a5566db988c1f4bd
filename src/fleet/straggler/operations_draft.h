/* SPDX-License-Identifier: Apache-2.0 */
/* Operations as they are read, row by row, from whatever file. A zeroed draft with types = intern_new() is empty. */
#ifndef FLEET_OPERATIONS_DRAFT_H
#define FLEET_OPERATIONS_DRAFT_H

#include "base/intern.h"
#include "numbering.h"
#include "operations.h"

struct operations_draft {
    struct operation *operations;
    size_t count, room;
    struct intern *types; /* id 0 is the empty text, which is no type */
    struct numbering steps, stages, replicas;
    uint64_t dropped;
};

/* A row as a file has it. */
struct operation_row {
    str type;
    double start_s, duration_s;
    int64_t step, stage, replica, sequence;
    int64_t chunk, model_chunk; /* negative: none */
};

/* Dropped and counted where a number cannot be. */
void draft_add(struct operations_draft *draft, const struct operation_row *row);

/* The readers of each kind of file. */
bool operations_read_table(const char *path, struct operations_draft *draft, struct steptime_error *err);
bool operations_read_timeline(const char *path, struct operations_draft *draft, struct steptime_error *err);
bool operations_is_timeline(str begin);

#endif
