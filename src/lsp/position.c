/* SPDX-License-Identifier: Apache-2.0 */
/* Places: the protocol counts lines and columns from 0, columns in UTF-16 units or bytes; findings from 1. */
#include "base/utf8.h"
#include "rpc/message.h"
#include "position.h"
#include "syntax/lines.h"

struct text_lines {
    struct syntax of; /* nothing but its lines */
};

struct text_lines *text_lines(struct arena *arena, str text)
{
    struct text_lines *lines = arena_alloc(arena, sizeof *lines);
    lines->of.text = text.at ? text : S("");
    lines_index(arena, &lines->of);
    return lines;
}

str text_line(const struct text_lines *lines, int64_t line)
{
    return line >= 0 && line < lines->of.line_count ? syntax_line(&lines->of, (uint32_t)line + 1) : S("");
}

/* Bytes of a line that so many units make. */
static size_t bytes_of(str line, int64_t units, enum columns columns)
{
    if (columns == COLUMNS_UTF8)
        return units < (int64_t)line.len ? (size_t)(units > 0 ? units : 0) : line.len;
    size_t at = 0;
    for (int64_t seen = 0; seen < units && at < line.len;) {
        const size_t bytes = utf8_length(line.at + at, line.len - at);
        seen += bytes == 4 ? 2 : 1;
        at += bytes ? bytes : 1;
    }
    return at;
}

static uint32_t units_of(str line, size_t bytes, enum columns columns)
{
    bytes = bytes < line.len ? bytes : line.len;
    return (uint32_t)(columns == COLUMNS_UTF8 ? bytes : utf16_units(line.at, bytes));
}

size_t position_byte(const struct text_lines *lines, struct position position, enum columns columns)
{
    if (position.line >= lines->of.line_count)
        return lines->of.text.len;
    return lines->of.line_at[position.line] + bytes_of(text_line(lines, position.line), position.character, columns);
}

struct position position_of_byte(const struct text_lines *lines, size_t byte, enum columns columns)
{
    const size_t end = lines->of.text.len;
    const struct place_in_text place = syntax_place(&lines->of, (uint32_t)(byte < end ? byte : end));
    return position_of_bytes(lines, place.line, place.column, columns);
}

struct position position_of_bytes(const struct text_lines *lines, int64_t line, int64_t column, enum columns columns)
{
    const str text = text_line(lines, line - 1);
    return (struct position){(uint32_t)(line - 1), units_of(text, column > 0 ? (size_t)column - 1 : 0, columns)};
}

struct position position_of_utf16(const struct text_lines *lines, int64_t line, int64_t column, enum columns columns)
{
    const str text = text_line(lines, line - 1);
    return (struct position){(uint32_t)(line - 1), units_of(text, bytes_of(text, column - 1, COLUMNS_UTF16), columns)};
}

struct position_range range_in_cell(const struct text_lines *lines, const struct finding *finding, enum columns columns)
{
    const int64_t line = finding->line > 0 ? finding->line : 1;
    const struct position begin = position_of_bytes(lines, line, finding->column, columns);
    if (finding->end_line < line)
        return (struct position_range){begin, begin};
    return (struct position_range){begin, position_of_bytes(lines, finding->end_line, finding->end_column, columns)};
}

struct position_range range_of_finding(const struct text_lines *lines, const struct finding *finding,
                                       enum columns columns)
{
    const struct finding_region *in_file = &finding->in_file;
    if (in_file->line <= 0)
        return range_in_cell(lines, finding, columns);
    return (struct position_range){position_of_utf16(lines, in_file->line, in_file->column, columns),
                                   position_of_utf16(lines, in_file->end_line, in_file->end_column, columns)};
}

static int order(struct position a, struct position b)
{
    if (a.line != b.line)
        return a.line < b.line ? -1 : 1;
    return (a.character > b.character) - (a.character < b.character);
}

bool ranges_touch(struct position_range a, struct position_range b)
{
    return order(a.begin, b.end) <= 0 && order(b.begin, a.end) <= 0;
}

static uint32_t whole(int64_t value)
{
    return value < 0 ? 0 : value > INT32_MAX ? INT32_MAX : (uint32_t)value;
}

struct position param_position(struct arena *arena, str json, const char *path)
{
    int64_t line = 0, character = 0;
    const str place = param(arena, json, path);
    param_int(arena, place, "line", &line);
    param_int(arena, place, "character", &character);
    return (struct position){whole(line), whole(character)};
}

static void put_position(struct json_writer *json, str key, struct position position)
{
    json_write_key(json, key);
    json_write_object(json, JSON_FLAT);
    json_write_key(json, S("line"));
    json_write_int(json, position.line);
    json_write_key(json, S("character"));
    json_write_int(json, position.character);
    json_write_end(json);
}

void put_range(struct json_writer *json, struct position_range range)
{
    json_write_object(json, JSON_FLAT);
    put_position(json, S("start"), range.begin);
    put_position(json, S("end"), range.end);
    json_write_end(json);
}

/* ---- changes ---- */

static void replace(struct buf *text, size_t begin, size_t end, str with)
{
    struct buf changed = {0};
    const str before = buf_str(text);
    buf_add(&changed, (str){before.at, begin});
    buf_add(&changed, with);
    buf_add(&changed, str_from(before, end));
    buf_free(text);
    *text = changed;
}

static void change_one(struct buf *text, str change, enum columns columns)
{
    struct arena scratch = {0};
    const str with = param_text(&scratch, change, "text");
    if (!param(&scratch, change, "range").len) {
        buf_clear(text);
        buf_add(text, with);
    } else {
        const struct text_lines *lines = text_lines(&scratch, buf_str(text));
        const size_t begin = position_byte(lines, param_position(&scratch, change, "range.start"), columns);
        const size_t end = position_byte(lines, param_position(&scratch, change, "range.end"), columns);
        replace(text, begin, end > begin ? end : begin, with);
    }
    arena_free(&scratch);
}

void text_change(struct buf *text, struct arena *scratch, str params, const char *list, enum columns columns)
{
    struct json changes = param_list(scratch, params, list);
    for (str change; param_next(&changes, &change);)
        change_one(text, change, columns);
}
