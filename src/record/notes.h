/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a recorded script say of themselves, a line a time, in a file that all of them append to
 * (python/record/run.py says the lines). It is read while they run.
 */
#ifndef RECORD_NOTES_H
#define RECORD_NOTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

enum note_word {
    NOTE_LOADED,
    NOTE_TORCH,
    NOTE_BEGUN,
    NOTE_PACE,
    NOTE_BARE,
    NOTE_SAVED,
    NOTE_FOUND,
    NOTE_DONE,
    NOTE_NONE,
    NOTE_SAID,
    NOTE_WORDS
};

struct told {
    int64_t process;
    enum note_word word;
    str base; /* of its files */
    str rest;
};

struct notes {
    const char *path;
    FILE *file;
    struct buf line; /* what has come of the line that is being written */
};

/* The next whole line that somebody wrote; false where there is none yet. Texts live in the arena. */
bool notes_next(struct notes *notes, struct arena *arena, struct told *told);
void notes_close(struct notes *notes);

#endif
