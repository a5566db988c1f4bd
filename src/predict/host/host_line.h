/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host does in a step, as one line: operators at the top in program
 * order, each with the launches and waits inside it in order of time. Launches
 * and waits outside any operator stand in the line for themselves.
 */
#ifndef PREDICT_HOST_LINE_H
#define PREDICT_HOST_LINE_H

#include "program/program.h"

struct host_item {
    bool waits;     /* a wait; else a launch */
    uint32_t index; /* into program->syncs or program->launches */
};

struct host_op {
    uint32_t op; /* into program->ops; OP_NONE: what its only item does, outside any operator */
    uint32_t thread;
    uint32_t before;  /* the entry before it on its thread; OP_NONE for the first */
    uint32_t follows; /* the entry of another thread that let it go on; OP_NONE */
    uint32_t first_item, items;
    uint32_t first_inside, inside; /* calls below it, into host_line->inside */
};

struct host_line {
    const struct program *program;
    const struct host_op *ops;
    uint32_t count;
    const struct host_item *items;
    const uint32_t *inside; /* indices of program ops, in program order */
};

/* In the arena. O(operators + launches + waits). */
struct host_line host_line_of(const struct program *program, struct arena *arena);

enum { LONG_COPY_NS = 20 * 1000 };

/* The host goes on only when the work is done: the call says so, or a long copy was half done when its call returned. */
static inline bool launch_waits(const struct program_launch *launch)
{
    const bool is_long = launch->work == WORK_COPY && launch->dur_ns >= LONG_COPY_NS;
    const bool held = launch->call_start_ns + launch->call_dur_ns >= launch->start_ns + launch->dur_ns / 2;
    return launch->blocking || (is_long && held && launch->call_dur_ns >= launch->dur_ns / 2);
}

/* On the host, from the step's start; -1 where not recorded. */
int64_t host_item_start_ns(const struct host_line *line, const struct host_item *item);
int64_t host_item_end_ns(const struct host_line *line, const struct host_item *item);
int64_t host_op_start_ns(const struct host_line *line, const struct host_op *op);
int64_t host_op_end_ns(const struct host_line *line, const struct host_op *op);

/* When the entries before it let it begin: 0, the step's start, where there are none; -1 where not recorded. */
int64_t host_op_free_ns(const struct host_line *line, const struct host_op *op);

#endif
