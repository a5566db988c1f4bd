/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer for text under construction. A zeroed struct is empty; buf_free releases it. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "str.h"

struct buf {
    char *at;
    size_t len, room;
};

void buf_add(struct buf *buf, str text);
void buf_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A paragraph broken at blanks, and an empty line behind it. */
void buf_paragraph(struct buf *buf, str text, size_t width);
void buf_clear(struct buf *buf);
void buf_free(struct buf *buf);

static inline str buf_str(const struct buf *buf)
{
    return (str){buf->at, buf->len};
}

#endif
