/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording a training script that is not changed: it runs as it is, with a module of ours in its interpreter
 * (python/record/run.py) that leaves steps bare, records some twice, with times and with stacks, and lets it run on.
 *
 *     bare steps -> TO/NAME.steps.json          what recording cost
 *     with times -> TO/NAME.json.gz  \
 *     lines that wait -> TO/NAME.syncs.json
 *     allocations -> TO/NAME.memory.json.gz
 *     operators and data -> a private folder -> packed: TO/NAME.et.json.gz
 *     with stacks -> a private folder -> joined: TO/NAME.json.gz (stacks.h)
 *
 * The script's input, output, signals and end are its own. Nothing of ours is printed but by `tell`.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "child/foreground.h"
#include "name.h"
#include "steptime/error.h"

struct record_options {
    const char *const *argv; /* the command, ended by NULL */
    const char *to;          /* a folder that is there */
    str name;                /* of the files, without endings */
    int64_t wait, warmup, steps;
    bool no_stacks;
    bool sync_lines;         /* a pass more: the lines that wait for the device, beside the trace */
    bool execution_trace;    /* the same, with PyTorch's observer of operators and their data */
    bool memory;             /* the same, with the profiler telling allocations */
    bool compile_log;        /* what PyTorch's compiler notes of itself, in a folder compile-log beside the traces */
    bool on_cpu;             /* no GPU is shown to the script, which is ended once it is recorded */
    bool stop;               /* the script is ended once it is recorded */
    bool quiet;              /* as struct foreground has it */
    double idle_s, window_s; /* without a step for so long, so long is recorded; 0: never */
    void (*tell)(str what);  /* a line for people */
};

enum { MOST_FOUND = 4 };

/* The files of one process. */
struct recorded {
    str base;          /* their name without endings: "train-rank3" */
    str path;          /* of the trace */
    int64_t steps, of; /* recorded; fewer where the script ended before */
    double bare_ns;    /* median of a step before recording; 0 where nobody counted */
    bool has_stacks;
    double paired;         /* part of the operators that stacks were found for */
    double note_ns;        /* taken off for each note of a frame (stacks.h) */
    str found[MOST_FOUND]; /* what passes found, a line each */
    uint32_t found_count;
};

struct record_result {
    struct recorded *at;
    uint32_t count;
    bool loaded, torch; /* some interpreter took the module; some script imported PyTorch */
    str why_none;       /* a process has no trace, and says why; "": none does */
    struct foreground_end end;
};

/* False with *err: the command could not be started, or there is no place for what it needs. */
bool record_run(const struct record_options *options, struct arena *arena, struct record_result *result,
                struct steptime_error *err);

#endif
