/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a row of a table becomes a job: the own columns (job_columns.c) and the
 * public tables that have a job a row (import.h). Adding one is one file and its
 * name in the table of formats.
 */
#ifndef FLEET_JOB_FORMAT_H
#define FLEET_JOB_FORMAT_H

#include "base/arena.h"
#include "fleet/step/job.h"
#include "text/csv_reader.h"

/* What `row` gives of a row that is no job, and no fault either. */
extern const char *const JOB_NONE;

struct job_format {
    const char *name;
    bool headless;  /* the first line is a row already */
    const void *of; /* what the functions below are given: several tables may share them */
    /* Told by the first line's fields; those of JSON lines are its keys. */
    bool (*fits)(const void *of, const struct csv_row *header, const char *path);
    /* Finds the columns, once; what it gives is read by all threads. */
    void *(*prepare)(const void *of, const struct csv_row *header, const char *path, struct arena *arena);
    /*
     * NULL: a job; JOB_NONE; else why the row is dropped. Fields are without quotes and CR, all of the row's text lives as
     * long as the block. Nothing should be allocated for a row.
     */
    const char *(*row)(const void *prepared, const struct csv_row *row, struct job *job, struct arena *block);
};

extern const struct job_format *const job_formats[];
extern const uint32_t job_format_count;

#endif
