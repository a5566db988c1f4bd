/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the file to the program, in one pass over the JSON. A cell that cannot be used costs that cell; only a file that
 * is no JSON, or no notebook, is refused.
 */
#include "base/error.h"
#include "base/mem.h"
#include "read.h"
#include "text/json.h"

enum { PROGRAM_BYTES = 8 << 20 }; /* more is no source that people wrote */

struct reading {
    struct arena *arena;
    struct json json;
    const char *file; /* the first byte of the file */
    struct contents contents;
    size_t piece_room, text_room, found_room;
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
    const size_t count = reading->contents.piece_count + 1;
    reading->contents.pieces =
        mem_grow(reading->contents.pieces, &reading->piece_room, count, sizeof *reading->contents.pieces);
    reading->contents.texts =
        mem_grow(reading->contents.texts, &reading->text_room, count, sizeof *reading->contents.texts);
    reading->contents.pieces[count - 1] = (struct notebook_piece){
        .raw = (uint32_t)(quoted.at - reading->file),
        .line = reading->line,
        .column = (uint32_t)(quoted.at - reading->line_start), /* bytes yet */
        .quoted = quoted,
    };
    reading->contents.texts[count - 1] = json_decode(reading->arena, quoted);
    reading->contents.piece_count = count;
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
    const uint32_t count = (uint32_t)reading->contents.piece_count - found->first_piece;
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
    reading->contents.piece_count = found->first_piece;
    found->has_source = true;
    found->is_list = found->odd = false;
    found->before = found->between = S("");
    if (json_peek(&reading->json) == '[')
        take_list(reading, found);
    else
        take_string(reading, found);
    found->piece_count = (uint32_t)reading->contents.piece_count - found->first_piece;
}

/* ---- cells ---- */

static void take_cell(struct reading *reading)
{
    struct found found = {.number = ++reading->cells, .first_piece = (uint32_t)reading->contents.piece_count};
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
        reading->contents.piece_count = found.first_piece;
        return;
    }
    reading->contents.found =
        mem_grow(reading->contents.found, &reading->found_room, reading->contents.found_count + 1, sizeof found);
    reading->contents.found[reading->contents.found_count++] = found;
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

static size_t program_bytes(const struct reading *reading)
{
    size_t bytes = 0;
    for (size_t i = 0; i < reading->contents.piece_count; i++)
        bytes += reading->contents.texts[i].len;
    return bytes + reading->contents.found_count;
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
    build_program(&reading->contents, arena, notebook);
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
    mem_free(reading.contents.pieces);
    mem_free(reading.contents.texts);
    mem_free(reading.contents.found);
    arena_free(&scratch);
    return good;
}
