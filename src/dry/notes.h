/* SPDX-License-Identifier: Apache-2.0 */
/* What a dry run told of itself: lines of a kind, how often, where and words, apart by tabs (python/dry/run.py). */
#ifndef DRY_NOTES_H
#define DRY_NOTES_H

#include "dry.h"

struct dry_told {
    bool loaded, torch, done, ended, died;
    str died_at, died_of;
    str loading_at; /* a loader was about to be timed there, and nothing more was told of it; "" */
    str lacks;      /* why it may have died for want of data; "": it did not */
    str late_at;    /* where the script stood when the time was nearly up; "": it was not */
    str why;        /* of one that ended without a step; "": not told */
};

/* Into the result's notes; a file that is not there tells nothing. */
struct dry_told dry_notes_read(const char *path, struct arena *arena, struct dry_result *result);

#endif
