/* SPDX-License-Identifier: Apache-2.0 */
/* The own columns of a table of jobs: job, architecture, gpu, network, and a column a job_field. Others are passed over. */
#ifndef FLEET_JOB_COLUMNS_H
#define FLEET_JOB_COLUMNS_H

#include "job_table.h"
#include "text/csv_reader.h"

struct job_columns;

/* NULL with *err, naming the column that is missing and the nearest that exists. */
struct job_columns *job_columns_find(const struct csv_row *header, const char *path, struct arena *arena,
                                     struct steptime_error *err);

void job_columns_tell(const struct job_columns *columns, struct job_table_columns *told);

/* What struct job_format asks of `row` (job_format.h). */
const char *job_columns_row(const void *columns, const struct csv_row *row, struct job *job, struct arena *block);

/* The column of that name, or fails as job_columns_find does. */
bool job_column_of(const struct csv_row *header, str name, const char *path, uint32_t *column,
                   struct steptime_error *err);

/* All names of columns that mean something, in the order of columns for JSON lines, whose rows need not have all. */
uint32_t job_column_names(struct arena *arena, str **names);

#endif
