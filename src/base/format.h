/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printf that obeys no locale: a decimal point is a point, also in a host program that asked for decimal commas. All
 * text with numbers in it is made here (str_printf, buf_printf, writer_printf and fail are faces of it).
 */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As snprintf and vsnprintf. */
int format_text(char *room, size_t room_bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
int format_text_v(char *room, size_t room_bytes, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
