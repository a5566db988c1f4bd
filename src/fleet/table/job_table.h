/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs from a table: CSV with a header in any order of columns, JSON lines, or
 * one of the public formats (import.h), plain or packed, from a file or standard
 * input. Rows pass in blocks, worked on by several threads; memory is some
 * blocks, not the table. Sums of blocks are joined in the order of the file, so
 * that the result does not depend on the number of threads.
 *
 * A row is one line. One that cannot be is dropped with its line number and
 * counted; strict stops at the first.
 */
#ifndef FLEET_JOB_TABLE_H
#define FLEET_JOB_TABLE_H

#include "base/arena.h"
#include "fleet/step/job.h"
#include "steptime/error.h"

struct job_table_asked {
    const char *path;            /* "-": standard input */
    str group_by;                /* a column to keep as job.group; "" */
    bool strict;                 /* the first bad row fails */
    unsigned threads;            /* 0: all cores */
    unsigned share, shares;      /* this process reads part `share` of `shares` of the file; 0 of 1 (or of 0) */
    _Atomic int64_t *read_bytes; /* packed bytes read so far, for who shows progress; NULL */
};

/* The first rows that were dropped, and how many there were. */
enum { DROPPED_TOLD = 20 };
struct dropped_row {
    uint64_t line; /* from 1 */
    str why;
};
struct job_table_dropped {
    uint64_t count;
    struct dropped_row told[DROPPED_TOLD];
};

/* What a table is: known before its first row. */
struct job_table_columns {
    str format;           /* "jobs", or that of an importer, whose columns are not told */
    bool has[JOB_FIELDS]; /* a column of the table */
};

/*
 * What was read. Of a share of a plain file lines are numbered from where the share begins, until job_table_gather
 * has put the shares together.
 */
struct job_table_result {
    uint64_t rows;  /* that the table has, dropped ones too */
    uint64_t taken; /* jobs that the visitor took */
    uint64_t lines;
    bool lines_of_share; /* lines are numbered from where the share begins */
    struct job_table_dropped dropped;
    str damage; /* why the file ended early; "" */
    struct job_table_columns columns;
};

/*
 * What is done with the jobs of a block. `begin` makes room for the sums of one
 * block; `row` is called for its jobs in order, on any thread, a block on one
 * thread; `join` adds the sums of a block to the whole, blocks in order, one at
 * a time, and releases them; `drop` releases those of a block that is behind one
 * which stopped the reading. A job's texts live until `row` returns.
 */
struct job_visitor {
    void *context;
    void (*columns)(void *context, const struct job_table_columns *columns); /* before all others; may be NULL */
    void *(*begin)(void *context, unsigned thread);
    /* NULL: taken; else why the row is dropped, told like the reader's own reasons; it lives as long as the block. */
    const char *(*row)(void *context, void *block, const struct job *job, uint64_t line);
    bool (*join)(void *context, void *block, struct steptime_error *err); /* false stops the reading */
    void (*drop)(void *context, void *block);                             /* may be NULL */
};

/* False with *err: an unreadable file, a column that is missing (the nearest that exists is named), strict and a bad row. */
bool job_table_read(const struct job_table_asked *asked, const struct job_visitor *visitor, struct arena *arena,
                    struct job_table_result *result, struct steptime_error *err);

/* False with *err where rows were read and none was taken: what was wrong with the first. */
bool job_table_any(const struct job_table_result *result, const char *path, struct steptime_error *err);

/* Puts what the processes of the crew read together in the first one, with lines as in the file. */
bool job_table_gather(struct job_table_result *result, struct arena *arena, struct steptime_error *err);

#endif
