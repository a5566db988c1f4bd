/* SPDX-License-Identifier: Apache-2.0 */
/* One job here and there as a row of bytes, put aside while a table is read and shown afterwards. */
#ifndef FLEET_PROJECTION_ROWS_H
#define FLEET_PROJECTION_ROWS_H

#include "base/buf.h"
#include "project.h"
#include "io/spool.h"
#include "report/report.h"

void projection_row_write(struct buf *rows, const struct job *job, const struct projected *projected);

/* The table `jobs`, its rows as a stream over the spool, which lives as long as the report. */
void projection_rows_show(struct spool *rows, struct section *section, struct report *report);

#endif
