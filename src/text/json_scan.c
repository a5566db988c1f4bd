/* SPDX-License-Identifier: Apache-2.0 */
#include "json_scan.h"
#include "base/str.h"

static const char *stop(const char **wrong, const char *at)
{
    *wrong = at;
    return NULL;
}

/* Behind an escape; `at` is behind its backslash. */
static const char *escape_end(const char *at, const char **wrong)
{
    if (*at != 'u')
        return *at && strchr("\"\\/bfnrt", *at) ? at + 1 : stop(wrong, at);
    for (int i = 1; i <= 4; i++)
        if (!char_is_hex(at[i]))
            return stop(wrong, at + i);
    return at + 5;
}

const char *json_utf8_end(const char *at, const char **wrong)
{
    const unsigned char lead = (unsigned char)*at;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4)
        return stop(wrong, at);
    for (int i = 1; i <= more; i++)
        if (((unsigned char)at[i] & 0xC0) != 0x80)
            return stop(wrong, at + i);
    const unsigned char next = (unsigned char)at[1];
    const bool bad = (lead == 0xE0 && next < 0xA0) || (lead == 0xED && next >= 0xA0) || (lead == 0xF0 && next < 0x90) ||
                     (lead == 0xF4 && next >= 0x90);
    return bad ? stop(wrong, at) : at + more + 1;
}

const char *json_string_end(const char *at, const char **wrong)
{
    for (;;) {
        at = json_plain(at);
        if (*at == '"')
            return at;
        if (*at == '\\')
            at = escape_end(at + 1, wrong);
        else if ((unsigned char)*at >= 0x80)
            at = json_utf8_end(at, wrong);
        else
            return stop(wrong, at);
        if (!at)
            return NULL;
    }
}

static const char *word_end(const char *at, const char *word, const char **wrong)
{
    for (; *word; word++, at++)
        if (*at != *word)
            return stop(wrong, at);
    return at;
}

static const char *digits_end(const char *at)
{
    while (json_is_digit(*at))
        at++;
    return at;
}

/* One digit at least. */
static const char *some_digits(const char *at, const char **wrong)
{
    return json_is_digit(*at) ? digits_end(at) : stop(wrong, at);
}

static const char *exponent_end(const char *at, const char **wrong)
{
    if ((*at | 0x20) != 'e')
        return at;
    at++;
    return some_digits(at + (*at == '+' || *at == '-'), wrong);
}

/* Zeros may lead. */
static const char *number_end(const char *at, const char **wrong)
{
    at = some_digits(at + (*at == '-'), wrong);
    if (at && *at == '.')
        at = some_digits(at + 1, wrong);
    return at ? exponent_end(at, wrong) : NULL;
}

static const char *scalar_end(const char *at, const char **wrong)
{
    switch (*at) {
    case '"':
        at = json_string_end(at + 1, wrong);
        return at ? at + 1 : NULL;
    case 't':
        return word_end(at, "true", wrong);
    case 'f':
        return word_end(at, "false", wrong);
    case 'n':
        return word_end(at, "null", wrong);
    default:
        return number_end(at, wrong);
    }
}

/* The open containers, a bit each: objects are 1. */
struct nest {
    uint64_t objects[JSON_DEPTH / 64];
    unsigned depth;
};

static void push(struct nest *nest, bool object)
{
    uint64_t *const word = &nest->objects[nest->depth / 64];
    const uint64_t bit = (uint64_t)1 << nest->depth % 64;
    *word = object ? *word | bit : *word & ~bit;
    nest->depth++;
}

static bool in_object(const struct nest *nest)
{
    const unsigned top = nest->depth - 1;
    return nest->objects[top / 64] >> top % 64 & 1;
}

/* From a key to its value. */
static const char *key_end(const char *at, const char **wrong)
{
    if (*at != '"')
        return stop(wrong, at);
    at = json_string_end(at + 1, wrong);
    if (!at)
        return NULL;
    at = json_blank(at + 1);
    return *at == ':' ? json_blank(at + 1) : stop(wrong, at);
}

/* From the start of a member or element to its value. */
static const char *member(const struct nest *nest, const char *at, const char **wrong)
{
    at = json_blank(at);
    return in_object(nest) ? key_end(at, wrong) : at;
}

/* Behind the brackets that close here; at the next value, or with depth 0 behind the last. */
static const char *next_value(struct nest *nest, const char *at, const char **wrong)
{
    while (nest->depth) {
        at = json_blank(at);
        if (*at == ',')
            return member(nest, at + 1, wrong);
        if (*at != (in_object(nest) ? '}' : ']'))
            return stop(wrong, at);
        nest->depth--;
        at++;
    }
    return at;
}

const char *json_value_end(const char *at, const char **wrong)
{
    struct nest nest;
    nest.depth = 0;
    do {
        if (*at != '{' && *at != '[') {
            at = scalar_end(at, wrong);
        } else if (nest.depth == JSON_DEPTH) {
            return stop(wrong, at);
        } else {
            push(&nest, *at == '{');
            at = json_blank(at + 1);
            if (*at != '}' && *at != ']') {
                at = member(&nest, at, wrong);
                continue;
            }
        }
        if (at)
            at = next_value(&nest, at, wrong);
    } while (at && nest.depth);
    return at;
}

/* ---- ends by brackets ---- */

/* Of 32 bytes, a bit each. */
struct marks {
    uint32_t quotes, opens, closes, stops; /* stops: backslash, NUL */
};

#ifdef __SSE2__
static inline uint32_t equal(__m128i low, __m128i high, char c)
{
    const __m128i wanted = _mm_set1_epi8(c);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, wanted)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, wanted)) << 16;
}

static inline struct marks marks_of(const char *at)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)at), high = _mm_loadu_si128((const __m128i *)at + 1);
    const __m128i fold = _mm_set1_epi8(0x20); /* [ and ] become { and } */
    const __m128i folded_low = _mm_or_si128(low, fold), folded_high = _mm_or_si128(high, fold);
    return (struct marks){equal(low, high, '"'), equal(folded_low, folded_high, '{'),
                          equal(folded_low, folded_high, '}'), equal(low, high, '\\') | equal(low, high, 0)};
}
#else
static inline struct marks marks_of(const char *at)
{
    struct marks marks = {0};
    for (int i = 0; i < 32; i++) {
        const uint32_t bit = (uint32_t)1 << i;
        marks.quotes |= at[i] == '"' ? bit : 0;
        marks.opens |= (at[i] | 0x20) == '{' ? bit : 0;
        marks.closes |= (at[i] | 0x20) == '}' ? bit : 0;
        marks.stops |= at[i] == '\\' || !at[i] ? bit : 0;
    }
    return marks;
}
#endif

/* From each quote to the next: bit i is the parity of the bits up to i. */
static inline uint32_t between(uint32_t quotes)
{
    for (int shift = 1; shift < 32; shift *= 2)
        quotes ^= quotes << shift;
    return quotes;
}

const char *json_balanced_end(const char *at)
{
    uint32_t inside = 0; /* all ones where the block begins in a string */
    for (int64_t depth = 0;; at += 32) {
        const struct marks marks = marks_of(at);
        const uint32_t strings = between(marks.quotes) ^ inside;
        for (uint32_t left = (marks.opens | marks.closes) & ~strings; left; left &= left - 1) {
            const uint32_t first = left & -left;
            depth += marks.opens & first ? 1 : -1;
            if (depth <= 0)
                return marks.stops & (first - 1) ? NULL : at + __builtin_ctz(first) + 1;
        }
        if (marks.stops)
            return NULL;
        inside = (uint32_t)0 - (strings >> 31);
    }
}

/* A decimal number as digits * 10^exponent; digits past what an integer holds only raise the exponent. */
struct decimal {
    uint64_t digits;
    int64_t exponent;
};

static const char *take_digits(struct decimal *number, const char *at, int step)
{
    for (; json_is_digit(*at); at++) {
        if (number->digits < UINT64_MAX / 10 - 1) {
            number->digits = number->digits * 10 + (unsigned)(*at - '0');
            number->exponent += step;
        } else {
            number->exponent += step + 1;
        }
    }
    return at;
}

static int64_t exponent_of(const char *at)
{
    enum { FAR = 1000000 };
    const bool negative = *at == '-';
    int64_t value = 0;
    for (at += negative || *at == '+'; json_is_digit(*at); at++)
        value = value < FAR ? value * 10 + (*at - '0') : FAR;
    return negative ? -value : value;
}

/* digits * 10^exponent to the nearest integer; JSON_FAR where an int64 cannot hold it. */
static int64_t scaled(struct decimal number, bool negative)
{
    if (!number.digits)
        return 0;
    for (; number.exponent > 0; number.exponent--)
        if (__builtin_mul_overflow(number.digits, (uint64_t)10, &number.digits))
            return JSON_FAR;
    for (; number.exponent < -1 && number.digits; number.exponent++)
        number.digits /= 10;
    if (number.exponent < 0)
        number.digits = number.digits / 10 + (number.digits % 10 >= 5);
    if (number.digits > INT64_MAX)
        return JSON_FAR;
    return negative ? -(int64_t)number.digits : (int64_t)number.digits;
}

const char *json_fixed_slow(const char *at, int decimals, int64_t *value, const char **wrong)
{
    const char *const end = number_end(at, wrong);
    if (!end)
        return NULL;
    const bool negative = *at == '-';
    struct decimal number = {0};
    at = take_digits(&number, at + negative, 0);
    if (*at == '.')
        at = take_digits(&number, at + 1, -1);
    number.exponent += decimals + (at < end ? exponent_of(at + 1) : 0);
    *value = scaled(number, negative);
    return end;
}
