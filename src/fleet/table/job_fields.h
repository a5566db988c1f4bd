/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a block, one line each, as fields. CSV: separators are found 64
 * bytes at a time; quotes are taken off in place. JSON lines: the members of an
 * object, put at the columns of their keys.
 */
#ifndef FLEET_JOB_FIELDS_H
#define FLEET_JOB_FIELDS_H

#include "base/arena.h"
#include "job_lines.h"
#include "text/csv_reader.h"

struct field_cursor {
    char *at, *end;   /* the line to come; behind the block */
    const char *base; /* the 64 bytes that marks are of */
    uint64_t marks;   /* of commas and line ends not passed yet */
};

struct field_cursor field_cursor(const struct lines_block *block);

/*
 * The next row, and behind it; `row->fields` has room for `room`. False at the end. *problem is NULL, or why it is no row.
 * Lines that are empty or blank have no field: row->count is 0.
 */
bool fields_of_csv(struct field_cursor *cursor, str *fields, uint32_t room, struct csv_row *row, const char **problem);

/* Keys as columns. The order of the members is guessed from that of the last row. */
struct key_columns {
    const str *keys;
    uint32_t count;
    const uint32_t *sorted; /* the columns in the order of their keys */
};
struct key_columns key_columns_of(const str *keys, uint32_t count, struct arena *arena);

/* The same of a line of JSON. Texts with escapes are decoded into the arena; what has no column is passed over. */
bool fields_of_json(struct field_cursor *cursor, const struct key_columns *columns, struct arena *arena, str *fields,
                    struct csv_row *row, const char **problem);

#endif
