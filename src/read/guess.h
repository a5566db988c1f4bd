/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training repeats itself: after these events came that name, under this name
 * came those shapes. What came last time in a context is a guess for this time;
 * where the text begins with it, it need not be scanned, hashed and looked up
 * again. A complete JSON array cannot begin another one, nor a plain
 * string with its quote another string, so a guess that fits is right - as long
 * as it is of the same kind and table: contexts share places, so a guess says
 * which it is.
 */
#ifndef READ_GUESS_H
#define READ_GUESS_H

#include "base/intern.h"

enum { GUESS_BITS = 13 };

struct guess {
    const char *text;           /* interned; NULL: none yet */
    const struct intern *table; /* that id belongs to */
    uint32_t length;
    uint32_t id;
    bool plain; /* a string without its quotes; else an array or object as it is written */
};

struct guesses {
    struct guess all[1 << GUESS_BITS];
};

static inline struct guess *guess_in(struct guesses *guesses, uint64_t context)
{
    return &guesses->all[context * 0x9E3779B97F4A7C15 >> (64 - GUESS_BITS)];
}

/* `end` is the end of the text that `at` lies in: a guess may be longer than what is left. */
static inline bool guess_fits(const struct guess *guess, const struct intern *table, bool plain, const char *at,
                              const char *end)
{
    return guess->text && guess->table == table && guess->plain == plain && end - at > (ptrdiff_t)guess->length &&
           memcmp(at, guess->text, guess->length) == 0;
}

#endif
