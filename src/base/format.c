/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

#include <stdio.h>

#include "plain_locale.h"

int format_text_v(char *room, size_t room_bytes, const char *format, va_list args)
{
    const locale_t before = uselocale(plain_locale());
    const int len = vsnprintf(room, room_bytes, format, args);
    uselocale(before);
    return len;
}

int format_text(char *room, size_t room_bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int len = format_text_v(room, room_bytes, format, args);
    va_end(args);
    return len;
}
