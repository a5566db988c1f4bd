/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of which every JSON reader here is made: each takes the address of
 * a byte and gives the address behind what it read, or NULL.
 *
 * The text ends with a NUL at its end and JSON_PAD readable bytes behind it.
 * NUL is no part of JSON, so no step needs to know the end: it stops there by
 * itself, and the stop is at the end or at a stray NUL, both of them wrong.
 *
 * Where SSE2 is present the two long scans look at 16 bytes at a time; their
 * scalar twins are always compiled, and tested to agree.
 */
#ifndef TEXT_JSON_SCAN_H
#define TEXT_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    JSON_PAD = 64,
    JSON_DEPTH = 512, /* deepest nesting that is followed */
};

/* What json_fixed gives for a number that an int64 cannot hold. */
#define JSON_FAR INT64_MIN

/* Behind blanks. Most gaps are none or one space, or a line break and an indent. */
static inline const char *json_blank(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
        at++;
    return at;
}

static inline const char *json_plain_scalar(const char *at)
{
    while ((signed char)*at >= ' ' && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* The first byte that is not plain inside a string: a quote, a backslash, a control character, or not ASCII. */
static inline const char *json_plain(const char *at)
{
#ifdef __SSE2__
    for (;; at += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')); /* signed: not ASCII too */
        const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        const __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
        const int stops = _mm_movemask_epi8(_mm_or_si128(low, _mm_or_si128(quote, slash)));
        if (stops)
            return at + __builtin_ctz((unsigned)stops);
    }
#else
    return json_plain_scalar(at);
#endif
}

static inline const char *json_mark_scalar(const char *at)
{
    while (*at && *at != '"' && (*at | 0x20) != '{' && (*at | 0x20) != '}')
        at++;
    return at;
}

/* The first bracket, brace, quote or NUL. */
static inline const char *json_mark(const char *at)
{
#ifdef __SSE2__
    for (;; at += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); /* [ and ] become { and } */
        const __m128i open = _mm_cmpeq_epi8(folded, _mm_set1_epi8('{'));
        const __m128i close = _mm_cmpeq_epi8(folded, _mm_set1_epi8('}'));
        const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        const __m128i nul = _mm_cmpeq_epi8(bytes, _mm_setzero_si128());
        const int stops = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(open, close), _mm_or_si128(quote, nul)));
        if (stops)
            return at + __builtin_ctz((unsigned)stops);
    }
#else
    return json_mark_scalar(at);
#endif
}

/* From behind the opening quote to the closing one; NULL and *wrong where the text is no JSON string. */
const char *json_string_end(const char *at, const char **wrong);

/* Behind any value; NULL and *wrong where it is none. Brackets must match; depth costs no stack. */
const char *json_value_end(const char *at, const char **wrong);

/*
 * A number as an integer count of 10^-decimals, decimals at most 9, rounded to
 * the nearest; exponents are understood. NULL and *wrong where there is no number.
 */
const char *json_fixed_slow(const char *at, int decimals, int64_t *value, const char **wrong);

static inline bool json_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* The same; the usual number, short and with at most that many decimals, is read here. */
static inline const char *json_fixed(const char *at, int decimals, int64_t *value, const char **wrong)
{
    const char *const start = at;
    const bool negative = *at == '-';
    at += negative;
    const char *const digits = at;
    uint64_t whole = 0;
    for (; json_is_digit(*at); at++)
        whole = whole * 10 + (unsigned)(*at - '0');
    const char *const point = at;
    int left = decimals;
    if (*at == '.')
        for (at++; left && json_is_digit(*at); at++, left--)
            whole = whole * 10 + (unsigned)(*at - '0');
    const bool odd = point == digits || point - digits > 19 - decimals || at == point + 1 || json_is_digit(*at) ||
                     (*digits == '0' && point - digits > 1) || (*at | 0x20) == 'e';
    if (__builtin_expect(odd, 0))
        return json_fixed_slow(start, decimals, value, wrong);
    for (; left; left--)
        whole *= 10;
    if (__builtin_expect((int64_t)whole < 0, 0))
        return json_fixed_slow(start, decimals, value, wrong);
    *value = negative ? -(int64_t)whole : (int64_t)whole;
    return at;
}

#endif
