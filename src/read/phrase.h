/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A producer writes the same few sentences over and over: what stands between
 * two values of an event - comma, line break, indent, the next key - is the
 * same text in a hundred thousand events. Such a text is a phrase. Phrases form
 * a tree: those that may follow a phrase are its next ones, so that a path from
 * the root is the shape of an event. To read a shape met before is to compare
 * phrases and to take values.
 *
 * Phase, category, pid and tid take few values; theirs are part of the phrase.
 * The tree parts where phase or category do, as the shapes do; phrases that
 * differ in pid or tid alone are kin and lead to the same place.
 *
 * Phrases only save work: what no phrase fits is read by the grammar, and then
 * learned. The tree is bounded; where it is full nothing more is learned.
 */
#ifndef READ_PHRASE_H
#define READ_PHRASE_H

#include "kineto_category.h"
#include "kineto_keys.h"
#include "text/json_scan.h"

enum {
    PHRASE_BYTES = 96, /* longest; a multiple of 32 */
    MOST_PHRASES = 512,
    MOST_SIBLINGS = 16,
};

_Static_assert((int)PHRASE_BYTES <= (int)JSON_PAD, "a comparison may go past the end of the text by a phrase");

/* A pid or tid: a number, or a text where text is not 0. */
struct place {
    int64_t number;
    uint32_t text; /* interned */
};

struct phrase {
    struct phrase *next, *sibling; /* the first that may follow; the next that may stand in this one's place */
    struct phrase *kin;            /* whose next ones count; itself, except for pid and tid */
    const struct key *key;         /* of the value behind it */
    uint32_t last;                 /* a bit for each of the last 32 bytes that belongs to it */
    uint32_t holds;                /* bit t: the value of enum take t is part of it: */
    struct place process, thread;
    const struct category *category;
    char phase;
    bool in_args;               /* what follows the value is still in args */
    bool again;                 /* it brings a key that came before */
    bool plain;                 /* it holds nothing, brings nothing again, and a value comes behind it */
    uint8_t length, last_block; /* bytes; where the last 32 begin */
    _Alignas(16) char text[PHRASE_BYTES];
};

struct phrases {
    struct phrase start;    /* behind the event's opening brace */
    struct phrase roots[2]; /* behind a value that no phrase led to: of the event, of its args */
    struct phrase all[MOST_PHRASES];
    unsigned count;
};

/* Bit i: byte i of the 16 differs. `ours` is aligned. */
static inline uint32_t phrase_differ(const char *ours, const char *theirs)
{
#ifdef __SSE2__
    const __m128i a = _mm_load_si128((const __m128i *)ours), b = _mm_loadu_si128((const __m128i *)theirs);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) ^ 0xFFFF;
#else
    uint32_t differ = 0;
    for (int i = 0; i < 16; i++)
        differ |= (uint32_t)(ours[i] != theirs[i]) << i;
    return differ;
#endif
}

/* Looks 32 bytes at a time, of which phrase->last says how many of the last ones count. Calls nothing. */
static inline bool phrase_fits(const struct phrase *phrase, const char *at)
{
    for (unsigned i = 0;; i += 32) {
        const uint32_t differ =
            phrase_differ(phrase->text + i, at + i) | phrase_differ(phrase->text + i + 16, at + i + 16) << 16;
        if (i == phrase->last_block)
            return (differ & phrase->last) == 0;
        if (differ)
            return false;
    }
}

/*
 * The one of those that may follow that the text at `at` begins with; NULL. It
 * comes to the front: lanes change seldom, so it is likely to be next again.
 */
static inline struct phrase *phrase_match(struct phrase *before, const char *at)
{
    struct phrase *const first = before->next;
    if (!first || phrase_fits(first, at))
        return first;
    for (struct phrase *last = first; last->sibling; last = last->sibling) {
        struct phrase *const phrase = last->sibling;
        if (!phrase_fits(phrase, at))
            continue;
        last->sibling = phrase->sibling;
        phrase->sibling = first;
        return before->next = phrase;
    }
    return NULL;
}

/*
 * Adds a phrase behind `before`, in front, and returns it with what it says of
 * itself; NULL where it cannot be kept. Where the place is full of siblings one
 * with a pid or tid gives way to another.
 */
struct phrase *phrase_learn(struct phrases *phrases, struct phrase *before, const struct phrase *what, str text);

#endif
