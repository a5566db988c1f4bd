/* SPDX-License-Identifier: Apache-2.0 */
#include "base91.h"

enum { BASE = 91, PAIR_BITS = 13, ONE_BITS = 6, PIECE = 4096 };

static const char letters[BASE + 1] =
    "!\"#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

struct pen {
    struct buf *buf;
    char piece[PIECE];
    size_t made;
};

static void put(struct pen *pen, unsigned letter)
{
    if (pen->made == PIECE) {
        buf_add(pen->buf, (str){pen->piece, PIECE});
        pen->made = 0;
    }
    pen->piece[pen->made++] = letters[letter];
}

void base91_add(struct buf *buf, str bytes)
{
    struct pen pen = {.buf = buf};
    unsigned bits = 0, count = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        bits |= (unsigned)(unsigned char)bytes.at[i] << count;
        count += 8;
        if (count < PAIR_BITS)
            continue;
        const unsigned pair = bits & ((1u << PAIR_BITS) - 1);
        put(&pen, pair / BASE);
        put(&pen, pair % BASE);
        bits >>= PAIR_BITS;
        count -= PAIR_BITS;
    }
    if (count > ONE_BITS)
        put(&pen, bits / BASE);
    if (count)
        put(&pen, bits % BASE);
    buf_add(buf, (str){pen.piece, pen.made});
}
