/* SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include <stdbool.h>

/* Bytes that the first byte announces; 0 for one that begins nothing. */
static size_t announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC2)
        return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

size_t utf8_length(const char *at, size_t len)
{
    const unsigned char *s = (const unsigned char *)at;
    const size_t need = announced(s[0]);
    if (need > len)
        return 0;
    for (size_t i = 1; i < need; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    const bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    const bool outside = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return overlong || outside ? 0 : need;
}

uint32_t utf8_character(const char *at, size_t length)
{
    static const unsigned char payload[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t c = (unsigned char)at[0] & payload[length];
    for (size_t i = 1; i < length; i++)
        c = c << 6 | ((unsigned char)at[i] & 0x3F);
    return c;
}

size_t utf16_units(const char *at, size_t len)
{
    size_t units = 0;
    for (size_t i = 0; i < len;) {
        const size_t bytes = utf8_length(at + i, len - i);
        units += bytes == 4 ? 2 : 1;
        i += bytes ? bytes : 1;
    }
    return units;
}
