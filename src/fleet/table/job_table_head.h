/* SPDX-License-Identifier: Apache-2.0 */
/* How the rows of a table become jobs, found from its first line (job_table_head.c). */
#ifndef FLEET_JOB_TABLE_HEAD_H
#define FLEET_JOB_TABLE_HEAD_H

#include "job_fields.h"
#include "job_table.h"

enum { NO_COLUMN = UINT32_MAX };

struct reading {
    bool json;
    struct key_columns keys; /* of JSON lines */
    uint32_t columns;
    uint32_t group; /* column of --group-by; NO_COLUMN */
    const void *prepared;
    const char *(*row)(const void *prepared, const struct csv_row *row, struct job *job, struct arena *block);
};

/*
 * Of a table that begins with that line; *headed tells whether the line is its header. Texts live in the arena. False
 * with *err where columns are missing.
 */
bool job_table_head(str first, const struct job_table_asked *asked, struct arena *arena, struct reading *reading,
                    struct job_table_columns *columns, bool *headed, struct steptime_error *err);

#endif
