/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as bytes: seven bits a byte, the lowest first; signed ones with the sign in the lowest bit. */
#ifndef PAGE_COLUMN_H
#define PAGE_COLUMN_H

#include "base/buf.h"

static inline void column_put(struct buf *column, uint64_t value)
{
    char bytes[10];
    size_t len = 0;
    for (; value > 127; value >>= 7)
        bytes[len++] = (char)(value | 128);
    bytes[len++] = (char)value;
    buf_add(column, (str){bytes, len});
}

static inline void column_put_signed(struct buf *column, int64_t value)
{
    column_put(column, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

#endif
