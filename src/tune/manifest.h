/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FOLDER/manifest.json: what was asked for, where, with which source, and what came of it so far. doc/tuning.md says its
 * members. It is whole at every moment: a new one is put in the place of the last.
 */
#ifndef TUNE_MANIFEST_H
#define TUNE_MANIFEST_H

#include "tune.h"

/* How far it came. */
enum tune_phase { TUNE_BEGUN, TUNE_RECORDED, TUNE_STEADY, TUNE_MEASURED };

struct manifest {
    struct tune_options options;
    str steptime; /* the version that wrote it */
    enum tune_phase phase;
    struct surroundings surroundings;
    int64_t processors;
    str python, torch, device; /* of the script; "" before it ran */
    str trace;                 /* below the folder; "": none */
    int64_t trace_kept;        /* how many rewrites were kept when it was recorded */
    str root;                  /* of what is tuned */
    struct sources sources;
    struct tune_result result; /* without diff and files */
    bool settings_done;        /* all that were suggested were tried */
    int64_t spent_ns;          /* until the last trial */
};

/* Everything of a run that is about to begin. */
struct manifest manifest_new(const struct tune_options *options, struct arena *arena);

bool manifest_write(const struct manifest *manifest, struct steptime_error *err);

/* Of the folder. False with *err where there is none that can be used. Rules that are not known are NULL. */
bool manifest_read(const char *folder, struct arena *arena, struct manifest *manifest, struct steptime_error *err);

#endif
