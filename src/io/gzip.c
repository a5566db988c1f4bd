/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip, in: one member or several behind one another; and out: one. ISA-L inflates two to three
 * times as fast as zlib, which is used where ISA-L is absent.
 */
#include "pack.h"
#include "unpack.h"

#include "base/mem.h"

enum { PACKED_PIECE = 64 << 10 };

/* What inflating a piece came to. */
enum outcome { INFLATED, MEMBER_ENDED, DAMAGED };

#ifdef HAVE_ISAL
#include <isa-l.h>

struct inflater {
    struct inflate_state stream;
};

static void inflater_start(struct inflater *inflater)
{
    isal_inflate_init(&inflater->stream);
    inflater->stream.crc_flag = ISAL_GZIP;
}

static void inflater_end(struct inflater *inflater)
{
    (void)inflater;
}

static enum outcome inflate_piece(struct inflater *inflater, struct packed *packed, unsigned char **into, size_t *room)
{
    struct inflate_state *const s = &inflater->stream;
    s->next_in = packed->block + packed->at;
    s->avail_in = (uint32_t)(packed->end - packed->at);
    s->next_out = *into;
    s->avail_out = (uint32_t)*room;
    const int status = isal_inflate(s);
    packed->at = packed->end - s->avail_in;
    *into = s->next_out;
    *room = s->avail_out;
    if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT && status != ISAL_OUT_OVERFLOW)
        return DAMAGED;
    return s->block_state == ISAL_BLOCK_FINISH ? MEMBER_ENDED : INFLATED;
}

struct packer {
    struct writer *out;
    struct isal_zstream stream;
    uint8_t level_space[ISAL_DEF_LVL1_DEFAULT];
    uint8_t piece[PACKED_PIECE];
};

static void packer_start(struct packer *packer)
{
    isal_deflate_init(&packer->stream);
    packer->stream.gzip_flag = IGZIP_GZIP;
    packer->stream.level = 1;
    packer->stream.level_buf = packer->level_space;
    packer->stream.level_buf_size = sizeof packer->level_space;
}

static void packer_end(struct packer *packer)
{
    (void)packer;
}

/* Until all of it is taken, and at the end until all is out. */
static void deflate_all(struct packer *packer, str text, bool last)
{
    struct isal_zstream *const s = &packer->stream;
    s->next_in = (uint8_t *)text.at;
    s->avail_in = (uint32_t)text.len;
    s->end_of_stream = last;
    do {
        s->next_out = packer->piece;
        s->avail_out = sizeof packer->piece;
        isal_deflate(s);
        writer_put(packer->out, (str){(const char *)packer->piece, sizeof packer->piece - s->avail_out});
    } while (s->avail_out == 0);
}
#else
#include <zlib.h>

struct inflater {
    z_stream stream;
};

static void inflater_start(struct inflater *inflater)
{
    inflater->stream = (z_stream){0};
    if (inflateInit2(&inflater->stream, 15 + 16) != Z_OK)
        mem_alloc(SIZE_MAX); /* it fails for lack of memory alone */
}

static void inflater_end(struct inflater *inflater)
{
    inflateEnd(&inflater->stream);
}

static enum outcome inflate_piece(struct inflater *inflater, struct packed *packed, unsigned char **into, size_t *room)
{
    z_stream *const s = &inflater->stream;
    s->next_in = packed->block + packed->at;
    s->avail_in = (uInt)(packed->end - packed->at);
    s->next_out = *into;
    s->avail_out = (uInt)*room;
    const int status = inflate(s, Z_NO_FLUSH);
    packed->at = packed->end - s->avail_in;
    *into = s->next_out;
    *room = s->avail_out;
    if (status == Z_STREAM_END)
        return MEMBER_ENDED;
    return status == Z_OK || status == Z_BUF_ERROR ? INFLATED : DAMAGED;
}

struct packer {
    struct writer *out;
    z_stream stream;
    unsigned char piece[PACKED_PIECE];
};

static void packer_start(struct packer *packer)
{
    if (deflateInit2(&packer->stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        mem_alloc(SIZE_MAX); /* it fails for lack of memory alone */
}

static void packer_end(struct packer *packer)
{
    deflateEnd(&packer->stream);
}

/* Until all of it is taken, and at the end until all is out. */
static void deflate_all(struct packer *packer, str text, bool last)
{
    z_stream *const s = &packer->stream;
    s->next_in = (unsigned char *)text.at;
    s->avail_in = (uInt)text.len;
    do {
        s->next_out = packer->piece;
        s->avail_out = sizeof packer->piece;
        deflate(s, last ? Z_FINISH : Z_NO_FLUSH);
        writer_put(packer->out, (str){(const char *)packer->piece, sizeof packer->piece - s->avail_out});
    } while (s->avail_out == 0);
}
#endif

struct gzip {
    struct inflater inflater;
    bool in_member;
};

static void *gzip_open(void)
{
    struct gzip *gzip = mem_zeroed(sizeof *gzip);
    inflater_start(&gzip->inflater);
    gzip->in_member = true;
    return gzip;
}

static void gzip_close(void *state)
{
    struct gzip *gzip = state;
    inflater_end(&gzip->inflater);
    mem_free(gzip);
}

/* Behind a member: another one, the end, or bytes that belong to nothing. Zeros are padding of tapes and blocks. */
static bool next_member(struct gzip *gzip, struct packed *packed, const char **damage)
{
    while (packed_more(packed) && packed->block[packed->at] == 0)
        packed->at++;
    if (!packed_more(packed))
        return false;
    if (packed->block[packed->at] != 0x1f) {
        *damage = "bytes that are not gzip follow the gzip data";
        return false;
    }
    inflater_end(&gzip->inflater);
    inflater_start(&gzip->inflater);
    return gzip->in_member = true;
}

/* One step inside a member. With no input left, what the inflater still holds comes out first. */
static const char *inflate_step(struct gzip *gzip, struct packed *packed, unsigned char **into, size_t *room)
{
    const bool more = packed_more(packed);
    const size_t before = *room;
    const enum outcome outcome = inflate_piece(&gzip->inflater, packed, into, room);
    gzip->in_member = outcome == INFLATED;
    if (outcome == DAMAGED)
        return "the gzip data is damaged";
    return !more && gzip->in_member && *room == before ? "the gzip data breaks off" : NULL;
}

static size_t gzip_read(void *state, struct packed *packed, unsigned char *into, size_t room, const char **damage)
{
    struct gzip *gzip = state;
    unsigned char *at = into;
    while (room && !*damage && (gzip->in_member || next_member(gzip, packed, damage)))
        *damage = inflate_step(gzip, packed, &at, &room);
    return (size_t)(at - into);
}

const struct unpacker unpack_gzip = {"\x1f\x8b\x08", 3, true, gzip_open, gzip_read, gzip_close};

/* ---- out ---- */

struct packer *pack_gzip(struct writer *out)
{
    struct packer *packer = mem_zeroed(sizeof *packer);
    packer->out = out;
    packer_start(packer);
    return packer;
}

void pack_put(struct packer *packer, str text)
{
    enum { MOST_AT_ONCE = 1 << 30 }; /* both libraries count in 32 bits */
    for (; text.len > MOST_AT_ONCE; text = str_from(text, MOST_AT_ONCE))
        deflate_all(packer, (str){text.at, MOST_AT_ONCE}, false);
    deflate_all(packer, text, false);
}

void pack_close(struct packer *packer)
{
    deflate_all(packer, S(""), true);
    packer_end(packer);
    mem_free(packer);
}
