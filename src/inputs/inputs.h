/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of everything that reads traces. It knows no analysis, no command and no screen.
 *
 *     words -> files -> (rank, trace, execution trace or sketch) -> take -> kept or dropped
 *
 * Files are read on all cores. Each gets its rank and is handed to `take`, which makes of it what it needs, in the
 * file's own arena; then the trace is dropped. So memory holds as many traces as there are cores, not as ranks, unless
 * `take` keeps them. Whatever was skipped, and why, is told in one way: inputs_tell.
 *
 *     struct inputs_asked asked = {.paths = words, .count = n, .context = me, .take = take_numbers};
 *     struct inputs inputs;
 *     bool good = inputs_read(&asked, &inputs, err);
 *     if (good) {
 *         for (uint32_t i = 0; i < inputs.taken; i++)
 *             use(inputs.at[i]->rank, inputs.at[i]->result);
 *         inputs_tell(&inputs, report);
 *         inputs_tell_trust(&inputs, report);
 *         good = inputs_whole(&inputs, err);
 *     }
 *     inputs_close(&inputs);
 *
 * An input that was named and cannot be used is an error in the end (inputs_whole), but the others are answered first.
 * A file that was met in a folder and cannot be used is told, no more. Where nothing can be used, inputs_read fails.
 */
#ifndef INPUTS_INPUTS_H
#define INPUTS_INPUTS_H

#include <stdatomic.h>

#include "arenas.h"
#include "base/arena.h"
#include "job.h"
#include "list.h"
#include "rank.h"
#include "report/report.h"
#include "sketch/file/sketch.h"
#include "steptime/error.h"
#include "trace/execution.h"
#include "trace/select.h"
#include "trace/trace.h"
#include "trust.h"

/* Something to say about a file. */
struct input_remark {
    int64_t offset; /* byte as unpacked; -1 */
    str message;
    bool in_head;    /* the line of trust says it, too */
    bool of_several; /* said where more than one file may be of the job */
    struct input_remark *next;
};

enum input_state {
    INPUT_UNREAD,  /* the run ended before anybody looked at it */
    INPUT_SKIPPED, /* it cannot be used: `error` */
    INPUT_OTHER,   /* not of the ranks that were asked for */
    INPUT_TAKEN,
};

/* One file. */
struct input_file {
    const char *path;
    uint32_t index;      /* in the order of the inputs */
    int64_t rank;        /* trace->info.rank, too. Of an execution trace as its name says, else RANK_NONE */
    struct trace *trace; /* one of the three, or none where the path is no file (`made`) */
    struct execution *execution;
    struct sketch *sketch; /* of a trace that is not here */
    bool elsewhere;        /* another process has read the trace, which counts as the input, not the sketch */
    bool refused;          /* that process says by `error` why it cannot be used */

    /* For `take` to fill. */
    struct arena arena; /* for what is made of the file; that lives until inputs_close */
    void *result;
    bool keep; /* trace, execution and sketch stay until inputs_close */

    /* How it ended, for the driver. */
    enum input_state state;
    struct steptime_error *error; /* why it was skipped; NULL */
    struct report_input about;
    struct input_remark *remarks, **last_remark;
    struct job_member member; /* where is_member: of a trace or a sketch */
    bool is_member;
    bool is_execution;               /* it may lie beside the trace of its rank */
    struct trace_trust trust;        /* where is_member */
    const struct input_file *copied; /* it is a copy of this one, and is not taken; NULL */
    int64_t folder;                  /* as in struct listed */
};

/* Who looks on, and may stop it. */
struct inputs_counters {
    _Atomic int64_t *bytes; /* by file: packed bytes read; NULL: nobody counts */
    atomic_uint *done;      /* files; NULL */
};

struct inputs_watch {
    void *context;
    /* Asked for each file before any is read; false ends it all. */
    bool (*spare)(void *context, const char *path, struct steptime_error *err);
    struct inputs_counters (*begin)(void *context, uint32_t files, int64_t packed_bytes); /* 0: unknown */
    void (*end)(void *context);
};

struct inputs_asked {
    const char *const *paths; /* files, folders, "-" */
    uint32_t count;
    const char *ranks;             /* "3", "0,4" or "0..7": only these; NULL: all */
    const struct selection *steps; /* a trace of which it hits no step cannot be used; NULL: all */
    unsigned threads;              /* files read at once; 0: one a core */
    bool executions;               /* execution traces are taken, too */
    bool sketches;                 /* and sketches of traces */
    /*
     * Fills the sketch of a trace so that `take` can do with it instead of the trace: then the files are spread over the
     * processes of a crew (spread.h). NULL: each process reads them all.
     */
    void (*sketch)(void *context, const struct trace *trace, struct arena *arena, struct sketch *sketch);
    bool apart;    /* the files are no ranks of one job: no two are compared */
    bool in_order; /* `take` is called for one file at a time, in the order of the inputs */

    void *context;
    /*
     * The file's trace or execution trace is there. False with *err: it is of no use after all. Called from several
     * threads at once, for different files (but see in_order).
     */
    bool (*take)(void *context, struct input_file *file, struct steptime_error *err);

    /* May be NULL. True: the path is no file, and `take` makes of it what it means. */
    bool (*made)(const char *path);

    const struct inputs_watch *watch; /* NULL: nobody looks on */
};

struct inputs {
    struct input_file **at; /* those taken, by rank; of one rank in the order of the inputs */
    uint32_t taken;
    struct input_file *files; /* all, in the order of the inputs */
    uint32_t count;

    struct arena arena;
    struct arenas arenas; /* of files that have been taken */
    struct list list;
    const struct inputs_asked *asked; /* outlives the inputs, except for `watch` */
    struct rank_roll roll;
    struct texts *texts;   /* of all sketches */
    struct spread *spread; /* NULL: the files are read here */
    bool is_share;         /* another process has what all of the crew have read; nothing is taken here */
    struct inputs_counters counters;
};

/*
 * Lists, reads and takes. False with *err: words that make no sense (STEPTIME_USAGE), nothing that can be used
 * (STEPTIME_INPUT; inputs.files say why of each). inputs_close is due either way.
 */
bool inputs_read(const struct inputs_asked *asked, struct inputs *inputs, struct steptime_error *err);

/*
 * The files that were taken, what was mended in them, what was skipped and why, which ranks are missing. The report
 * keeps nothing of the inputs, which may be closed before it is written.
 */
void inputs_tell(const struct inputs *inputs, struct report *report);

/* Adds the traces that were taken, and what they say against each other. trust->job.arena is set. */
void inputs_trust(const struct inputs *inputs, struct trust *trust);

/* The same as a line of the report, where these are all inputs there are. */
void inputs_tell_trust(const struct inputs *inputs, struct report *report);

/* Whether every input that was named could be used. False with *err and STEPTIME_INPUT: the last that could not. */
bool inputs_whole(const struct inputs *inputs, struct steptime_error *err);

void inputs_close(struct inputs *inputs);

#endif
