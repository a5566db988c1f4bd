/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A training script run dry: by its own Python, with tensors that have shapes and no data (python/dry/run.py), until it has
 * made some steps. What it would have done is an execution trace; where it asked for values that nobody knows, it got
 * stand-ins, and is told where.
 */
#ifndef DRY_DRY_H
#define DRY_DRY_H

#include "child/child.h"
#include "memory.h"
#include "waits.h"

/* What PyTorch answers to questions about its device. */
struct dry_device {
    bool gpu; /* else there is none */
    str name;
    int64_t bytes, sms;
    int capability; /* 10 times: 90 */
};

struct dry_options {
    const char *const *argv; /* ended by NULL */
    struct dry_device device;
    int64_t steps;
    int64_t limit_ns;
    int64_t batch;   /* of loaders, in the place of theirs; 0: theirs */
    str batch_shape; /* of what loaders hand out, where data is absent: "8x128:int64,8:int64"; "": theirs */
    str precision;   /* all of it in autocast: "bfloat16", "float16"; "": as the script says */
    int64_t ranks;   /* of the job, of which the first is run; 0: it is none */
    int64_t server;  /* devices of a server */
    bool waits;      /* note where the host waits for the device */
    bool real;       /* tensors have data */
    bool loads;      /* time what loading takes */
};

enum dry_kind { DRY_VALUE, DRY_BRANCH, DRY_SHAPE, DRY_SKIPPED, DRY_KINDS };

/* Something that was stood in for, or left out, at a line of the script. */
struct dry_note {
    enum dry_kind kind;
    int64_t times;
    str place; /* "train.py:12" */
    str words; /* ".item()" */
};

/* What the last step took. */
enum dry_batch_basis { BATCH_UNKNOWN, BATCH_OF_LOADER, BATCH_OF_MODULE };

struct dry_batch {
    enum dry_batch_basis basis;
    int64_t samples, tokens; /* 0: not known */
    int64_t batches;         /* that these are of: accumulated ones are several */
    int64_t own, ran; /* items that loaders would have handed out, and did, where they got another batch; else 0 */
    str place;
};

/* What loading takes, by the clock of this machine, with data; of the last step. */
struct dry_load {
    int64_t batch_ns;  /* of one process: a batch of the slowest loader; 0: not known, or there is no loader */
    int64_t worked_ns; /* of it the process worked; else it waited, as for files */
    int64_t own_ns,
        feed_ns;     /* of a step: by the training thread itself; by workers, of the slowest loader, side by side */
    int64_t workers; /* of the slowest loader */
    str place;       /* where it is asked for them */
    str why;         /* why one is not known, the rest of a sentence; "": all are */
};

struct dry_result {
    const char *folder;        /* private; holds the execution trace and the table of memory */
    const char *execution;     /* path; NULL: no step was begun */
    struct dry_lives lives;    /* of storages */
    struct dry_memory memory;  /* of the device, or the host where that was asked for */
    struct dry_waits waits;    /* where they were asked for */
    int64_t steps;             /* that were made */
    bool of_first;             /* the trace is that of the first step, not of the last */
    str short_because;         /* why not more; "": all were, or the script made no more */
    str torch;                 /* its version */
    const struct dry_note *at; /* in the order in which they were told */
    uint32_t count;
    uint64_t times[DRY_KINDS];
    struct dry_batch batch;
    struct dry_load load;
    str by_hand;          /* where backward() ends its steps, as it has no optimizer; "": it has one */
    bool rebatched;       /* a loader took the batch of the options */
    bool shaped;          /* a loader handed out the shapes of the options */
    str lacks;            /* why its death may be for want of data, the rest of a sentence; "": it is not, or lives */
    str died_at, died_of; /* with `lacks`: where, and the error's words */
    bool nothing_there;   /* it put nothing on the device: what is told is as if all lay there */
};

const char *dry_kind_word(enum dry_kind kind); /* "value" */

/*
 * False with STEPTIME_INPUT and why there is no whole step: no PyTorch, an error and at which line of the script, no optimizer
 * that makes a step, the limit of time. Then nothing is left to be closed,
 * and of the result `rebatched`, `lacks` and where it died are told.
 */
bool dry_run(const struct dry_options *options, struct arena *arena, struct dry_result *result,
             struct steptime_error *err);

void dry_close(const struct dry_result *result);

#endif
