/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces as tables of SQL. SQLite runs the query over virtual tables that read the columns of the traces where they lie;
 * nothing is copied into a database. A query can read and nothing else (guard.h), and ends where it takes too long, too
 * much memory or too many rows.
 *
 * Without SQLite in the build there are the tables' descriptions alone, and sql_run says how to get it.
 */
#ifndef SQL_SQL_H
#define SQL_SQL_H

#include "report/report.h"
#include "steptime/error.h"
#include "trace/trace.h"

/* What is asked: one trace a rank, in the order of the ranks. */
struct sql_trace {
    const struct trace *trace;
    int64_t rank;
};

struct sql_asked {
    const struct sql_trace *traces;
    uint32_t count;
    str query;
    int64_t most_rows;    /* of the answer */
    int64_t most_seconds; /* of the query, not of the reading before it */
};

struct sql_answer {
    str *names; /* of the columns, as SQLite calls them */
    uint32_t columns;
    struct cell **rows;
    uint32_t count;
    bool cut;       /* there are more rows */
    int64_t run_ns; /* the query took so long */
};

bool sql_is_built_in(void);

/* False with *err: the query is wrong, does more than reading, or goes beyond a limit. All of the answer is in the arena. */
bool sql_run(const struct sql_asked *asked, struct arena *arena, struct sql_answer *answer, struct steptime_error *err);

/* ---- what there is to ask ---- */

struct sql_described {
    const char *table, *column, *type, *unit, *about; /* column NULL: of the table itself */
};
uint32_t sql_described_count(void);
struct sql_described sql_describe(uint32_t i);

struct sql_example {
    const char *about, *query;
};
enum { SQL_EXAMPLES = 10 };
extern const struct sql_example sql_examples[SQL_EXAMPLES];

#endif
