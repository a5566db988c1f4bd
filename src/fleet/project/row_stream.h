/* SPDX-License-Identifier: Apache-2.0 */
/* A table whose rows lie in a spool: as a stream, and the first of them in memory for who shows no stream. */
#ifndef FLEET_ROW_STREAM_H
#define FLEET_ROW_STREAM_H

#include "io/spool.h"
#include "report/report.h"

enum { ROW_NAME_MOST = 200, ROW_CELLS_MOST = 16 }; /* longer names are cut */

/* A count that is kept as a double: an integer where it is one. */
static inline struct cell cell_count(double count)
{
    return count >= 0 && count < 0x1p53 && count == (double)(int64_t)count ? cell_int((int64_t)count)
                                                                           : cell_real(count);
}

/* Fills the cells of the row that comes from the spool; false at its end. Texts may lie in `name`. */
typedef bool row_read_fn(struct spool *rows, char name[ROW_NAME_MOST], struct cell *cells);

/* The columns of the table are set, at most ROW_CELLS_MOST. The spool lives as long as the report. */
void row_stream_show(struct spool *rows, row_read_fn *read, uint32_t columns, struct table *table,
                     struct report *report);

#endif
