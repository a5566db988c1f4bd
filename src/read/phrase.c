/* SPDX-License-Identifier: Apache-2.0 */
#include "phrase.h"

static bool holds_place(const struct phrase *phrase)
{
    return phrase->holds & (1u << TAKE_PROCESS | 1u << TAKE_THREAD);
}

/* They differ in pid or tid alone. */
static bool are_kin(const struct phrase *a, const struct phrase *b)
{
    return holds_place(a) && a->holds == b->holds && a->key == b->key && a->in_args == b->in_args &&
           a->phase == b->phase && a->category == b->category && a->again == b->again;
}

static struct phrase *new_phrase(struct phrases *phrases)
{
    return phrases->count < MOST_PHRASES ? &phrases->all[phrases->count++] : NULL;
}

static unsigned count_siblings(const struct phrase *phrase)
{
    unsigned count = 0;
    for (; phrase; phrase = phrase->sibling)
        count++;
    return count;
}

/* Takes the one out that came longest ago, of those that only share followers; NULL where there is none. */
static struct phrase *take_oldest(struct phrase *before)
{
    struct phrase **oldest = NULL;
    for (struct phrase **link = &before->next; *link; link = &(*link)->sibling)
        if ((*link)->kin != *link)
            oldest = link;
    if (!oldest)
        return NULL;
    struct phrase *const phrase = *oldest;
    *oldest = phrase->sibling;
    return phrase;
}

/* The sibling whose followers it shares; NULL. */
static struct phrase *find_kin(const struct phrase *before, const struct phrase *what)
{
    for (struct phrase *phrase = before->next; phrase; phrase = phrase->sibling)
        if (are_kin(phrase, what))
            return phrase->kin;
    return NULL;
}

struct phrase *phrase_learn(struct phrases *phrases, struct phrase *before, const struct phrase *what, str text)
{
    if (!text.len || text.len > PHRASE_BYTES)
        return NULL;
    struct phrase *const kin = find_kin(before, what);
    const bool full = count_siblings(before->next) == MOST_SIBLINGS;
    struct phrase *phrase = !full ? new_phrase(phrases) : kin ? take_oldest(before) : NULL;
    if (!phrase)
        return NULL;
    *phrase = *what;
    phrase->next = NULL;
    phrase->kin = kin ? kin : phrase;
    phrase->plain = !what->holds && !what->again && what->key->take != TAKE_END;
    phrase->length = (uint8_t)text.len;
    phrase->last_block = (uint8_t)((text.len - 1) / 32 * 32);
    phrase->last = UINT32_MAX >> (31 - (text.len - 1) % 32);
    memcpy(phrase->text, text.at, text.len);
    phrase->sibling = before->next;
    return before->next = phrase;
}
