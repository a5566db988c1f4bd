/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text as pointer and length, by value. A str owns nothing and need not end in
 * NUL; it lives as long as what it points into. NUL appears only at the edge to
 * the operating system (str_z).
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"

typedef struct {
    const char *at;
    size_t len;
} str;

/* A literal, its length known at compile time. */
#define S(literal) ((str){"" literal, sizeof(literal) - 1})

static inline str str_of(const char *z)
{
    return (str){z, z ? strlen(z) : 0};
}

static inline bool str_eq(str a, str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static inline bool str_starts(str s, str prefix)
{
    return s.len >= prefix.len && memcmp(s.at, prefix.at, prefix.len) == 0;
}

static inline bool str_ends(str s, str suffix)
{
    return s.len >= suffix.len && memcmp(s.at + s.len - suffix.len, suffix.at, suffix.len) == 0;
}

/* The part from `from` (clamped) to the end. An empty text may have no address, to which nothing may be added. */
static inline str str_from(str s, size_t from)
{
    from = from < s.len ? from : s.len;
    return (str){from ? s.at + from : s.at, s.len - from};
}

static inline char char_lower(char c) /* ASCII */
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static inline bool char_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline bool char_is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

int str_cmp(str a, str b);            /* bytewise, shorter first on a common prefix */
bool str_has(str s, str part);        /* contains */
bool str_has_nocase(str s, str part); /* contains, ASCII case ignored */
bool str_starts_nocase(str s, str prefix);
str str_trim(str s);                                /* without ASCII blanks at either end */
bool str_cut(str *rest, char separator, str *part); /* takes the next part; false when nothing is left */
bool str_is_among(const char *words, str word);     /* words have single spaces between them */
bool str_int(str s, int64_t *value);                /* whole text as a decimal integer, no overflow */
str str_copy(struct arena *arena, str s);           /* the copy is also NUL-terminated */
const char *str_z(struct arena *arena, str s);      /* the same, as a C string */
str str_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Fit for a terminal or a log: control characters (C0, DEL, C1), marks that turn
 * the direction of text, and broken UTF-8 are shown as \n, \x1b, \u202e and the
 * like; everything else is kept.
 */
str str_printable(struct arena *arena, str s);

#endif
