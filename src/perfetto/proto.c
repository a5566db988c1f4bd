/* SPDX-License-Identifier: Apache-2.0 */
#include "proto.h"

#include "base/utf8.h"

void proto_fixed(struct buf *message, uint32_t field, uint64_t value)
{
    varint_put(message, (uint64_t)field << 3 | 1);
    for (int shift = 0; shift < 64; shift += 8)
        buf_char(message, (char)(value >> shift & 0xFF));
}

static bool is_utf8(str text)
{
    for (size_t at = 0; at < text.len;) {
        const size_t length = utf8_length(text.at + at, text.len - at);
        if (!length)
            return false;
        at += length;
    }
    return true;
}

void proto_text(struct buf *message, uint32_t field, str text)
{
    struct arena scratch = {0};
    proto_bytes(message, field, is_utf8(text) ? text : str_printable(&scratch, text));
    arena_free(&scratch);
}
