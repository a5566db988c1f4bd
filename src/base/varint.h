/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers without a sign as few bytes: seven bits a byte, the lowest first, the eighth bit set in all bytes but the last. */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <stdint.h>

#include "buf.h"

static inline void varint_put(struct buf *into, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        buf_char(into, (char)(value | 0x80));
    buf_char(into, (char)value);
}

/* Of bytes that varint_put wrote; *at moves behind it. */
static inline uint64_t varint_get(const uint8_t **at)
{
    uint64_t value = 0;
    int shift = 0;
    for (; **at & 0x80; shift += 7)
        value |= (uint64_t)(*(*at)++ & 0x7F) << shift;
    return value | (uint64_t) * (*at)++ << shift;
}

#endif
