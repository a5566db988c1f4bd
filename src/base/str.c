/* SPDX-License-Identifier: Apache-2.0 */
#include "str.h"

#include <stdarg.h>

#include "format.h"
#include "utf8.h"

int str_cmp(str a, str b)
{
    const size_t shared = a.len < b.len ? a.len : b.len;
    const int order = shared ? memcmp(a.at, b.at, shared) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool str_has(str s, str part)
{
    return part.len == 0 || (s.len >= part.len && memmem(s.at, s.len, part.at, part.len));
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_starts_nocase(str s, str prefix)
{
    if (s.len < prefix.len)
        return false;
    for (size_t i = 0; i < prefix.len; i++)
        if (lower(s.at[i]) != lower(prefix.at[i]))
            return false;
    return true;
}

bool str_has_nocase(str s, str part)
{
    for (; s.len >= part.len; s = str_from(s, 1)) {
        if (str_starts_nocase(s, part))
            return true;
        if (!s.len)
            break;
    }
    return false;
}

str str_trim(str s)
{
    while (s.len && char_is_blank(s.at[0]))
        s = str_from(s, 1);
    while (s.len && char_is_blank(s.at[s.len - 1]))
        s.len--;
    return s;
}

bool str_cut(str *rest, char separator, str *part)
{
    if (!rest->at)
        return false;
    const char *end = rest->len ? memchr(rest->at, separator, rest->len) : NULL;
    if (!end) {
        *part = *rest;
        *rest = (str){0};
        return true;
    }
    *part = (str){rest->at, (size_t)(end - rest->at)};
    *rest = str_from(*rest, part->len + 1);
    return true;
}

bool str_is_among(const char *words, str word)
{
    for (const char *at = words, *end; *at && word.len; at = *end ? end + 1 : end) {
        end = strchrnul(at, ' ');
        if ((size_t)(end - at) == word.len && !memcmp(at, word.at, word.len))
            return true;
    }
    return false;
}

bool str_int(str s, int64_t *value)
{
    const bool negative = s.len && s.at[0] == '-';
    if (negative)
        s = str_from(s, 1);
    if (!s.len)
        return false;
    int64_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        const int digit = s.at[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(n, 10, &n) ||
            __builtin_sub_overflow(n, digit, &n)) /* negative side: INT64_MIN fits */
            return false;
    }
    if (!negative && n == INT64_MIN)
        return false;
    *value = negative ? n : -n;
    return true;
}

str str_copy(struct arena *arena, str s)
{
    char *copy = arena_alloc(arena, s.len + 1);
    if (s.len)
        memcpy(copy, s.at, s.len);
    return (str){copy, s.len};
}

const char *str_z(struct arena *arena, str s)
{
    return str_copy(arena, s).at;
}

str str_printf(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = format_text_v(NULL, 0, format, args);
    va_end(args);
    char *text = arena_alloc(arena, (size_t)(len > 0 ? len : 0) + 1);
    if (len > 0)
        format_text_v(text, (size_t)len + 1, format, again);
    va_end(again);
    return (str){text, (size_t)(len > 0 ? len : 0)};
}

static bool control(const unsigned char *s, size_t len)
{
    return s[0] < 0x20 || s[0] == 0x7F || (len == 2 && s[0] == 0xC2 && s[1] < 0xA0);
}

/* Marks after which a terminal shows what follows in another order: a name could look like another one. 0: it is none. */
static unsigned bidirectional(const unsigned char *s, size_t len)
{
    if (len != 2 && len != 3)
        return 0;
    const unsigned code =
        len == 2 ? (s[0] & 31U) << 6 | (s[1] & 63U) : (s[0] & 15U) << 12 | (s[1] & 63U) << 6 | (s[2] & 63U);
    const bool turns = code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                       (code >= 0x2066 && code <= 0x2069);
    return turns ? code : 0;
}

static size_t escape_code(char *out, unsigned code)
{
    static const char hex[] = "0123456789abcdef";
    const char text[6] = {'\\', 'u', hex[code >> 12], hex[code >> 8 & 15], hex[code >> 4 & 15], hex[code & 15]};
    memcpy(out, text, sizeof text);
    return sizeof text;
}

static size_t escape(char *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    const char *plain = c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : NULL;
    if (plain) {
        memcpy(out, plain, 2);
        return 2;
    }
    const char text[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
    memcpy(out, text, 4);
    return 4;
}

str str_printable(struct arena *arena, str s)
{
    char *out = arena_alloc(arena, s.len * 4 + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len;) {
        const unsigned char *at = (const unsigned char *)s.at + i;
        const size_t len = utf8_length(s.at + i, s.len - i);
        const unsigned turns = bidirectional(at, len);
        if (turns) {
            n += escape_code(out + n, turns);
            i += len;
        } else if (len && !control(at, len)) {
            memcpy(out + n, at, len);
            n += len;
            i += len;
        } else {
            n += escape(out + n, *at);
            i++;
        }
    }
    return (str){out, n};
}
