/* SPDX-License-Identifier: Apache-2.0 */
#include "base64.h"

enum { PIECE = 3 * 1024 };

static size_t encode(const unsigned char *at, size_t len, char *to)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t made = 0;
    for (size_t i = 0; i < len; i += 3) {
        const size_t have = len - i < 3 ? len - i : 3;
        const unsigned bits =
            (unsigned)at[i] << 16 | (have > 1 ? (unsigned)at[i + 1] << 8 : 0) | (have > 2 ? (unsigned)at[i + 2] : 0);
        to[made++] = letters[bits >> 18];
        to[made++] = letters[bits >> 12 & 63];
        to[made++] = have > 1 ? letters[bits >> 6 & 63] : '=';
        to[made++] = have > 2 ? letters[bits & 63] : '=';
    }
    return made;
}

void base64_add(struct buf *buf, str bytes)
{
    char piece[PIECE / 3 * 4];
    for (size_t i = 0; i < bytes.len; i += PIECE) {
        const size_t len = bytes.len - i < PIECE ? bytes.len - i : PIECE;
        buf_add(buf, (str){piece, encode((const unsigned char *)bytes.at + i, len, piece)});
    }
}
