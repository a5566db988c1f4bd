/* SPDX-License-Identifier: Apache-2.0 */
/* zstd: one frame or several behind one another. A frame that asks for more than the library's 128 MiB is refused. */
#include <zstd.h>

#include "base/mem.h"
#include "pack.h"
#include "unpack.h"

struct frames {
    ZSTD_DStream *stream;
    bool in_frame; /* the last frame is not whole yet */
};

static void *frames_open(void)
{
    struct frames *frames = mem_zeroed(sizeof *frames);
    frames->stream = ZSTD_createDStream();
    if (!frames->stream)
        mem_alloc(SIZE_MAX); /* it fails for lack of memory alone */
    return frames;
}

static void frames_close(void *state)
{
    struct frames *frames = state;
    ZSTD_freeDStream(frames->stream);
    mem_free(frames);
}

static const char *unpack_step(struct frames *frames, struct packed *packed, bool more, ZSTD_outBuffer *out)
{
    ZSTD_inBuffer in = {packed->block, packed->end, packed->at};
    const size_t before = out->pos;
    const size_t left = ZSTD_decompressStream(frames->stream, out, &in);
    packed->at = in.pos;
    frames->in_frame = left != 0;
    if (ZSTD_isError(left))
        return "the zstd data is damaged";
    return !more && frames->in_frame && out->pos == before ? "the zstd data breaks off" : NULL;
}

static size_t frames_read(void *state, struct packed *packed, unsigned char *into, size_t room, const char **damage)
{
    struct frames *frames = state;
    ZSTD_outBuffer out = {into, room, 0};
    while (out.pos < room && !*damage) {
        const bool more = packed_more(packed);
        if (!more && !frames->in_frame)
            break;
        *damage = unpack_step(frames, packed, more, &out);
    }
    return out.pos;
}

const struct unpacker unpack_zstd = {"\x28\xb5\x2f\xfd", 4, false, frames_open, frames_read, frames_close};

/* ---- packing ---- */

enum { LEVEL = 15 };

void pack_zstd(str bytes, struct buf *into)
{
    const size_t room = ZSTD_compressBound(bytes.len);
    char *const packed = mem_alloc(room);
    ZSTD_CCtx *const context = ZSTD_createCCtx();
    if (!context)
        mem_alloc(SIZE_MAX); /* it fails for lack of memory alone */
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t count = ZSTD_compress2(context, packed, room, bytes.at, bytes.len);
    if (ZSTD_isError(count))
        mem_alloc(SIZE_MAX); /* with room for the worst case it fails for lack of memory alone */
    buf_add(into, (str){packed, count});
    ZSTD_freeCCtx(context);
    mem_free(packed);
}
