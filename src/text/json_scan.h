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
    JSON_PAD = 128,
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

/*
 * Where the array or object at `at` ends, if it is one: told by its quotes and
 * brackets alone, 32 bytes at a time. NULL where that cannot be told so: a
 * backslash or the end of the text comes first.
 */
const char *json_balanced_end(const char *at);

/* From behind the opening quote to the closing one; NULL and *wrong where the text is no JSON string. */
const char *json_string_end(const char *at, const char **wrong);

/* Behind one character beyond ASCII. Overlong forms, surrogates and what lies past U+10FFFF are wrong. */
const char *json_utf8_end(const char *at, const char **wrong);

/* Behind any value; NULL and *wrong where it is none. Brackets must match; depth costs no stack. */
const char *json_value_end(const char *at, const char **wrong);

/*
 * A number as an integer count of 10^-decimals, decimals at most 7, rounded to
 * the nearest; exponents are understood. NULL and *wrong where there is no number.
 */
const char *json_fixed_slow(const char *at, int decimals, int64_t *value, const char **wrong);

static inline bool json_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

static inline uint64_t json_load8(const char *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
    return eight;
}

/* A bit in each byte that is no digit, of eight digits less '0'. */
static inline uint64_t json_no_digits(uint64_t low)
{
    return (low | (low + 0x7676767676767676)) & 0x8080808080808080;
}

/*
 * The digits at `at`, at most 8 of them: how many, and *value. They are shifted
 * to the upper bytes, so that zeros stand before them, and summed in pairs,
 * fours and eights. The first byte is the lowest: little-endian only.
 */
static inline unsigned json_digits8(const char *at, uint64_t *value)
{
    uint64_t v = json_load8(at) ^ 0x3030303030303030;
    const uint64_t others = json_no_digits(v);
    unsigned bits = 64;
    if (others) {
        bits = (unsigned)__builtin_ctzll(others) - 7;
        v = v << 1 << (63 - bits);
    }
    v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FF;
    v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFF;
    *value = (v * 10000 + (v >> 32)) & 0xFFFFFFFF;
    return bits / 8;
}

static const uint32_t json_power[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Behind an integer without sign; NULL where it is another kind of number, or none. */
static inline const char *json_integer_end(const char *at)
{
    const char *const start = at;
    uint64_t others;
    while (!(others = json_no_digits(json_load8(at) ^ 0x3030303030303030)))
        at += 8;
    at += __builtin_ctzll(others) / 8;
    return at == start || *at == '.' || (*at | 0x20) == 'e' ? NULL : at;
}

/*
 * The same as json_fixed_slow; the usual number, of at most 16 digits, without
 * sign, exponent, or more than the wanted decimals, is read here.
 */
static inline const char *json_fixed(const char *at, int decimals, int64_t *value, const char **wrong)
{
    uint64_t whole, part;
    unsigned count = json_digits8(at, &whole);
    const char *end = at + count;
    bool odd = count == 0;
    if (count == 8) {
        count = json_digits8(end, &part);
        whole = whole * json_power[count] + part;
        end += count;
    }
    whole *= json_power[decimals];
    if (*end == '.') {
        count = json_digits8(end + 1, &part);
        odd |= count == 0 || count > (unsigned)decimals;
        whole += part * json_power[odd ? 0 : (unsigned)decimals - count];
        end += count + 1;
    }
    odd |= (*end | 0x20) == 'e' || json_is_digit(*end) || (int64_t)whole < 0;
    if (__builtin_expect(odd, 0))
        return json_fixed_slow(at, decimals, value, wrong);
    *value = (int64_t)whole;
    return end;
}

#endif
