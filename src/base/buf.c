/* SPDX-License-Identifier: Apache-2.0 */
#include "buf.h"

#include <stdarg.h>

#include "format.h"
#include "mem.h"

void buf_add(struct buf *buf, str text)
{
    if (!text.len)
        return;
    buf->at = mem_grow(buf->at, &buf->room, buf->len + text.len, 1);
    memcpy(buf->at + buf->len, text.at, text.len);
    buf->len += text.len;
}

void buf_char(struct buf *buf, char c)
{
    buf_add(buf, (str){&c, 1});
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = format_text_v(NULL, 0, format, args);
    va_end(args);
    if (len > 0) {
        buf->at = mem_grow(buf->at, &buf->room, buf->len + (size_t)len + 1, 1);
        format_text_v(buf->at + buf->len, (size_t)len + 1, format, again);
        buf->len += (size_t)len;
    }
    va_end(again);
}

void buf_paragraph(struct buf *buf, str text, size_t width)
{
    size_t column = 0;
    for (str word; str_cut(&text, ' ', &word);) {
        if (column && column + 1 + word.len > width) {
            buf_char(buf, '\n');
            column = 0;
        } else if (column) {
            buf_char(buf, ' ');
            column++;
        }
        buf_add(buf, word);
        column += word.len;
    }
    buf_add(buf, S("\n\n"));
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
}

void buf_free(struct buf *buf)
{
    mem_free(buf->at);
    *buf = (struct buf){0};
}
