/* SPDX-License-Identifier: Apache-2.0 */
/* The step of one job as a row of bytes, put aside while a table is read and shown afterwards. */
#ifndef FLEET_SPLIT_ROWS_H
#define FLEET_SPLIT_ROWS_H

#include "base/buf.h"
#include "fleet/step/step.h"
#include "io/spool.h"
#include "report/report.h"

void split_row_write(struct buf *rows, const struct job *job, const struct job_step *step);

/* The table `jobs`: its columns, and its rows as a stream over the spool. Both live as long as the report. */
void split_rows_show(struct spool *rows, struct section *section, struct report *report);

#endif
