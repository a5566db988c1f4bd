/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a report, for report.c that builds it and for the renderers that only read it. */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include "report.h"

struct value {
    str id, title;
    enum unit unit;
    struct cell cell;
    bool detail; /* not for people */
};

struct column {
    str id, title;
    enum unit unit;
    unsigned flags;
    str definition;
};

struct table {
    struct report *report;
    str id, title;
    struct column *columns;
    uint32_t column_count;
    struct cell **rows; /* column_count cells each; NULL of drawn rows */
    uint32_t row_count;
    uint32_t filled; /* cells of the last row that are set */
    bool json_only;
    bool all_columns;    /* empty ones are shown, too */
    bool several_wholes; /* shares of different ones do not add up */
    bool has_whole;      /* else it is by the column */
    double whole;        /* of the parts */
    str whole_words;     /* what it is; "" */
    row_fill_fn *fill;   /* of drawn rows; NULL */
    const void *context;
    struct cell *drawn;       /* room for one of them */
    struct row_stream stream; /* next: NULL where all rows are in `rows` */
};

struct figure {
    str id;
    enum figure_kind kind;
    str table, x, y;
    bool page_only; /* not on a terminal */
};

struct section {
    struct report *report;
    str id, title;
    bool in_head;
    str *texts;
    uint32_t text_count;
    struct value *values;
    uint32_t value_count;
    struct table **tables;
    uint32_t table_count;
    struct figure *figures;
    uint32_t figure_count;
};

struct report_warning {
    str path;
    int64_t offset;
    str message;
    bool in_head; /* said there in words of its own */
};

struct report {
    struct arena *arena;
    str command;
    struct report_input *inputs;
    uint32_t input_count;
    struct report_warning *warnings;
    uint32_t warning_count;
    struct section **sections;
    uint32_t section_count;
    struct finding *findings;
    uint32_t finding_count;
    struct finding_rule *rules;
    uint32_t rule_count;
    str *sources; /* files of source that were read */
    uint32_t source_count;
};

str figure_kind_word(enum figure_kind kind); /* "stack" */
str severity_word(enum severity severity);   /* "warning" */

struct cell table_at(const struct table *table, uint32_t row, uint32_t column); /* of rows that are no stream's */

/* All rows of a table in order, those of a stream too. The cells live until the next row. */
struct row_walk {
    const struct table *table;
    uint32_t row;
    struct cell *cells; /* of a row that lies nowhere else */
};
struct row_walk table_walk(const struct table *table, struct arena *arena);
const struct cell *table_next(struct row_walk *walk); /* NULL at the end */

/* The warnings that the head does not say. */
uint32_t report_warnings_below(const struct report *report);

/* The rule of that id; NULL. */
const struct finding_rule *report_find_rule(const struct report *report, str id);

const struct table *section_find_table(const struct section *section, str id); /* NULL where there is none */
const struct table *report_find_table(const struct report *report, str id);
uint32_t table_find_column(const struct table *table, str id); /* COLUMN_NONE */
enum { COLUMN_NONE = UINT32_MAX };

/* NaN and infinities are no values; every renderer writes what this gives. */
struct cell cell_finite(struct cell cell);

/* An integer or real as a double; false for texts and null. */
bool cell_number(struct cell cell, double *number);

/* The byte of a line that a column of a finding (from 1) names; its end where there is none. */
size_t finding_column(int64_t column, str line);

#endif
