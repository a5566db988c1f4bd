/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the file to the program, in one pass over the JSON. A cell that cannot be used costs that cell; only a file that
 * is no JSON, or no notebook, is refused.
 */
#include "notebook.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mask.h"
#include "text/json.h"

enum { PROGRAM_BYTES = 8 << 20 }; /* more is no source that people wrote */

/* A cell as the file has it. */
struct found {
    uint32_t number, first_piece, piece_count;
    str before;   /* blanks before the first string of a list */
    str between;  /* what stands between its first two */
    bool is_code; /* says cell_type */
    bool has_source, is_list, odd;
};

struct reading {
    struct arena *arena;
    struct json json;
    const char *file; /* the first byte of the file */
    struct notebook_piece *pieces;
    str *texts; /* of the pieces, decoded */
    size_t piece_room, text_room, piece_count;
    struct found *found;
    size_t found_room, found_count;
    uint32_t cells; /* of any kind */
    bool is_notebook;
    str language;
    /* how far places were counted */
    const char *counted, *line_start;
    uint32_t line;
};

bool notebook_named(str path)
{
    return str_ends(path, S(".ipynb"));
}

/* ---- places in the file ---- */

static void count_to(struct reading *reading, const char *at)
{
    for (const char *end; (end = memchr(reading->counted, '\n', (size_t)(at - reading->counted)));) {
        reading->line++;
        reading->counted = reading->line_start = end + 1;
    }
    reading->counted = at;
}

/* ---- strings ---- */

static void add_piece(struct reading *reading, str quoted)
{
    count_to(reading, quoted.at);
    const size_t count = reading->piece_count + 1;
    reading->pieces = mem_grow(reading->pieces, &reading->piece_room, count, sizeof *reading->pieces);
    reading->texts = mem_grow(reading->texts, &reading->text_room, count, sizeof *reading->texts);
    reading->pieces[count - 1] = (struct notebook_piece){
        .raw = (uint32_t)(quoted.at - reading->file),
        .line = reading->line,
        .column = (uint32_t)(quoted.at - reading->line_start), /* bytes yet */
        .quoted = quoted,
    };
    reading->texts[count - 1] = json_decode(reading->arena, quoted);
    reading->piece_count = count;
}

/* A string, or something else, which is passed over. */
static bool take_string(struct reading *reading, struct found *found)
{
    str raw;
    const bool is_string = json_peek(&reading->json) == '"';
    if (!json_raw(&reading->json, &raw))
        return false;
    if (is_string)
        add_piece(reading, (str){raw.at + 1, raw.len - 2});
    else
        found->odd = true;
    return true;
}

static void note_blanks(const struct reading *reading, struct found *found, const char *behind)
{
    const uint32_t count = (uint32_t)reading->piece_count - found->first_piece;
    const str gap = {behind, (size_t)(reading->json.at - behind)};
    if (count == 0)
        found->before = gap;
    else if (count == 1)
        found->between = gap;
}

static void take_list(struct reading *reading, struct found *found)
{
    found->is_list = true;
    json_enter(&reading->json);
    for (const char *behind = reading->json.at; json_item(&reading->json); behind = reading->json.at) {
        json_peek(&reading->json);
        note_blanks(reading, found, behind);
        if (!take_string(reading, found))
            return;
    }
}

/* The last one counts where there are several. */
static void take_source(struct reading *reading, struct found *found)
{
    reading->piece_count = found->first_piece;
    found->has_source = true;
    found->is_list = found->odd = false;
    found->before = found->between = S("");
    if (json_peek(&reading->json) == '[')
        take_list(reading, found);
    else
        take_string(reading, found);
    found->piece_count = (uint32_t)reading->piece_count - found->first_piece;
}

/* ---- cells ---- */

static void take_cell(struct reading *reading)
{
    struct found found = {.number = ++reading->cells, .first_piece = (uint32_t)reading->piece_count};
    if (json_peek(&reading->json) != '{') {
        json_skip(&reading->json);
        return;
    }
    json_enter(&reading->json);
    for (str key, type; json_key(&reading->json, &key);) {
        if (str_eq(key, S("cell_type")) && json_peek(&reading->json) == '"')
            found.is_code = json_string(&reading->json, &type) && str_eq(type, S("code"));
        else if (str_eq(key, S("source")) || str_eq(key, S("input")))
            take_source(reading, &found);
        else
            json_skip(&reading->json);
    }
    if (!found.is_code) {
        reading->piece_count = found.first_piece;
        return;
    }
    reading->found = mem_grow(reading->found, &reading->found_room, reading->found_count + 1, sizeof found);
    reading->found[reading->found_count++] = found;
}

static void take_cells(struct reading *reading)
{
    if (json_peek(&reading->json) != '[') {
        json_skip(&reading->json);
        return;
    }
    reading->is_notebook = true;
    json_enter(&reading->json);
    while (json_item(&reading->json))
        take_cell(reading);
}

/* Of nbformat 3: sheets with cells. */
static void take_worksheets(struct reading *reading)
{
    if (json_peek(&reading->json) != '[') {
        json_skip(&reading->json);
        return;
    }
    reading->is_notebook = true;
    json_enter(&reading->json);
    while (json_item(&reading->json)) {
        if (json_peek(&reading->json) != '{') {
            json_skip(&reading->json);
            continue;
        }
        json_enter(&reading->json);
        for (str key; json_key(&reading->json, &key);) {
            if (str_eq(key, S("cells")))
                take_cells(reading);
            else
                json_skip(&reading->json);
        }
    }
}

/* ---- the language ---- */

static void take_language_of(struct reading *reading, const char *name)
{
    if (json_peek(&reading->json) != '{') {
        json_skip(&reading->json);
        return;
    }
    json_enter(&reading->json);
    for (str key; json_key(&reading->json, &key);) {
        if (str_eq(key, str_of(name)) && json_peek(&reading->json) == '"')
            json_string(&reading->json, &reading->language);
        else
            json_skip(&reading->json);
    }
}

static void take_metadata(struct reading *reading)
{
    if (json_peek(&reading->json) != '{') {
        json_skip(&reading->json);
        return;
    }
    json_enter(&reading->json);
    for (str key; json_key(&reading->json, &key);) {
        if (str_eq(key, S("language_info")))
            take_language_of(reading, "name");
        else if (str_eq(key, S("kernelspec")) && !reading->language.len)
            take_language_of(reading, "language");
        else
            json_skip(&reading->json);
    }
}

static bool is_python(str language)
{
    return !language.len || str_starts_nocase(language, S("python")) || str_starts_nocase(language, S("ipython"));
}

static void take_file(struct reading *reading)
{
    if (json_peek(&reading->json) != '{' || !json_enter(&reading->json))
        return;
    for (str key; json_key(&reading->json, &key);) {
        if (str_eq(key, S("cells")))
            take_cells(reading);
        else if (str_eq(key, S("worksheets")))
            take_worksheets(reading);
        else if (str_eq(key, S("metadata")))
            take_metadata(reading);
        else
            json_skip(&reading->json);
    }
}

static bool judge(struct reading *reading, str path, struct steptime_error *err)
{
    if (reading->json.failed) {
        count_to(reading, reading->json.at > reading->counted ? reading->json.at : reading->counted);
        return fail_at(err, STEPTIME_INPUT, path, -1, "line %u: is no notebook, for the JSON is broken here",
                       reading->line);
    }
    if (!reading->is_notebook)
        return fail_at(err, STEPTIME_INPUT, path, -1, "line 1: is no notebook: it has no cells");
    if (!is_python(reading->language)) {
        struct arena scratch = {0};
        const str language = str_printable(&scratch, reading->language);
        fail_at(err, STEPTIME_INPUT, path, -1, "line 1: is a notebook of %.*s, not of Python",
                language.len < 40 ? (int)language.len : 40, language.at);
        arena_free(&scratch);
        return false;
    }
    return true;
}

/* ---- the program ---- */

/* Cells one below the other: those of them that are wanted. */
struct building {
    struct notebook *notebook;
    const struct reading *reading;
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
        *piece = building->reading->pieces[found->first_piece + i];
        piece->begin = (uint32_t)building->text.len;
        buf_add(&building->text, building->reading->texts[found->first_piece + i]);
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
        if (!is_sound(building->reading->texts[found->first_piece + i])) {
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
    const struct reading *reading = building->reading;
    notebook->cells = arena_array(arena, reading->found_count, sizeof *notebook->cells);
    notebook->pieces = arena_array(arena, reading->piece_count, sizeof *notebook->pieces);
    for (size_t i = 0; i < reading->found_count; i++)
        if (is_usable(building, &reading->found[i]))
            add_cell(building, &reading->found[i], arena);
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

static size_t program_bytes(const struct reading *reading)
{
    size_t bytes = 0;
    for (size_t i = 0; i < reading->piece_count; i++)
        bytes += reading->texts[i].len;
    return bytes + reading->found_count;
}

static bool read_program(struct reading *reading, struct arena *arena, str path, struct notebook *notebook,
                         struct steptime_error *err)
{
    if (!judge(reading, path, err))
        return false;
    const size_t bytes = program_bytes(reading);
    if (bytes > PROGRAM_BYTES)
        return fail_at(err, STEPTIME_INPUT, path, -1, "line 1: has %zu MB of code; more than %d MB are not read",
                       bytes / 1000000, PROGRAM_BYTES / 1000000);
    struct building building = {.notebook = notebook, .reading = reading};
    build(&building, arena);
    finish(&building, arena);
    return true;
}

bool notebook_read(struct arena *arena, str path, str raw, struct notebook *notebook, struct steptime_error *err)
{
    struct arena scratch = {0};
    const size_t mark = str_starts(raw, S("\xEF\xBB\xBF")) ? 3 : 0; /* a byte order mark */
    *notebook = (struct notebook){.file_bytes = (uint32_t)raw.len};
    struct reading reading = {.arena = &scratch, .json = json_of(raw, &scratch), .line = 1};
    reading.file = reading.counted = reading.line_start = reading.json.at;
    reading.json.at += mark;
    take_file(&reading);
    const bool good = read_program(&reading, arena, path, notebook, err);
    mem_free(reading.pieces);
    mem_free(reading.texts);
    mem_free(reading.found);
    arena_free(&scratch);
    return good;
}
