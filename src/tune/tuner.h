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
    struct kept kept; /* paths of the user's tree */
    int64_t began_ns, spent_before_ns;
    bool is_elsewhere; /* the script runs with other versions than those that the manifest names */
};

void tuner_tell(const struct tuner *tuner, str what);

/* No trial begins any more. */
bool tuner_is_late(const struct tuner *tuner);

/* Writes the manifest with the time that was spent. */
bool tuner_save(struct tuner *tuner, struct steptime_error *err);

/* The script of one copy against that of another: losses, and where `repeat` is not 0 times. */
bool tuner_compare(struct tuner *tuner, enum copy before, enum copy after, int64_t repeat, struct tolerance tolerance,
                   struct verify_result *result, struct steptime_error *err);

/* A trace of what is kept, where the last one is of another state. */
bool tuner_record(struct tuner *tuner, struct steptime_error *err);

/* Makes in fresh copies what finished trials kept, without running anything. */
bool trials_remake(struct tuner *tuner, struct steptime_error *err);

/* Tries all that there is, as long as there is time. */
bool trials_run(struct tuner *tuner, struct steptime_error *err);

#endif
