/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of a file as those of the texts that the editor has of it: of the file itself, or of the cells of a notebook. */
#include "session.h"

/* One edit, and the text that it is of. */
struct placed {
    struct open_cell *cell; /* NULL: the document */
    struct position_range range;
    str text;
};

/* In a notebook that is made of cells each is a line, and what is put in stands between quotes. */
static bool place_in_cell(const struct server *server, const struct page *page, const struct text_lines *file,
                          const struct finding_edit *edit, struct arena *arena, struct placed *placed)
{
    const struct open_cells *cells = &page->document->cells;
    const int64_t number = open_cell_number(edit->line);
    if (number < 0 || number >= cells->count || edit->end_line != edit->line)
        return false;
    struct open_cell *cell = cells->at[number];
    placed->cell = cell;
    placed->range.begin = open_cell_position(cell, file, edit->line, edit->column, server->columns);
    placed->range.end = open_cell_position(cell, file, edit->line, edit->end_column, server->columns);
    placed->text = json_decode(arena, edit->text);
    return true;
}

static bool place(const struct server *server, const struct page *page, const struct text_lines *file,
                  const struct finding_edit *edit, struct arena *arena, struct placed *placed)
{
    if (page->cell)
        return place_in_cell(server, page, file, edit, arena, placed);
    *placed = (struct placed){NULL,
                              {position_of_utf16(file, edit->line, edit->column, server->columns),
                               position_of_utf16(file, edit->end_line, edit->end_column, server->columns)},
                              edit->text};
    return true;
}

static void begin_text(const struct server *server, const struct page *page, struct json_writer *json)
{
    if (server->document_changes) {
        json_write_object(json, JSON_FLAT);
        json_write_key(json, S("textDocument"));
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("uri"), page_uri(page));
        json_write_key(json, S("version"));
        json_write_int(json, page_version(page));
        json_write_end(json);
        json_write_key(json, S("edits"));
    } else {
        json_write_key(json, page_uri(page));
    }
    json_write_array(json, JSON_FLAT);
}

static void end_text(const struct server *server, struct json_writer *json)
{
    json_write_end(json);
    if (server->document_changes)
        json_write_end(json);
}

/* A text is begun at its first edit. */
static void put_placed(const struct server *server, const struct page *page, const struct placed *list, uint32_t count,
                       struct json_writer *json)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct page of = {page->document, list[i].cell, NULL};
        if (!i || list[i - 1].cell != list[i].cell)
            begin_text(server, &of, json);
        json_write_object(json, JSON_FLAT);
        json_write_key(json, S("range"));
        put_range(json, list[i].range);
        json_write_member(json, S("newText"), list[i].text);
        json_write_end(json);
        if (i + 1 == count || list[i + 1].cell != list[i].cell)
            end_text(server, json);
    }
}

void put_edits(const struct server *server, const struct page *page, const struct finding_edit *edits, uint32_t count,
               struct json_writer *json)
{
    struct arena scratch = {0};
    const struct text_lines *file = text_lines(&scratch, buf_str(&page->document->text));
    struct placed *list = arena_array(&scratch, count, sizeof *list);
    uint32_t placed = 0;
    while (placed < count && place(server, page, file, &edits[placed], &scratch, &list[placed]))
        placed++;
    placed = placed == count ? placed : 0; /* a part of a rewrite is none */
    json_write_key(json, S("edit"));
    json_write_object(json, JSON_FLAT);
    json_write_key(json, server->document_changes ? S("documentChanges") : S("changes"));
    if (server->document_changes)
        json_write_array(json, JSON_FLAT);
    else
        json_write_object(json, JSON_FLAT);
    put_placed(server, page, list, placed, json);
    json_write_end(json);
    json_write_end(json);
    arena_free(&scratch);
}
