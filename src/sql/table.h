/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables as data. An item of a table is a row of a trace (tables of events), or a number below `count` (steps, lanes ...).
 * A column's `get` gives its value; `role` says what the access knows of it beside.
 */
#ifndef SQL_TABLE_H
#define SQL_TABLE_H

#include "sql.h"

enum sql_role {
    ROLE_PLAIN,
    ROLE_RANK,  /* one value a trace */
    ROLE_ITEM,  /* the item itself: found at once */
    ROLE_START, /* ascends along the rows of time */
    ROLE_FEW,   /* few different values: many events have the same */
};

enum { SQL_MOST_KEPT = 1 << 30 }; /* bytes of a trace's values and indexes that a query keeps (lined.h, order.h) */

struct sql_text {
    str text;
    uint32_t id;
};

/* One trace, with what is remembered of it while a query runs. */
struct sql_part {
    const struct trace *trace;
    int64_t rank;
    struct arena *arena;    /* lives as long as the query */
    struct arena *scratch;  /* emptied behind each value */
    uint32_t *steps;        /* by row: the index of its step plus 1, or 0; NULL: not asked for yet */
    struct sql_text *texts; /* of the trace, ascending; NULL: not asked for yet */
    uint32_t *places;       /* by id of a text: the place of the first of its like among them */
    uint64_t kept_bytes;    /* up to SQL_MOST_KEPT */
};

struct sql_column;
typedef struct cell sql_get_fn(struct sql_part *part, const struct sql_column *column, uint32_t item);

struct sql_column {
    const char *name;
    const char *type; /* INTEGER, REAL or TEXT */
    const char *unit; /* "ns"; "" */
    const char *about;
    sql_get_fn *get;
    enum sql_role role;
    enum attr attr; /* for getters of attributes */
    bool made;      /* its texts lie in the scratch arena */
};

enum { SQL_MOST_COLUMNS = 40 };

struct sql_table {
    const char *name, *about;
    uint32_t kinds;                                       /* a bit a kind: a table of events; 0: of something else */
    bool (*has)(const struct trace *trace, uint32_t row); /* NULL: all of those kinds */
    uint32_t (*count)(const struct sql_part *part);       /* of something else */
    const struct sql_column *columns;                     /* ended by a zeroed one */
};

extern const struct sql_table *const sql_tables[]; /* ended by NULL */
uint32_t sql_column_count(const struct sql_table *table);

/* The word of a kind: "kernel". */
str sql_kind_word(enum event_kind kind);

/* By row, 0 for no step; made at the first call. */
const uint32_t *sql_steps(struct sql_part *part);

extern const struct sql_column sql_event_columns[], sql_operator_columns[], sql_kernel_columns[], sql_copy_columns[],
    sql_call_columns[], sql_annotation_columns[], sql_stack_columns[], sql_memory_columns[], sql_flow_columns[];

#endif
