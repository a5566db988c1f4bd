/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comma-separated values in, as RFC 4180 says, from memory: fields may be
 * quoted, quotes in them are doubled, lines end in LF or CR LF. A byte-order
 * mark and empty lines are passed over; a quote that is never closed ends with
 * the text. Nothing is an error here: the caller judges the fields.
 */
#ifndef TEXT_CSV_READER_H
#define TEXT_CSV_READER_H

#include "base/arena.h"
#include "base/str.h"

struct csv_reader {
    str rest;        /* what is still to be read */
    uint32_t line;   /* number of the last row's first line, from 1 */
    uint32_t next;   /* number of the line at rest */
    uint32_t fields; /* of the last row */
    bool whole;      /* the last row had its line end, and did not just end with the text */
};

struct csv_row {
    const str *fields;
    uint32_t count;
    str text; /* the row as it stands there, without its line end */
};

struct csv_reader csv_reader(str text);

/* The next row; false at the end. Fields live in the arena or in the text itself. */
bool csv_next(struct csv_reader *reader, struct arena *arena, struct csv_row *row);

/* The field of that column, "" where the row is shorter. */
str csv_field(const struct csv_row *row, uint32_t column);

/* The column of that name in a header row; UINT32_MAX if there is none. */
uint32_t csv_column(const struct csv_row *header, str name);

#endif
