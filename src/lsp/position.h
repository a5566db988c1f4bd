/* SPDX-License-Identifier: Apache-2.0 */
/* Places in texts as the protocol counts them, and changes of texts by them. */
#ifndef LSP_POSITION_H
#define LSP_POSITION_H

#include "base/arena.h"
#include "base/buf.h"
#include "report/report.h"
#include "text/json_writer.h"

/* What columns of the protocol count. */
enum columns { COLUMNS_UTF16, COLUMNS_UTF8 };

/* From 0, as the protocol counts. */
struct position {
    uint32_t line, character;
};

struct position_range {
    struct position begin, end;
};

/* The lines of a text, for places in it. */
struct text_lines;
struct text_lines *text_lines(struct arena *arena, str text);

/* A place beyond the end of its line, or of the text, is that end. */
size_t position_byte(const struct text_lines *lines, struct position position, enum columns columns);
struct position position_of_byte(const struct text_lines *lines, size_t byte, enum columns columns);

/* A line from 0, without its end. */
str text_line(const struct text_lines *lines, int64_t line);

/* Of a line from 1 and a column in bytes from 1, or in UTF-16 units from 1. */
struct position position_of_bytes(const struct text_lines *lines, int64_t line, int64_t column, enum columns columns);
struct position position_of_utf16(const struct text_lines *lines, int64_t line, int64_t column, enum columns columns);

/* Where a finding stands in the text of its file, or in that of its cell. */
struct position_range range_of_finding(const struct text_lines *lines, const struct finding *finding,
                                       enum columns columns);
struct position_range range_in_cell(const struct text_lines *lines, const struct finding *finding,
                                    enum columns columns);
bool ranges_touch(struct position_range a, struct position_range b);

struct position param_position(struct arena *arena, str json, const char *path);
void put_range(struct json_writer *json, struct position_range range);

/* The changes of a list of the protocol, in order: whole texts, or ranges. */
void text_change(struct buf *text, struct arena *scratch, str params, const char *list, enum columns columns);

#endif
