/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording a job that runs already, if it was started with KINETO_USE_DAEMON=1. Nothing of ours runs in it: its own
 * PyTorch asks for work (kineto_socket.h), is told to record some steps, and writes them to a file, which becomes
 *
 *     first answer: times and shapes -> a private folder -> packed: TO/NAME.json.gz
 *     second answer: stacks          -> a private folder -> joined with it (stacks.h)
 *
 * There are no bare step times, as nobody counts steps in there.
 */
#ifndef RECORD_ATTACH_H
#define RECORD_ATTACH_H

#include "record.h"

struct attach_options {
    int64_t number; /* of a process: it and what it started; else of a job of Slurm */
    const char *to; /* a folder that is there */
    int64_t warmup, steps;
    bool no_stacks;
    void (*tell)(str what);
};

/* What to name files after: the script of the process, else "job-N". */
str attach_name(int64_t number, struct arena *arena);

/* Until all have recorded, or SIGINT or SIGTERM comes, which *end says. False with *err: nobody can be recorded there. */
bool attach_run(const struct attach_options *options, struct arena *arena, struct record_result *result,
                struct steptime_error *err);

#endif
