/* SPDX-License-Identifier: Apache-2.0 */
/* zlib, tightly: for what is written once and kept. */
#include <zlib.h>

#include "base/mem.h"
#include "pack.h"

enum {
    OUT_PIECE = 64 << 10,
    MOST_AT_ONCE = 1 << 30, /* zlib counts its input in 32 bits */
    TIGHT = 8,              /* of 9 levels; the last one takes half as long again, for a thousandth */
    LARGE = 4 << 20,        /* from so many bytes on the last percent is not worth twice the time */
    BLOCKS =
        6, /* of 4096 symbols, each with codes of its own: columns and texts differ. 3 % less than with its own choice */
};

static int level_for(const str *pieces, uint32_t count)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += pieces[i].len;
    return bytes < LARGE ? TIGHT : Z_DEFAULT_COMPRESSION;
}

static void deflate_piece(z_stream *stream, str piece, int flush, struct buf *into)
{
    char out[OUT_PIECE];
    stream->next_in = (unsigned char *)piece.at;
    stream->avail_in = (uInt)piece.len;
    do {
        stream->next_out = (unsigned char *)out;
        stream->avail_out = sizeof out;
        deflate(stream, flush);
        buf_add(into, (str){out, sizeof out - stream->avail_out});
    } while (stream->avail_out == 0);
}

void pack_deflate(const str *pieces, uint32_t count, struct buf *into)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, level_for(pieces, count), Z_DEFLATED, 15, BLOCKS, Z_DEFAULT_STRATEGY) != Z_OK)
        mem_alloc(SIZE_MAX); /* it fails for lack of memory alone */
    for (uint32_t i = 0; i < count; i++)
        for (size_t at = 0; at < pieces[i].len; at += MOST_AT_ONCE) {
            const size_t left = pieces[i].len - at;
            deflate_piece(&stream, (str){pieces[i].at + at, left < MOST_AT_ONCE ? left : MOST_AT_ONCE}, Z_NO_FLUSH,
                          into);
        }
    deflate_piece(&stream, (str){"", 0}, Z_FINISH, into);
    deflateEnd(&stream);
}
