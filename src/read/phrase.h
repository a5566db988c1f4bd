/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A producer writes the same few sentences over and over: what stands between
 * two values of an event - comma, line break, indent, the next key - is the
 * same text in a hundred thousand events. Such a text is a phrase. Phrases form
 * a tree: those that may follow a phrase are its next ones, so that a path from
 * the root is the shape of an event. To read a shape met before is to compare
 * phrases and to take values.
 *
 * Phase and category take few values; theirs are part of the phrase, so that
 * the tree parts where the shapes do.
 *
 * Phrases only save work: what no phrase fits is read by the grammar, and then
 * learned. The tree is bounded; where it is full nothing more is learned.
 */
#ifndef READ_PHRASE_H
#define READ_PHRASE_H

#include "read/kineto_category.h"
#include "read/kineto_keys.h"
#include "text/json_scan.h"

enum {
    PHRASE_BYTES = 96, /* longest; a multiple of 16 */
    MOST_PHRASES = 512,
    MOST_SIBLINGS = 16,
};

_Static_assert((int)PHRASE_BYTES <= (int)JSON_PAD, "a comparison may go past the end of the text by a phrase");

/* A pid or tid: a number, or a text where text is not 0. */
struct place {
    int64_t number;
    uint32_t text; /* interned */
};

/* How a place was written last, with the byte behind it: most often it is the same again. */
struct last_place {
    _Alignas(16) char text[16];
    uint16_t bytes; /* a bit for each that belongs to it; 0: none yet */
    uint8_t length; /* without the byte behind it */
    struct place place;
};

struct phrase {
    struct phrase *next, *sibling; /* the first that may follow; the next that may stand in this one's place */
    const struct key *key;         /* of the value behind it */
    uint32_t holds;                /* bit t: the value of enum take t is part of it: */
    char phase;
    const struct category *category;
    bool in_args;                  /* what follows the value is still in args */
    bool again;                    /* it brings a key that came before */
    uint8_t length;
    uint32_t head;                 /* a bit for each of the first 32 bytes that belongs to it */
    _Alignas(16) char text[PHRASE_BYTES];
    struct last_place last_place;  /* where the value behind it is a pid or tid */
};

struct phrases {
    struct phrase start;    /* behind the event's opening brace */
    struct phrase roots[2]; /* behind a value that no phrase led to: of the event, of its args */
    struct phrase all[MOST_PHRASES];
    unsigned count;
};

/* Bit i: byte i of the 32 is the same. `ours` is aligned. */
static inline uint32_t phrase_same(const char *ours, const char *theirs)
{
#ifdef __SSE2__
    const __m128i *const a = (const __m128i *)ours, *const b = (const __m128i *)theirs;
    const __m128i low = _mm_cmpeq_epi8(_mm_load_si128(a), _mm_loadu_si128(b));
    const __m128i high = _mm_cmpeq_epi8(_mm_load_si128(a + 1), _mm_loadu_si128(b + 1));
    return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
#else
    uint32_t same = 0;
    for (int i = 0; i < 32; i++)
        same |= (uint32_t)(ours[i] == theirs[i]) << i;
    return same;
#endif
}

static inline bool phrase_fits(const struct phrase *phrase, const char *at)
{
    if (phrase->head & ~phrase_same(phrase->text, at))
        return false;
    return phrase->length <= 32 || memcmp(phrase->text + 32, at + 32, phrase->length - 32u) == 0;
}

static inline bool place_fits(const struct last_place *last, const char *at)
{
#ifdef __SSE2__
    const __m128i ours = _mm_load_si128((const __m128i *)last->text);
    const __m128i theirs = _mm_loadu_si128((const __m128i *)at);
    const unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(ours, theirs));
    return last->bytes && (same & last->bytes) == last->bytes;
#else
    return last->bytes && memcmp(at, last->text, last->length + 1) == 0;
#endif
}

/* The one of the phrase and its siblings that the text at `at` begins with; NULL. */
static inline struct phrase *phrase_match(struct phrase *phrase, const char *at)
{
    while (phrase && !phrase_fits(phrase, at))
        phrase = phrase->sibling;
    return phrase;
}

/* Adds a phrase behind `before`; NULL where it cannot be kept. */
struct phrase *phrase_learn(struct phrases *phrases, struct phrase *before, const char *text, size_t length);

#endif
