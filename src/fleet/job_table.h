/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs from a table: CSV with a header in any order of columns, JSON lines, or
 * one of the public formats (import.h), plain or packed, from a file or standard
 * input. Rows pass in blocks, worked on by several threads; memory is some
 * blocks, not the table. Sums of blocks are joined in the order of the file, so
 * that the result does not depend on the number of threads.
 *
 * A row that cannot be is dropped with its line number and counted; strict stops
 * at the first.
 */
#ifndef FLEET_JOB_TABLE_H
#define FLEET_JOB_TABLE_H

#include "base/arena.h"
#include "fleet/job.h"
#include "steptime/error.h"

struct job_table_asked {
    const char *path;       /* "-": standard input */
    str group_by;           /* a column to keep as job.group; "" */
    bool strict;            /* the first bad row fails */
    unsigned threads;       /* 0: all cores */
    unsigned share, shares; /* this process reads part `share` of `shares` of the file; 0 of 1 */
};

/* The first rows that were dropped, and how many there were. */
enum { DROPPED_TOLD = 20 };
struct dropped_row {
    uint64_t line; /* from 1; 0: not known (a share of a file that is not the first, without its line) */
    str why;
};
struct job_table_dropped {
    uint64_t count;
    struct dropped_row told[DROPPED_TOLD];
};

/*
 * What is done with the jobs of a block. `begin` makes room for the sums of one
 * block; `row` is called for its jobs in order, on any thread, a block on one
 * thread; `join` adds the sums of a block to the whole, blocks in order, one at
 * a time.
 */
struct job_visitor {
    void *context;
    void *(*begin)(void *context, unsigned thread);
    void (*row)(void *context, void *block, const struct job *job, uint64_t line);
    bool (*join)(void *context, void *block, struct steptime_error *err); /* false stops the reading */
};

/* False with *err: an unreadable file, a column that is missing (the nearest that exists is named), strict and a bad row. */
bool job_table_read(const struct job_table_asked *asked, const struct job_visitor *visitor, struct arena *arena,
                    uint64_t *rows, struct job_table_dropped *dropped, struct steptime_error *err);

#endif
