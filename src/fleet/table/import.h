/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public tables as jobs. Those with a job a row are rows of job_formats
 * (job_format.h); the others are streams: a folder of PAI 2020, whose jobs are
 * joined from several tables, and the schedules of AICB and SimAI, which are one
 * job each. doc/numbers/fleet.md says what each column becomes.
 *
 * No public table has what a step moves and computes. Jobs have their
 * architecture, cNodes and duration, and measured parts of the step where the
 * table gives them; `lacks_amounts` is set.
 */
#ifndef FLEET_IMPORT_H
#define FLEET_IMPORT_H

#include "base/arena.h"
#include "import_drops.h"
#include "fleet/step/job.h"
#include "steptime/error.h"
#include "text/csv_reader.h"

/* ---- rows ---- */

/* A column of the table and what it is of a job. */
struct import_map {
    const char *column;
    enum job_field field;
    double factor; /* from the table's unit to the field's */
};

enum { IMPORT_NEEDS = 4, IMPORT_MAPS = 8 };

struct import_columns;

/* How rows of a public table become jobs. */
struct import_format {
    const char *needs[IMPORT_NEEDS]; /* columns that tell the table, and that `shape` uses by their index */
    const char *job;                 /* the column with the job's name; NULL: none */
    const char *gpu;
    struct import_map maps[IMPORT_MAPS];
    /* Architecture and whatever else is no mere column. NULL, JOB_NONE, or what is wrong. */
    const char *(*shape)(const struct import_columns *columns, const struct csv_row *row, struct job *job);
};

struct import_columns {
    const struct import_format *format;
    uint32_t needs[IMPORT_NEEDS], maps[IMPORT_MAPS], job, gpu; /* UINT32_MAX: absent */
};

bool import_fits_header(const struct import_format *format, const struct csv_row *header);
void *import_prepare(const struct import_format *format, const struct csv_row *header, struct arena *arena);
const char *import_row(const void *columns, const struct csv_row *row, struct job *job, struct arena *block);

/* One GPU, one server of `per_server` GPUs, or several: all that GPU counts tell of the architecture. */
enum architecture import_architecture(double gpus, double per_server);

/* ---- streams ---- */

struct import;

/* Whether the path is a folder with tables of PAI 2020, or a file that begins as a schedule does. */
bool import_fits(const char *path);

/* `group_by` is a column of the tables, or "". threads 0: all cores. NULL with *err. */
struct import *import_open(const char *path, str group_by, unsigned threads, struct steptime_error *err);
str import_name(const struct import *import); /* "pai-2020", "aicb", "simai" */

/* The next job; its texts live until the one after is asked for. False at the end. */
bool import_next(struct import *import, struct job *job);

/* Rows that were passed over so far; they live as long as the import. */
const struct import_drops *import_dropped(const struct import *import);

/* False with *err where a table broke off. */
bool import_close(struct import *import, struct steptime_error *err);

#endif
