/* SPDX-License-Identifier: Apache-2.0 */
/* From code cells to a program: one below the other, masked, and those left out that would take others with them. */
#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mask.h"
#include "read.h"

/* Cells one below the other: those of them that are wanted. */
struct building {
    struct notebook *notebook;
    const struct contents *contents;
    struct buf text;
    struct masks masks;
    uint32_t lines;
    size_t left_room;
};

static void leave_out(struct building *building, uint32_t cell, uint32_t line, const char *why)
{
    struct notebook *notebook = building->notebook;
    notebook->left_out =
        mem_grow(notebook->left_out, &building->left_room, notebook->left_out_count + 1u, sizeof *notebook->left_out);
    notebook->left_out[notebook->left_out_count++] = (struct notebook_left_out){cell, line, why};
}

static uint32_t lines_in(str text)
{
    uint32_t lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.at[i] == '\n' || (text.at[i] == '\r' && !(i + 1 < text.len && text.at[i + 1] == '\n'));
    return lines;
}

static str separator(const struct found *found, struct arena *arena)
{
    if (!found->is_list)
        return S("");
    if (found->piece_count > 1)
        return str_copy(arena, found->between);
    const str blanks = found->before.len ? found->before : S(" ");
    return str_printf(arena, ",%.*s", (int)blanks.len, blanks.at);
}

static void add_pieces(struct building *building, const struct found *found)
{
    struct notebook *notebook = building->notebook;
    for (uint32_t i = 0; i < found->piece_count; i++) {
        struct notebook_piece *piece = &notebook->pieces[notebook->piece_count++];
        *piece = building->contents->pieces[found->first_piece + i];
        piece->begin = (uint32_t)building->text.len;
        buf_add(&building->text, building->contents->texts[found->first_piece + i]);
        piece->end = (uint32_t)building->text.len;
    }
}

/* To behind the line of the magic that a cell begins with, blank lines before it counted. */
static uint32_t magic_line_bytes(str source)
{
    size_t at = 0;
    while (char_is_blank(source.at[at]))
        at++;
    while (at < source.len && source.at[at] != '\n' && source.at[at] != '\r')
        at++;
    return (uint32_t)(at < source.len ? at + 1 : at);
}

static void add_cell(struct building *building, const struct found *found, struct arena *arena)
{
    struct notebook *notebook = building->notebook;
    struct notebook_cell cell = {.number = found->number,
                                 .begin = (uint32_t)building->text.len,
                                 .first_line = building->lines + 1,
                                 .first_piece = notebook->piece_count,
                                 .piece_count = found->piece_count};
    add_pieces(building, found);
    const str source = {building->text.at + cell.begin, building->text.len - cell.begin};
    const enum cell_kind kind = mask_kind(source);
    if (kind == CELL_FOREIGN) {
        building->text.len = cell.begin;
        notebook->piece_count = cell.first_piece;
        return;
    }
    cell.end = (uint32_t)building->text.len;
    cell.body = cell.begin + (kind == CELL_MAGIC ? magic_line_bytes(source) : 0);
    cell.between = separator(found, arena);
    cell.closed = !source.len || source.at[source.len - 1] != '\n';
    if (cell.closed)
        buf_char(&building->text, '\n');
    building->lines += lines_in((str){building->text.at + cell.begin, building->text.len - cell.begin});
    notebook->cells[notebook->cell_count++] = cell;
}

static bool is_sound(str text)
{
    for (size_t at = 0; at < text.len;) {
        const size_t bytes = utf8_length(text.at + at, text.len - at);
        if (!bytes || !text.at[at])
            return false;
        at += bytes;
    }
    return true;
}

static bool is_usable(struct building *building, const struct found *found)
{
    if (!found->has_source || found->odd) {
        leave_out(building, found->number, 0, found->odd ? "its source is no text" : "it has no source");
        return false;
    }
    for (uint32_t i = 0; i < found->piece_count; i++)
        if (!is_sound(building->contents->texts[found->first_piece + i])) {
            leave_out(building, found->number, 0, "it holds bytes that are no text");
            return false;
        }
    return true;
}

static void mask_all(struct building *building, char *text)
{
    for (uint32_t i = 0; i < building->notebook->cell_count; i++) {
        const struct notebook_cell *cell = &building->notebook->cells[i];
        mask_cell(text, cell->begin, cell->end - cell->begin, &building->masks);
    }
}

/* A cell that does not parse would take those behind it with it. Its lines stay, as comments. */
static void check_cell(struct building *building, const struct notebook_cell *cell, char *text)
{
    struct arena scratch = {0};
    const struct syntax *tree = syntax_parse(&scratch, S(""), (str){text + cell->begin, cell->end - cell->begin});
    const bool fine = tree && !tree->error_count;
    if (!fine) {
        leave_out(building, cell->number, tree ? syntax_place(tree, tree->error_at).line : 0,
                  "it does not parse as Python");
        for (uint32_t i = cell->begin; i < cell->end; i++)
            if (text[i] != '\n' && text[i] != '\r')
                text[i] = '#';
    }
    arena_free(&scratch);
}

static void check_cells(struct building *building, char *text)
{
    struct arena scratch = {0};
    const struct notebook *notebook = building->notebook;
    const struct syntax *tree = syntax_parse(&scratch, S(""), (str){text, building->text.len});
    if (!tree || tree->error_count)
        for (uint32_t i = 0; i < notebook->cell_count; i++)
            check_cell(building, &notebook->cells[i], text);
    arena_free(&scratch);
}

/* What outlives the file is copied; columns become those of UTF-16. */
static void keep_pieces(struct building *building, struct arena *arena)
{
    struct notebook *notebook = building->notebook;
    bool escaped = false, plain = false;
    uint32_t line = 0, column = 0, units = 0; /* where the last one was, for a file may be one long line */
    for (uint32_t i = 0; i < notebook->piece_count; i++) {
        struct notebook_piece *piece = &notebook->pieces[i];
        const uint32_t from = piece->line == line ? column : 0;
        units = piece->line == line ? units : 0;
        units += (uint32_t)utf16_units(piece->quoted.at - piece->column + from, piece->column - from);
        line = piece->line;
        column = piece->column;
        piece->column = units + 1;
        escaped |= str_has(piece->quoted, S("\\u"));
        for (size_t k = 0; k < piece->quoted.len; k++)
            plain |= (unsigned char)piece->quoted.at[k] >= 0x80;
        piece->quoted = str_copy(arena, piece->quoted);
    }
    notebook->ascii = escaped && !plain;
}

static void build(struct building *building, struct arena *arena)
{
    struct notebook *notebook = building->notebook;
    const struct contents *contents = building->contents;
    notebook->cells = arena_array(arena, contents->found_count, sizeof *notebook->cells);
    notebook->pieces = arena_array(arena, contents->piece_count, sizeof *notebook->pieces);
    for (size_t i = 0; i < contents->found_count; i++)
        if (is_usable(building, &contents->found[i]))
            add_cell(building, &contents->found[i], arena);
    notebook->original = str_copy(arena, buf_str(&building->text));
    char *text = (char *)str_copy(arena, notebook->original).at;
    mask_all(building, text);
    check_cells(building, text);
    notebook->program = (str){text, notebook->original.len};
    keep_pieces(building, arena);
}

/* Lists that grew move to the arena. */
static void *moved(struct arena *arena, void *list, size_t count, size_t size)
{
    return arena_move(arena, list, count * size);
}

static void finish(struct building *building, struct arena *arena)
{
    struct notebook *notebook = building->notebook;
    if (building->masks.at)
        notebook->masked = moved(arena, building->masks.at, building->masks.count, sizeof *building->masks.at);
    notebook->masked_count = building->masks.count;
    if (notebook->left_out)
        notebook->left_out = moved(arena, notebook->left_out, notebook->left_out_count, sizeof *notebook->left_out);
    buf_free(&building->text);
}

void build_program(const struct contents *contents, struct arena *arena, struct notebook *notebook)
{
    struct building building = {.notebook = notebook, .contents = contents};
    build(&building, arena);
    finish(&building, arena);
}
