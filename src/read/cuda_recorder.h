/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of the CUDA recorder (doc/recorder-format.md) as a trace.
 *
 *     cuda_recorder.c         sections to rows, rows to events
 *     cuda_recorder_later.c   what can be said at the end alone: calls within calls, waits, ranges, Python lines
 */
#ifndef READ_CUDA_RECORDER_H
#define READ_CUDA_RECORDER_H

#include "base/map.h"
#include "cudafile/rows.h"
#include "io/source.h"
#include "trace/trace.h"

bool sniff_cuda_recorder(str head);
bool cuda_recorder_read(struct source *source, _Atomic int64_t *progress, struct trace *trace,
                        struct steptime_error *err);

/* ---- between the two files ---- */

struct cuda_call {
    uint32_t correlation, thread, name; /* interned */
    bool is_runtime;
    int64_t start_ns, dur_ns;
};

struct cuda_sync {
    uint32_t correlation, type, context, stream;
    int64_t start_ns, dur_ns;
};

struct cuda_mark {
    uint32_t id, flags, thread, name; /* interned */
    int64_t time_ns;
};

/* A Python function: interned file and name. */
struct cuda_code {
    uint32_t file, name, line;
};

/* The frames of a call: entries of `frames`. */
struct cuda_line {
    uint32_t correlation, frames;
    size_t first;
};

struct cuda_frame {
    uint32_t code, line;
};

#define LIST(type) \
    struct { \
        struct type *at; \
        size_t count, room; \
    }

struct cuda_recorder {
    struct trace *trace;
    struct intern *names;
    int64_t process, offset; /* offset: byte of the section */
    int64_t last_ns, last_correlation;
    uint32_t *texts; /* [CUDAFILE_TEXTS_MOST] interned */
    size_t text_room;
    LIST(cuda_code) codes; /* by id */
    LIST(cuda_call) calls;
    LIST(cuda_sync) syncs;
    LIST(cuda_mark) marks;
    LIST(cuda_line) lines;
    LIST(cuda_frame) frames;
    LIST(device_info) devices;
    struct map device_of; /* a context's */
    uint64_t losses[CUDAFILE_LOSSES];
    str lines_off, which_calls;      /* why frames of Python were not read; which calls were recorded */
    uint64_t unfilled, unknown_rows; /* work whose times CUPTI never filled in; rows of later versions */
    int64_t latest_ns;
    bool has_clock, is_ended;
};

/* An event on the thread or stream; dropped and noted where its time is none. */
void cuda_recorder_add(struct cuda_recorder *r, struct event *event);
uint32_t cuda_recorder_thread(struct cuda_recorder *r, uint32_t thread);

/* What was kept, as events and notes. */
void cuda_recorder_later(struct cuda_recorder *r);

#endif
