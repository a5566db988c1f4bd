/* SPDX-License-Identifier: Apache-2.0 */
#include "out.h"

#include <errno.h>
#include <unistd.h>

/* ---- bytes ---- */

static bool write_all(struct out *out, const unsigned char *at, size_t bytes)
{
    while (bytes && !out->error) {
        const ssize_t done = write(out->fd, at, bytes);
        if (done < 0 && errno != EINTR)
            out->error = errno;
        else if (done > 0) {
            at += done;
            bytes -= (size_t)done;
            out->bytes += (uint64_t)done;
        }
    }
    return !out->error;
}

void out_begin(struct out *out)
{
    unsigned char header[CUDAFILE_HEADER];
    memcpy(header, CUDAFILE_MAGIC, CUDAFILE_MAGIC_BYTES);
    header[CUDAFILE_MAGIC_BYTES] = CUDAFILE_VERSION;
    write_all(out, header, sizeof header);
}

/* ---- sections ---- */

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

void out_flush(struct out *out)
{
    if (!out->rows)
        return;
    put_u32(out->head, CUDAFILE_TAG);
    put_u32(out->head + 4, out->filled);
    put_u32(out->head + 8, out->rows);
    put_u32(out->head + 12, cudafile_check(out->payload, out->filled));
    /* head and payload lie side by side: one write, so that a kill leaves either all of a section or its beginning */
    _Static_assert(offsetof(struct out, payload) == offsetof(struct out, head) + CUDAFILE_SECTION, "side by side");
    if (!write_all(out, out->head, CUDAFILE_SECTION + out->filled))
        out->unwritten += out->records;
    out->filled = out->rows = out->records = 0;
    out->last_ns = out->last_correlation = 0;
}

/* ---- rows ---- */

enum { LENGTH = 3 }; /* bytes for the length of a row: it is told with all of them, also where it is short */

_Static_assert(CUDAFILE_ROW_MOST < 1 << 21, "three bytes of a varint hold it");
_Static_assert(OUT_FULL + CUDAFILE_ROW_MOST + LENGTH <= CUDAFILE_PAYLOAD_MOST, "a row has room");

void row_begin(struct out *out, enum cudafile_row kind)
{
    if (out->filled >= OUT_FULL)
        out_flush(out);
    out->row = out->payload + out->filled + 1;
    *out->row++ = (unsigned char)kind;
}

void row_bytes(struct out *out, const char *text, size_t bytes)
{
    memcpy(out->row, text, bytes);
    out->row += bytes;
}

void row_end(struct out *out)
{
    unsigned char *const start = out->payload + out->filled;
    const size_t bytes = (size_t)(out->row - start) - 1;
    size_t length = 1;
    if (bytes > 0x7F) { /* few are: texts, and deep stacks */
        memmove(start + LENGTH, start + 1, bytes);
        start[0] = (unsigned char)(bytes | 0x80);
        start[1] = (unsigned char)(bytes >> 7 | 0x80);
        start[2] = (unsigned char)(bytes >> 14);
        length = LENGTH;
    } else {
        start[0] = (unsigned char)bytes;
    }
    out->filled += (uint32_t)(length + bytes);
    out->rows++;
}
