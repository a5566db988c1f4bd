/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a path to a finished trace. The format is recognised by content, never by
 * name. Adding a format is one file and one row in the table of read.c.
 */
#ifndef READ_READ_H
#define READ_READ_H

#include <stdbool.h>

#include "io/source.h"
#include "sketch/file/sketch.h"
#include "steptime/error.h"
#include "trace/execution.h"
#include "trace/trace.h"

/*
 * Reads "-" (standard input) or a file, plain, gzip or zstd. The caller owns the
 * trace: trace_free. NULL with *err only where nothing can be used: no such file,
 * another kind of file (named), not even metadata in the list of events.
 * Whatever else is wrong with the file is repaired or dropped, and noted in the
 * trace with its byte. A list of metadata alone gives a trace of no events.
 *
 * progress (may be NULL) is set to the packed bytes read so far, for another thread to look at.
 */
struct trace *trace_read(const char *path, _Atomic int64_t *progress, struct steptime_error *err);

/* The same from an open source, which stays the caller's. */
struct trace *trace_read_source(struct source *source, _Atomic int64_t *progress, struct steptime_error *err);

/* What a file turned out to be: one of the three. */
struct input {
    struct trace *trace;
    struct execution *execution;
    struct sketch *sketch;
};

/* Kinds of input that are of use, as bits. */
enum input_kinds { INPUT_TRACE = 1, INPUT_EXECUTION = 2, INPUT_SKETCH = 4 };

/*
 * The same for whoever can use an execution trace of PyTorch too, or a sketch of a trace. What is of another kind is
 * refused by its name. The caller frees what it got.
 */
bool input_read(const char *path, unsigned kinds, _Atomic int64_t *progress, struct input *input,
                struct steptime_error *err);
bool input_read_source(struct source *source, unsigned kinds, _Atomic int64_t *progress, struct input *input,
                       struct steptime_error *err);

void input_free(struct input *input);

#endif
