/* SPDX-License-Identifier: Apache-2.0 */
#include "cells.h"

#include "base/mem.h"
#include "io/writer.h"

enum { KIND_CODE = 2, LINES_BEFORE = 2 /* of the text that they make, before that of the first */ };

struct open_cell *open_cells_find(const struct open_cells *cells, str uri)
{
    for (uint32_t i = 0; uri.len && i < cells->count; i++)
        if (str_eq(buf_str(&cells->at[i]->uri), uri))
            return cells->at[i];
    return NULL;
}

static void free_cell(struct open_cell *cell)
{
    buf_free(&cell->uri);
    buf_free(&cell->text);
    mem_free(cell);
}

void open_cells_free(struct open_cells *cells)
{
    for (uint32_t i = 0; i < cells->count; i++)
        free_cell(cells->at[i]);
    mem_free(cells->at);
    *cells = (struct open_cells){0};
}

static void add(struct open_cells *cells, struct open_cell *cell)
{
    cells->at = mem_grow(cells->at, &cells->room, cells->count + 1u, sizeof *cells->at);
    cells->at[cells->count++] = cell;
}

/* ---- what the protocol says of them ---- */

/* A `NotebookCell`, one of those that were taken out before where it has the URI of one. */
static struct open_cell *cell_of(struct open_cells *gone, struct arena *scratch, str item)
{
    const str uri = param_text(scratch, item, "document");
    int64_t kind = KIND_CODE;
    param_int(scratch, item, "kind", &kind);
    struct open_cell *cell = NULL;
    for (uint32_t i = 0; uri.len && !cell && i < gone->count; i++)
        if (str_eq(buf_str(&gone->at[i]->uri), uri)) {
            cell = gone->at[i];
            gone->at[i] = gone->at[--gone->count];
        }
    if (!cell) {
        cell = mem_zeroed(sizeof *cell);
        buf_add(&cell->uri, uri);
    }
    cell->is_code = kind == KIND_CODE;
    return cell;
}

static void take_cells(struct open_cells *cells, struct open_cells *gone, struct arena *scratch, str json,
                       const char *path)
{
    struct json list = param_list(scratch, json, path);
    for (str item; !cells->too_many && param_next(&list, &item);) {
        cells->too_many = cells->count == CELLS_MOST;
        if (!cells->too_many)
            add(cells, cell_of(gone, scratch, item));
    }
}

/* `TextDocumentItem`s. More of them than there can be cells are none of theirs. */
static void take_texts(struct open_cells *cells, struct arena *scratch, str json, const char *path)
{
    struct json list = param_list(scratch, json, path);
    str item;
    for (uint32_t i = 0; i < CELLS_MOST && param_next(&list, &item); i++) {
        struct open_cell *cell = open_cells_find(cells, param_text(scratch, item, "uri"));
        if (!cell)
            continue;
        cell->is_python = str_eq(param_text(scratch, item, "languageId"), S("python"));
        param_int(scratch, item, "version", &cell->version);
        buf_clear(&cell->text);
        buf_add(&cell->text, param_text(scratch, item, "text"));
    }
}

void open_cells_open(struct open_cells *cells, struct arena *scratch, str params)
{
    struct open_cells none = {0};
    take_cells(cells, &none, scratch, params, "notebookDocument.cells");
    take_texts(cells, scratch, params, "cellTextDocuments");
}

/* ---- changes ---- */

/* Cells that were taken out and come again are moved, and keep their texts. */
static void splice(struct open_cells *cells, struct open_cells *gone, struct arena *scratch, str array)
{
    int64_t start = -1, out = 0;
    param_int(scratch, array, "start", &start);
    param_int(scratch, array, "deleteCount", &out);
    if (start < 0 || start > cells->count || out < 0)
        return;
    const uint32_t left = cells->count - (uint32_t)start, taken = out < left ? (uint32_t)out : left;
    struct open_cells behind = {0};
    for (uint32_t i = (uint32_t)start; i < cells->count; i++)
        add(i < (uint32_t)start + taken ? gone : &behind, cells->at[i]);
    cells->count = (uint32_t)start;
    take_cells(cells, gone, scratch, array, "cells");
    for (uint32_t i = 0; i < behind.count; i++)
        add(cells, behind.at[i]);
    cells->too_many |= cells->count > CELLS_MOST;
    mem_free(behind.at);
}

static void clear_closed(struct open_cells *cells, struct arena *scratch, str structure)
{
    struct json list = param_list(scratch, structure, "didClose");
    str item;
    for (uint32_t i = 0; i < CELLS_MOST && param_next(&list, &item); i++) {
        struct open_cell *cell = open_cells_find(cells, param_text(scratch, item, "uri"));
        if (cell)
            buf_clear(&cell->text);
    }
}

static void take_kinds(struct open_cells *cells, struct arena *scratch, str change)
{
    struct json list = param_list(scratch, change, "data");
    for (str item; param_next(&list, &item);) {
        struct open_cell *cell = open_cells_find(cells, param_text(scratch, item, "document"));
        int64_t kind;
        if (cell && param_int(scratch, item, "kind", &kind))
            cell->is_code = kind == KIND_CODE;
    }
}

static void change_texts(struct open_cells *cells, struct arena *scratch, str change, enum columns columns)
{
    struct json list = param_list(scratch, change, "textContent");
    for (str item; param_next(&list, &item);) {
        struct open_cell *cell = open_cells_find(cells, param_text(scratch, item, "document.uri"));
        if (!cell)
            continue;
        text_change(&cell->text, scratch, item, "changes", columns);
        param_int(scratch, item, "document.version", &cell->version);
    }
}

void open_cells_change(struct open_cells *cells, struct open_cells *gone, struct arena *scratch, str change,
                       enum columns columns)
{
    const str structure = param(scratch, change, "structure");
    splice(cells, gone, scratch, param(scratch, structure, "array"));
    clear_closed(cells, scratch, structure);
    take_texts(cells, scratch, structure, "didOpen");
    take_kinds(cells, scratch, change);
    change_texts(cells, scratch, change, columns);
}

/* ---- the notebook that they make ---- */

void open_cells_write(const struct open_cells *cells, struct buf *text)
{
    struct writer *out = writer_to_memory();
    struct json_writer json = json_write_begin(out);
    json_write_object(&json, JSON_LINES);
    json_write_list(&json, S("cells"));
    for (uint32_t i = 0; i < cells->count; i++) {
        const struct open_cell *cell = cells->at[i];
        const bool counts = cell->is_code && cell->is_python;
        json_write_object(&json, JSON_FLAT);
        json_write_member(&json, S("cell_type"), counts ? S("code") : S("raw"));
        json_write_member(&json, S("source"), counts && cell->text.len ? buf_str(&cell->text) : S(""));
        json_write_end(&json);
    }
    json_write_end(&json);
    json_write_end(&json);
    json_write_finish(&json);
    buf_clear(text);
    buf_add(text, writer_text(out));
    writer_abandon(out);
}

int64_t open_cell_number(int64_t line)
{
    return line - LINES_BEFORE - 1;
}

struct position open_cell_position(const struct open_cell *cell, const struct text_lines *notebook, int64_t line,
                                   int64_t column, enum columns columns)
{
    struct arena scratch = {0};
    const str whole = text_line(notebook, line - 1), before_text = S("\"source\": \"");
    const char *found = whole.len ? memmem(whole.at, whole.len, before_text.at, before_text.len) : NULL;
    const struct position at = {(uint32_t)(line - 1), (uint32_t)(column - 1)};
    const char *place = whole.at + (position_byte(notebook, at, COLUMNS_UTF16) -
                                    position_byte(notebook, (struct position){at.line, 0}, COLUMNS_UTF16));
    size_t bytes = 0;
    if (found && place > found + before_text.len)
        bytes = json_decode(&scratch, (str){found + before_text.len, (size_t)(place - found) - before_text.len}).len;
    const struct position position = position_of_byte(text_lines(&scratch, buf_str(&cell->text)), bytes, columns);
    arena_free(&scratch);
    return position;
}
