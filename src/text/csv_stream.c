/* SPDX-License-Identifier: Apache-2.0 */
#include "text/csv_stream.h"

#include "base/error.h"
#include "base/mem.h"
#include "io/source.h"

/* What is read at a time. A row never spans two blocks, so a block grows until it holds a whole one; but not for ever. */
enum { BLOCK_BYTES = 1 << 20, MOST_BYTES = 1 << 26 };

struct csv_stream {
    struct source *source;
    struct arena own, block; /* the header; the rows of the block at hand */
    char *text;
    size_t bytes, room;
    size_t whole; /* bytes of text that are whole rows */
    bool ended, too_long;
    struct csv_reader reader;
    uint32_t lines_before; /* of the blocks that are gone */
    struct csv_row header;
};

/* Where the row at hand stands, as csv_reader has it: a quote opens only at the start of a field. */
struct place {
    bool quoted, field_begins;
};

static struct place behind(struct place place, char c)
{
    if (place.quoted)
        return (struct place){c != '"', false};
    if (c == '"' && place.field_begins)
        return (struct place){true, false};
    return (struct place){false, c == ',' || c == '\n'};
}

/*
 * Bytes up to the end of the last row that is whole. A doubled quote closes a field and at once opens it again: the
 * second is then no start of a field, but only line ends are asked for, and between the two there is none.
 */
static size_t whole_rows(const char *text, size_t bytes)
{
    size_t end = 0;
    struct place place = {false, true};
    for (size_t i = 0; i < bytes; i++) {
        const bool doubled = place.quoted && text[i] == '"' && i + 1 < bytes && text[i + 1] == '"';
        if (doubled) {
            i++;
            continue;
        }
        place = behind(place, text[i]);
        if (text[i] == '\n' && !place.quoted)
            end = i + 1;
    }
    return end;
}

/* Up to BLOCK_BYTES more; false at the end of the file. */
static bool read_more(struct csv_stream *stream)
{
    stream->text = mem_grow(stream->text, &stream->room, stream->bytes + BLOCK_BYTES, 1);
    const size_t before = stream->bytes;
    size_t got;
    while (stream->bytes < before + BLOCK_BYTES &&
           (got = source_read(stream->source, stream->text + stream->bytes, before + BLOCK_BYTES - stream->bytes)) > 0)
        stream->bytes += got;
    return stream->bytes == before + BLOCK_BYTES;
}

/* False where nothing is left. */
static bool next_block(struct csv_stream *stream)
{
    if (stream->text)
        memmove(stream->text, stream->text + stream->whole, stream->bytes - stream->whole);
    stream->bytes -= stream->whole;
    stream->whole = 0;
    while (!stream->whole && !stream->ended) {
        stream->ended = !read_more(stream);
        stream->whole = stream->ended ? stream->bytes : whole_rows(stream->text, stream->bytes);
        stream->too_long = !stream->whole && stream->bytes > MOST_BYTES;
        stream->ended |= stream->too_long;
    }
    stream->lines_before += stream->reader.next ? stream->reader.next - 1 : 0;
    stream->reader = csv_reader((str){stream->text, stream->whole});
    return stream->whole > 0;
}

bool csv_stream_next(struct csv_stream *stream, struct csv_row *row, uint32_t *line)
{
    while (!csv_next(&stream->reader, &stream->block, row)) {
        if (stream->ended)
            return false;
        arena_free(&stream->block);
        if (!next_block(stream))
            return false;
    }
    *line = stream->lines_before + stream->reader.line;
    return true;
}

/* The header outlives its block. */
static void keep_header(struct csv_stream *stream, const struct csv_row *row)
{
    str *names = arena_array(&stream->own, row->count, sizeof *names);
    for (uint32_t i = 0; i < row->count; i++)
        names[i] = str_copy(&stream->own, row->fields[i]);
    stream->header = (struct csv_row){names, row->count, str_copy(&stream->own, row->text)};
}

struct csv_stream *csv_stream_open(const char *path, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return NULL;
    struct csv_stream *stream = mem_zeroed(sizeof *stream);
    stream->source = source;
    struct csv_row header;
    uint32_t line;
    if (csv_stream_next(stream, &header, &line)) {
        keep_header(stream, &header);
        return stream;
    }
    if (csv_stream_close(stream, err))
        fail_at(err, STEPTIME_INPUT, str_of(path), -1, "it is empty; a table was expected");
    return NULL;
}

const struct csv_row *csv_stream_header(const struct csv_stream *stream)
{
    return &stream->header;
}

bool csv_stream_close(struct csv_stream *stream, struct steptime_error *err)
{
    const char *damage = source_damage(stream->source);
    if (!damage && stream->too_long)
        damage = "a row of more than 64 MiB: no table";
    if (damage)
        fail_at(err, STEPTIME_INPUT, str_of(source_path(stream->source)), -1, "%s", damage);
    source_close(stream->source);
    arena_free(&stream->own);
    arena_free(&stream->block);
    mem_free(stream->text);
    mem_free(stream);
    return !damage;
}
