/* SPDX-License-Identifier: Apache-2.0 */
/* xz: one stream or several behind one another, where liblzma is there. A stream that asks for more than 128 MiB is refused. */
#ifdef HAVE_LZMA
#include <lzma.h>

#include "base/mem.h"
#include "unpack.h"

static const uint64_t most_bytes = (uint64_t)128 << 20; /* as zstd; xz -9 takes 65 MiB */

struct streams {
    lzma_stream stream;
    bool ended;
};

static void *streams_open(void)
{
    struct streams *streams = mem_zeroed(sizeof *streams);
    if (lzma_stream_decoder(&streams->stream, most_bytes, LZMA_CONCATENATED) != LZMA_OK)
        mem_alloc(SIZE_MAX); /* it fails for lack of memory alone */
    return streams;
}

static void streams_close(void *state)
{
    struct streams *streams = state;
    lzma_end(&streams->stream);
    mem_free(streams);
}

static const char *damage_of(lzma_ret outcome)
{
    switch (outcome) {
    case LZMA_OK:
    case LZMA_STREAM_END:
        return NULL;
    case LZMA_MEM_ERROR:
        mem_alloc(SIZE_MAX);
        return NULL;
    case LZMA_MEMLIMIT_ERROR:
        return "the xz data asks for more than 128 MiB to unpack";
    case LZMA_BUF_ERROR:
        return "the xz data breaks off";
    default:
        return "the xz data is damaged";
    }
}

static size_t streams_read(void *state, struct packed *packed, unsigned char *into, size_t room, const char **damage)
{
    struct streams *streams = state;
    lzma_stream *s = &streams->stream;
    s->next_out = into;
    s->avail_out = room;
    while (s->avail_out && !streams->ended && !*damage) {
        const bool more = packed_more(packed);
        s->next_in = packed->block + packed->at;
        s->avail_in = packed->end - packed->at;
        const lzma_ret outcome = lzma_code(s, more ? LZMA_RUN : LZMA_FINISH);
        packed->at = packed->end - s->avail_in;
        streams->ended = outcome == LZMA_STREAM_END;
        *damage = damage_of(outcome);
    }
    return room - s->avail_out;
}

const struct unpacker unpack_xz = {"\3757zX", 4, false, streams_open, streams_read, streams_close};
#else
typedef int without_liblzma; /* a file of C holds something */
#endif
