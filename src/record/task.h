/* SPDX-License-Identifier: Apache-2.0 */
/* One process that is told to record: what it is told next, and what has come of it. */
#ifndef RECORD_TASK_H
#define RECORD_TASK_H

#include "attach.h"
#include "target.h"

enum task_state { TASK_ASKED_FOR_TIMES, TASK_TIMES, TASK_ASKED_FOR_STACKS, TASK_STACKS, TASK_OVER };

struct task {
    const struct attach_options *options;
    struct arena *arena;
    int64_t process;
    str base;
    const char *write_folder; /* where its PyTorch may write */
    const char *folder;       /* ours in there; NULL */
    enum task_state state;    /* waits to be asked, or for a file */
    int64_t size;             /* of that file when it was looked at last; -1 */
    struct recorded recorded; /* path: "" until there is a trace */
    str why;                  /* it has none */
};

struct task task_new(const struct target *target, str base, const struct attach_options *options, struct arena *arena);

/* What to tell it when it asks: a configuration of Kineto, or "". `user`: who it runs as. */
const char *task_answer(struct task *task, int64_t user);

/* Some times a second. */
void task_look(struct task *task);

static inline bool task_is_over(const struct task *task)
{
    return task->state == TASK_OVER;
}

/* Removes what it wrote on the way. */
void task_close(struct task *task);

#endif
