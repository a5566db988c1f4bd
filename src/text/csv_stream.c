/* SPDX-License-Identifier: Apache-2.0 */
#include "csv_stream.h"

#include "base/error.h"
#include "base/mem.h"
#include "io/source.h"

/*
 * What is read at a time. A row that ends with the block may go on in the next: it is read again with as much text
 * more, so that a long row costs no more than a few readings; but not for ever.
 */
enum { BLOCK_BYTES = 1 << 20, MOST_BYTES = 1 << 26 };

struct csv_stream {
    struct source *source;
    struct arena own, block; /* the header; the rows of the current block */
    char *text;
    size_t bytes, room;
    bool ended, too_long;
    struct csv_reader reader;
    struct csv_row header;
};

/* Keeps what is still to be read and adds about as much again, a block at least. */
static void read_more(struct csv_stream *stream)
{
    const size_t kept = stream->reader.rest.len;
    const size_t wanted = kept + (kept > BLOCK_BYTES ? kept : BLOCK_BYTES);
    if (kept)
        memmove(stream->text, stream->reader.rest.at, kept);
    stream->text = mem_grow(stream->text, &stream->room, wanted, 1);
    stream->bytes = kept;
    size_t got;
    while (stream->bytes < wanted &&
           (got = source_read(stream->source, stream->text + stream->bytes, wanted - stream->bytes)) > 0)
        stream->bytes += got;
    stream->too_long = kept > MOST_BYTES;
    stream->ended = stream->bytes < wanted || stream->too_long;
    stream->reader.rest = (str){stream->text, stream->bytes};
}

bool csv_stream_next(struct csv_stream *stream, struct csv_row *row, uint32_t *line)
{
    for (;;) {
        const struct csv_reader before = stream->reader;
        const bool found = csv_next(&stream->reader, &stream->block, row);
        *line = stream->reader.line;
        if (stream->ended || (found && stream->reader.whole))
            return found && !stream->too_long;
        if (found)
            stream->reader = before;
        arena_free(&stream->block);
        read_more(stream);
    }
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
    read_more(stream);
    stream->reader = csv_reader(stream->reader.rest);
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
