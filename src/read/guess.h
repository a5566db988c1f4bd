/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training repeats itself: after these events come those, and an operator has
 * one of a few shapes. What came lately in a context are guesses for this time;
 * where the text begins with one it need not be scanned, hashed and looked up
 * again. A complete JSON array cannot begin another one, nor a plain string
 * with its quote another string, so a guess that fits is right, as long as it
 * is one of the same kind: contexts share places, so a guess says which it is.
 */
#ifndef READ_GUESS_H
#define READ_GUESS_H

#include "base/str.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { GUESS_BITS = 11, GUESSES = 2 };

enum guess_kind {
    GUESS_NONE,
    GUESS_STRING, /* a plain string, without its quotes */
    GUESS_ARRAY,  /* as it is written */
};

struct guess {
    const char *text; /* interned */
    uint32_t id;
    uint32_t length : 30, kind : 2; /* enum guess_kind */
};

/* What came in a context, the latest first. */
struct guess_set {
    struct guess guess[GUESSES];
};

struct guesses {
    struct guess_set all[1 << GUESS_BITS];
};

static inline struct guess_set *guess_in(struct guesses *guesses, uint64_t context)
{
    return &guesses->all[context * 0x9E3779B97F4A7C15 >> (64 - GUESS_BITS)];
}

static inline bool guess_same8(const char *a, const char *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y;
}

static inline bool guess_same16(const char *a, const char *b)
{
#ifdef __SSE2__
    const __m128i x = _mm_loadu_si128((const __m128i *)a), y = _mm_loadu_si128((const __m128i *)b);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) == 0xFFFF;
#else
    return guess_same8(a, b) && guess_same8(a + 8, b + 8);
#endif
}

static inline bool guess_same_few(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/*
 * memcmp for short texts, which calls nothing: in pieces, the last of which overlaps the one before. Guesses of one
 * context begin alike, so the last piece is looked at first.
 */
static inline bool guess_same(const char *a, const char *b, size_t length)
{
    if (length < 8)
        return guess_same_few(a, b, length);
    if (length < 16)
        return guess_same8(a + length - 8, b + length - 8) && guess_same8(a, b);
    if (!guess_same16(a + length - 16, b + length - 16))
        return false;
    for (size_t i = 0; i + 16 < length; i += 16)
        if (!guess_same16(a + i, b + i))
            return false;
    return true;
}

/* `end` is the end of the text that `at` lies in: a guess may be longer than what is left. */
static inline bool guess_fits(const struct guess *guess, enum guess_kind kind, const char *at, const char *end)
{
    const size_t length = guess->length;
    return guess->kind == kind && end - at > (ptrdiff_t)length && (kind != GUESS_STRING || at[length] == '"') &&
           guess_same(at, guess->text, length);
}

static inline void guess_to_front(struct guess_set *set, int i)
{
    const struct guess front = set->guess[i];
    for (; i; i--)
        set->guess[i] = set->guess[i - 1];
    set->guess[0] = front;
}

/* The guess that the text at `at` begins with, for a string with its closing quote; NULL. */
static inline const struct guess *guess_find(struct guess_set *set, enum guess_kind kind, const char *at,
                                             const char *end)
{
    for (int i = 0; i < GUESSES; i++)
        if (guess_fits(&set->guess[i], kind, at, end)) {
            guess_to_front(set, i);
            return set->guess;
        }
    return NULL;
}

/* Texts of 2^30 bytes and more are not guessed. */
static inline void guess_add(struct guess_set *set, enum guess_kind kind, str text, uint32_t id)
{
    if (text.len >= (size_t)1 << 30)
        return;
    guess_to_front(set, GUESSES - 1);
    set->guess[0] = (struct guess){text.at, id, (uint32_t)text.len, kind};
}

#endif
