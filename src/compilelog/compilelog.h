/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PyTorch's compiler wrote down of itself (TORCH_TRACE=DIR): the functions that it compiled, why it compiled one
 * again, where a graph broke, and which kernels it made of which lines. doc/numbers/compile-log.md says which records are
 * read. Every text lives in the arena that was given.
 */
#ifndef COMPILELOG_COMPILELOG_H
#define COMPILELOG_COMPILELOG_H

#include "base/arena.h"
#include "base/str.h"
#include "io/source.h"
#include "steptime/error.h"

/* A line of the user's program. */
struct log_place {
    str file; /* "": unknown */
    int64_t line;
    str code; /* "" where the log has none */
};

/* "tensor 'x' size mismatch at index 0. expected 16, actual 17". */
struct log_size {
    str tensor; /* as the program names it; "": the guard was another */
    int64_t dimension, expected, actual;
};

/* "self.scale == 2      # y = y * self.scale": a number or text that code was compiled for. */
struct log_value {
    str subject, value; /* subject: as the program names it; "": the guard was another */
    str code;           /* the line that reads it; "" */
};

/* One function (frame), compiled once. */
struct log_compile {
    int64_t rank, process; /* -1: not recorded */
    str id;                /* "0/1": the frame, and how often it had been compiled before */
    int64_t frame, number;
    str function;
    struct log_place place; /* where the function begins */
    int64_t start_ns;       /* since 1970; -1: not recorded, as the next two */
    int64_t took_ns;
    int64_t backward_ns; /* what compiling its backward took later, when it was first needed */
    str reason;          /* which guard failed, so that it was compiled again; "" */
    struct log_size size;
    struct log_value value;
    uint32_t restarts; /* how often Dynamo began again */
    uint32_t breaks;   /* in the function */
    str failed;        /* why nothing came of it; "" */
};

struct log_break {
    uint32_t compile;
    struct log_place place;
    str reason, explanation, hint; /* "" where the log has none */
};

enum log_lines_from {
    LINES_UNKNOWN,
    LINES_OF_NODES,  /* Inductor's remark names nodes of the graph that Dynamo wrote down with its lines */
    LINES_OF_STACKS, /* Inductor wrote down the stacks of the kernel's nodes (INDUCTOR_PROVENANCE=1) */
};

enum { LOG_MOST_LINES = 16 }; /* of a kernel */

/* A kernel that Inductor wrote. */
struct log_kernel {
    uint32_t compile;
    str name;
    str nodes, operators; /* "hidden, mul", "aten.relu, aten.mul"; "" */
    enum log_lines_from from;
    struct log_place lines[LOG_MOST_LINES];
    uint32_t line_count;
};

struct compile_log {
    struct arena *arena;
    struct log_compile *compiles;
    struct log_break *breaks;
    struct log_kernel *kernels;
    uint32_t compile_count, break_count, kernel_count;
    size_t compile_room, break_room, kernel_room;
    uint32_t files;
    uint64_t records;
    uint64_t unread; /* records that are no JSON, lines that are no records, lines that were too long */
    str version;     /* of PyTorch; "" */
};

/* A folder with logs, or one of them. False with *err where there is none. compile_log_free afterwards, in any case. */
bool compile_log_read(const char *path, struct arena *arena, struct compile_log *log, struct steptime_error *err);

/* Adds what a source holds; `name` may tell the rank. False where it has no record. */
bool compile_log_add(struct compile_log *log, struct source *source, str name);

void compile_log_free(struct compile_log *log); /* the arena stays the caller's */

#endif
