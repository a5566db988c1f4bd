/* SPDX-License-Identifier: Apache-2.0 */
#include "csv_reader.h"

struct csv_reader csv_reader(str text)
{
    const str mark = S("\xEF\xBB\xBF");
    return (struct csv_reader){.rest = str_starts(text, mark) ? str_from(text, mark.len) : text, .next = 1};
}

static bool line_end_at(str text, size_t at)
{
    return text.at[at] == '\n' || (text.at[at] == '\r' && at + 1 < text.len && text.at[at + 1] == '\n');
}

/* Takes LF or CR LF; whether there was one. */
static bool take_line_end(struct csv_reader *reader)
{
    if (!reader->rest.len || !line_end_at(reader->rest, 0))
        return false;
    reader->rest = str_from(reader->rest, reader->rest.at[0] == '\r' ? 2 : 1);
    reader->next++;
    return true;
}

/* Up to the comma or the end of the line. */
static str plain_field(struct csv_reader *reader)
{
    const str rest = reader->rest;
    size_t len = 0;
    while (len < rest.len && rest.at[len] != ',' && !line_end_at(rest, len))
        len++;
    reader->rest = str_from(rest, len);
    return (str){rest.at, len};
}

/* Bytes up to the closing quote, or to the end of the text; doubled quotes count as two. */
static size_t quoted_bytes(str text)
{
    size_t i = 0;
    while (i < text.len && (text.at[i] != '"' || (i + 1 < text.len && text.at[i + 1] == '"')))
        i += text.at[i] == '"' ? 2 : 1;
    return i;
}

/* The text behind an opening quote, up to the closing one, doubled quotes made single. */
static str quoted_field(struct csv_reader *reader, struct arena *arena)
{
    reader->rest = str_from(reader->rest, 1);
    const str raw = {reader->rest.at, quoted_bytes(reader->rest)};
    char *text = arena_alloc(arena, raw.len);
    size_t len = 0;
    for (size_t i = 0; i < raw.len; i++) {
        reader->next += raw.at[i] == '\n';
        text[len++] = raw.at[i];
        i += raw.at[i] == '"';
    }
    reader->rest = str_from(reader->rest, raw.len + 1);
    plain_field(reader); /* what stands between the quote and the comma is no part of the field */
    return (str){text, len};
}

static str next_field(struct csv_reader *reader, struct arena *arena)
{
    return str_starts(reader->rest, S("\"")) ? quoted_field(reader, arena) : plain_field(reader);
}

/* Doubles the room of a row. */
static str *grow(struct arena *arena, const str *fields, uint32_t count)
{
    str *more = arena_array(arena, (size_t)count * 2, sizeof *more);
    memcpy(more, fields, count * sizeof *more);
    return more;
}

bool csv_next(struct csv_reader *reader, struct arena *arena, struct csv_row *row)
{
    while (take_line_end(reader))
        ;
    if (!reader->rest.len)
        return false;
    reader->line = reader->next;
    const str start = reader->rest;
    uint32_t room = reader->fields ? reader->fields : 8, count = 0; /* rows of a table are as long as one another */
    str *fields = arena_array(arena, room, sizeof *fields);
    for (;;) {
        if (count == room) {
            fields = grow(arena, fields, count);
            room *= 2;
        }
        fields[count++] = next_field(reader, arena);
        if (!str_starts(reader->rest, S(",")))
            break;
        reader->rest = str_from(reader->rest, 1);
    }
    const str text = {start.at, start.len - reader->rest.len};
    reader->whole = take_line_end(reader);
    reader->fields = count;
    *row = (struct csv_row){fields, count, text};
    return true;
}

str csv_field(const struct csv_row *row, uint32_t column)
{
    return column < row->count ? row->fields[column] : S("");
}

uint32_t csv_column(const struct csv_row *header, str name)
{
    for (uint32_t i = 0; i < header->count; i++)
        if (str_eq(str_trim(header->fields[i]), name))
            return i;
    return UINT32_MAX;
}
