/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training repeats itself: after these events came that name, under this name
 * came those shapes. What came last time in a context is a guess for this time;
 * where the text begins with it, it need not be scanned, hashed and looked up
 * again. A complete JSON array cannot begin another one, nor a plain string
 * with its quote another string, so a guess that fits is right, as long as it
 * is one of the same kind: contexts share places, so a guess says which it is.
 */
#ifndef READ_GUESS_H
#define READ_GUESS_H

#include "base/intern.h"

enum { GUESS_BITS = 13 };

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

struct guesses {
    struct guess all[1 << GUESS_BITS];
};

static inline struct guess *guess_in(struct guesses *guesses, uint64_t context)
{
    return &guesses->all[context * 0x9E3779B97F4A7C15 >> (64 - GUESS_BITS)];
}

static inline uint64_t guess_differ8(const char *a, const char *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x ^ y;
}

/* memcmp for short texts, which calls nothing: by eights, the last of which overlaps the one before. */
static inline bool guess_same(const char *a, const char *b, size_t length)
{
    if (length < 8)
        return memcmp(a, b, length) == 0;
    size_t i = 0;
    for (; i + 8 < length; i += 8)
        if (guess_differ8(a + i, b + i))
            return false;
    return guess_differ8(a + length - 8, b + length - 8) == 0;
}

/* `end` is the end of the text that `at` lies in: a guess may be longer than what is left. */
static inline bool guess_fits(const struct guess *guess, enum guess_kind kind, const char *at, const char *end)
{
    return guess->kind == kind && end - at > (ptrdiff_t)guess->length && guess_same(at, guess->text, guess->length);
}

/* Texts of 2^30 bytes and more are not guessed. */
static inline void guess_next(struct guess *guess, enum guess_kind kind, str text, uint32_t id)
{
    if (text.len < (size_t)1 << 30)
        *guess = (struct guess){text.at, id, (uint32_t)text.len, kind};
}

#endif
