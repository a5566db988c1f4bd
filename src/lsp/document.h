/* SPDX-License-Identifier: Apache-2.0 */
/* The files that are open in an editor, as it has them, and places in them. */
#ifndef LSP_DOCUMENT_H
#define LSP_DOCUMENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "message.h"
#include "report/report.h"

enum { DOCUMENTS_MOST = 4096 };

/* What columns of the protocol count. */
enum columns { COLUMNS_UTF16, COLUMNS_UTF8 };

struct document {
    struct arena arena; /* of uri and path */
    str uri, path;
    int64_t version;
    bool is_python; /* or a notebook */
    bool was_empty; /* an empty list was published last */
    struct buf text;
};

struct documents {
    struct document **at; /* by path */
    uint32_t count;
    size_t room;
};

struct document *documents_find(const struct documents *documents, str uri);
struct document *documents_of_path(const struct documents *documents, str path);

/* From the `textDocument` of didOpen. NULL: there are too many. What was open under this URI is replaced. */
struct document *documents_open(struct documents *documents, struct arena *scratch, str params);
void documents_close(struct documents *documents, struct document *document);
void documents_free(struct documents *documents);

/* The `contentChanges` of didChange, in order: whole texts, or ranges. */
void document_change(struct document *document, struct arena *scratch, str params, enum columns columns);

/* ---- places ---- */

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

/* Of a line from 1 and a column in bytes from 1, or in UTF-16 units from 1. */
struct position position_of_bytes(const struct text_lines *lines, int64_t line, int64_t column, enum columns columns);
struct position position_of_utf16(const struct text_lines *lines, int64_t line, int64_t column, enum columns columns);

struct position_range range_of_finding(const struct text_lines *lines, const struct finding *finding,
                                       enum columns columns);
bool ranges_touch(struct position_range a, struct position_range b);

struct position param_position(struct arena *arena, str json, const char *path);
void put_range(struct json_writer *json, struct position_range range);

#endif
