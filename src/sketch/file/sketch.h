/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sketch: what a rank leaves behind, a few kilobytes a step. It says of which trace it was made and what was wrong with
 * that, and holds sections, each the numbers of one analysis (code.h). doc/sketch.md is the format's manual.
 *
 *     magic, version, the trace, its notes, (section, length, bytes)..., all of it one zstd frame
 *
 * A section of a kind that is not known here is passed over; a file of another version is refused.
 */
#ifndef SKETCH_SKETCH_H
#define SKETCH_SKETCH_H

#include "base/arena.h"
#include "base/buf.h"
#include "code.h"
#include "io/pack.h"
#include "io/source.h"
#include "steptime/error.h"

enum { SKETCH_VERSION = 5 };

/* Numbers are part of the format: none is used again for something else. */
enum sketch_section {
    SKETCH_JOB = 1,       /* struct job_member, struct trace_trust (inputs/sketched.h) */
    SKETCH_RANKS = 2,     /* struct rank_numbers (sketch/numbers/rank_sketch.h) */
    SKETCH_BOUND = 3,     /* struct verdict, struct holdups (sketch/numbers/bound_sketch.h) */
    SKETCH_SUMMARY = 4,   /* struct summary but for what the others have (sketch/numbers/summary_sketch.h) */
    SKETCH_PATH = 5,      /* the same of struct critical_path (sketch/numbers/path_sketch.h) */
    SKETCH_STRIP = 6,     /* struct strip (sketch/numbers/strip_sketch.h) */
    SKETCH_OPERATORS = 7, /* struct operator_paths (sketch/numbers/operators_sketch.h) */
    SKETCH_KERNELS = 8,   /* struct kernel_times (sketch/numbers/kernels_sketch.h) */
    SKETCH_RESPONSES = 9, /* struct responses (sketch/numbers/responses_sketch.h) */
    SKETCH_SECTIONS,
};

/* Something that was said of the trace. */
struct sketch_note {
    int64_t offset; /* byte of the trace as unpacked; -1 */
    str text;
    bool in_head; /* it is a doubt that the head of a screen says */
};

/* To what times are told: entries and exits of collectives, and what was done between them. */
struct sketch_rounding {
    int64_t collectives, rounded; /* all; those whose entries and exits are */
    int64_t entry_ns, spent_ns;   /* the largest units; 0: exact */
};

/* The trace that it was made of. */
struct sketch_trace {
    str path, format;
    int64_t events, bytes, repaired, dropped;
    struct sketch_note *notes;
    uint32_t note_count;
    struct sketch_rounding rounding;
};

struct sketch {
    struct sketch_trace trace;
    str sections[SKETCH_SECTIONS]; /* "" where there is none */
    int64_t file_bytes;            /* unpacked, where it was read */
    int64_t step_bytes;  /* where it is written: packed, of a step, where that is more than was asked for; 0 */
    bool loose;          /* sections are (code.h): for another process, never a file */
    struct arena arena;  /* of what was read */
    struct texts *texts; /* shared with other sketches that are read; NULL: none */
};

/* The sketch as a file's bytes, but not packed, added to the buffer. */
void sketch_write(const struct sketch *sketch, struct buf *into);

/* Whether bytes begin as a sketch does, unpacked. */
bool sketch_sniff(str head);

/* Reads all of the source. NULL with *err where it is damaged or of another version. */
struct sketch *sketch_read(struct source *source, _Atomic int64_t *progress, struct steptime_error *err);

/* The same of bytes in memory, which live as long as the sketch. */
struct sketch *sketch_of_bytes(str bytes, struct steptime_error *err);

/* Writes a section of it. */
struct code sketch_writer(const struct sketch *sketch, struct buf *out);

/* Reads a section of it: what is made of it lives in the arena, its kept texts in those of the sketch, if it has any. */
struct code sketch_section(const struct sketch *sketch, enum sketch_section section, struct arena *arena);

void sketch_free(struct sketch *sketch); /* NULL is fine */

#endif
