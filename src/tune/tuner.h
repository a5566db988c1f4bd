/* SPDX-License-Identifier: Apache-2.0 */
/* One run of tune: its copies of the source, and what was kept so far. For the files of this room. */
#ifndef TUNE_TUNER_H
#define TUNE_TUNER_H

#include "kept.h"
#include "manifest.h"

enum copy { COPY_BEFORE, COPY_KEPT, COPY_TRIAL, COPIES };
extern const char *const copy_names[COPIES];

struct tuner {
    struct manifest *manifest;
    const struct tune_options *options; /* the manifest's */
    struct tune_result *result;         /* and what came of it */
    struct arena *arena;
    struct tree trees[COPIES];
    struct kept kept;             /* paths of the user's tree */
    str settings, trial_settings; /* that were kept; and one more (python/verify/settings.py). "": none */
    int64_t began_ns, spent_before_ns;
    bool is_elsewhere; /* the script runs with other versions than those that the manifest names */
};

void tuner_tell(const struct tuner *tuner, str what);

/* No trial begins any more. */
bool tuner_is_late(const struct tuner *tuner);

/* " (about 4 min each, 12 min in all)" of so many trials, as the last ones took; "" before there is one. */
const char *tuner_time_left(const struct tuner *tuner, uint32_t trials);

/* Writes the manifest with the time that was spent. */
bool tuner_save(struct tuner *tuner, struct steptime_error *err);

/* The script of one copy against that of another. */
struct comparison {
    enum copy before, after;
    int64_t repeat; /* timed runs of each; 0: losses alone */
    struct tolerance tolerance;
    bool other_training; /* losses are not compared */
};
bool tuner_compare(struct tuner *tuner, const struct comparison *comparison, struct verify_result *result,
                   struct steptime_error *err);

/* Runs of `result` as one step each, of the second script times `scale`. */
void tuner_take_means(struct tuner *tuner, struct verify_result *result, double scale);

/* One bare run of what is kept: its loaders and its optimizer. */
bool tuner_look(struct tuner *tuner, struct record *record, struct steptime_error *err);

/* A trace of what is kept, where the last one is of another state. */
bool tuner_record(struct tuner *tuner, struct steptime_error *err);

/* Makes in fresh copies what finished trials kept, without running anything. */
bool trials_remake(struct tuner *tuner, struct steptime_error *err);

/* Tries all rewrites that there are, as long as there is time. */
bool trials_run(struct tuner *tuner, struct steptime_error *err);

/*
 * What is in the copy for trials, with trial_settings, against what was kept: fills what came of it. False with *err where
 * nothing can be said: it was interrupted, or files cannot be written.
 */
bool trial_measure(struct tuner *tuner, struct trial *trial, struct steptime_error *err);
void trial_tell(const struct tuner *tuner, const struct trial *trial);

/* Into the copy that is kept, and to the list of what changed in the user's files. */
bool trial_keep(struct tuner *tuner, struct trial *trial, const struct rewritten_files *files,
                struct steptime_error *err);

/* The words of the settings that were kept and are in no file. */
void settings_remake(struct tuner *tuner);

/* The change of the source that the setting of a trial is, made in the trial's copy; no files where there is none, and *why. */
bool setting_make(struct tuner *tuner, const struct trial *trial, struct rewritten_files *files, const char **why,
                  struct steptime_error *err);

/* Tries settings, where they were asked for, as long as there is time. */
bool settings_run(struct tuner *tuner, struct steptime_error *err);

#endif
