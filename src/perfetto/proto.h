/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of protocol buffers: a field is its number and kind, then a number or a length and so many bytes. */
#ifndef PERFETTO_PROTO_H
#define PERFETTO_PROTO_H

#include "base/varint.h"

static inline void proto_number(struct buf *message, uint32_t field, uint64_t value)
{
    varint_put(message, (uint64_t)field << 3);
    varint_put(message, value);
}

static inline void proto_bytes(struct buf *message, uint32_t field, str bytes)
{
    varint_put(message, (uint64_t)field << 3 | 2);
    varint_put(message, bytes.len);
    buf_add(message, bytes);
}

/* A message inside another; it is empty afterwards. */
static inline void proto_message(struct buf *message, uint32_t field, struct buf *inner)
{
    proto_bytes(message, field, buf_str(inner));
    buf_clear(inner);
}

/* Eight bytes, the lowest first. */
void proto_fixed(struct buf *message, uint32_t field, uint64_t value);

/* What is no UTF-8 is written as \xNN: readers refuse the whole message otherwise. */
void proto_text(struct buf *message, uint32_t field, str text);

#endif
