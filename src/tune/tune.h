/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a training script to a faster one that trains the same:
 *
 *     copy the source -> record -> find rewrites -> for each: make it in one copy, train both, compare losses,
 *     time both in turns, keep it or take it back; what is kept goes into the other copy -> find again, until none is left
 *
 * The first copy is never changed: it is what the whole is measured against in the end. The second holds what is kept. The
 * third is where one more rewrite is tried. The user's files are read, and written to by tune_write alone.
 *
 * The folder's manifest (manifest.h) is written after each phase and each trial. After any end tune_run goes on from it:
 * finished trials are not run again, what was kept is made again in fresh copies.
 */
#ifndef TUNE_TUNE_H
#define TUNE_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/report.h"
#include "rewrites.h"
#include "sources.h"
#include "surroundings.h"
#include "tree.h"
#include "verify/verify.h"

/*
 * Records a script into a folder that is there, and ends it then. *trace: the path of the trace; "" where it makes none, which
 * it said. False with *err: the script fails, or was interrupted.
 */
typedef bool tune_record(const struct verify_script *script, const char *to, struct arena *arena, str *trace,
                         struct steptime_error *err);

struct tune_options {
    const char *const *argv; /* the command that trains, ended by NULL */
    const char *here;        /* where it is run; absolute, and the folder of this process */
    const char *folder;      /* where all of it lies; absolute */
    str script;              /* absolute path of the script among the words; its root is tuned */
    bool unsafe, notes;
    bool try_settings, try_batch; /* of loaders and optimizers, behind the rewrites; twice the batch, too */
    bool write_settings;          /* one that is kept becomes a change of the source, as a rewrite is */
    bool processor;               /* steps are timed by the time of the process on processors, not the wall clock */
    struct tolerance tolerance;   /* of losses; where unsafe rewrites are made */
    int64_t seed, steps, warmup, repeat;
    int64_t limit_ns;  /* of one run */
    int64_t budget_ns; /* no trial begins later; 0: none */
    int64_t most_copied;
    void (*tell)(str what);
    tune_record *record;
};

enum outcome {
    TRIED_KEPT,    /* it is faster, by more than noise */
    TRIED_SLOWER,  /* by more than noise */
    TRIED_NO_GAIN, /* no difference that stands above noise */
    TRIED_DIFFERS, /* other losses */
    TRIED_FAILED,  /* it does not run */
    TRIED_UNMADE,  /* it could not be made */
    TRIED_NOT,     /* there was no time left */
    TRIED_OTHER,   /* it is faster a sample, and trains otherwise */
    OUTCOMES,
};
extern const char *const outcome_words[OUTCOMES + 1]; /* ended by NULL */

struct trial {
    str id;                 /* of the rule */
    struct rewrite rewrite; /* paths as in the user's tree */
    enum outcome outcome;
    struct pace_ratio pace; /* against what was kept before it */
    double step_ns;         /* a step before it */
    int64_t repetitions;    /* timed runs of each */
    int64_t took_ns;        /* the whole trial */
    str why;                /* of what failed; "" */
    struct sources after;   /* of one that was kept: the files that it changed, as it left them */
    /* Of a setting; `rewrite` has no rule then. No file holds it where `after` is empty. */
    str setting;         /* "num_workers=2"; "": it is a rewrite */
    int64_t loader;      /* that it is of, as the script makes them; -1 */
    bool by_mean;        /* whole runs are compared, as what it saves may come once in many steps */
    bool other_training; /* losses are not compared */
    double scale;        /* of its time, to be that of as many samples */
};

enum { TUNE_MOST_TRIALS = 1000 };

/* What was predicted of the step that was timed: the same part of it as of the step of the trace. */
struct prediction trial_predicted(const struct trial *trial);

/* What a step saves that is so many times as fast as the one before. */
static inline double trial_saved_ns(const struct trial *trial, double times_as_fast)
{
    return trial->step_ns * (1 - 1 / times_as_fast);
}

struct tune_result {
    struct trial *trials;
    uint32_t count, kept;    /* trials, those of settings too; rewrites that were kept */
    uint32_t settings_kept;  /* beside them */
    bool settings_left;      /* there was no time to look at all that they depend on */
    bool settings_unseen;    /* a loader is waited for, which the time of processors does not show */
    bool settings_unsafe;    /* an optimizer may be fused, which --unsafe tries */
    struct pace_ratio total; /* all that was kept against the script as it is; 0 where nothing was */
    double before_ns, after_ns;
    bool equal; /* losses of both, to the last bit */
    str diff;   /* unified, of what was kept */
    struct rewritten *files;
    uint32_t file_count;
    uint32_t unsafe_left;   /* rewrites that may change results, which were not asked for */
    struct rewrite by_hand; /* what no rewrite mends and saves most; rule NULL: none */
    const char *folder;     /* of the run */
    str root;               /* of what is tuned */
    bool written;
};

struct manifest; /* manifest.h */

/* Fills manifest->result, from where that stands. False with *err; the manifest then says how far it came. */
bool tune_run(struct manifest *manifest, struct arena *arena, struct steptime_error *err);

/* Puts what was kept into the user's files. */
bool tune_write(const struct tune_result *result, struct arena *arena, struct steptime_error *err);

/* Its last sentence says what to do next. `processor` as in the options. */
void tune_show(const struct tune_result *result, bool processor, struct report *report);
/* Its tables, without rows. */
void tune_show_tables(struct report *report);

#endif
