/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of SQL, and the tables that can be asked, as a report. */
#ifndef CLI_QUERY_TABLE_H
#define CLI_QUERY_TABLE_H

#include "report/report.h"
#include "sql/sql.h"

void query_show_tables(struct report *report);

/* read_ns: reading the traces took so long, before the query. */
void query_show_answer(const struct sql_answer *answer, int64_t read_ns, int64_t most_rows, struct report *report);

#endif
