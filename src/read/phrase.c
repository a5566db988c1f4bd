/* SPDX-License-Identifier: Apache-2.0 */
#include "phrase.h"

struct phrase *phrase_learn(struct phrases *phrases, struct phrase *before, const char *text, size_t length)
{
    if (!length || length > PHRASE_BYTES || phrases->count == MOST_PHRASES)
        return NULL;
    struct phrase **link = &before->next;
    for (int siblings = 0; *link; link = &(*link)->sibling)
        if (++siblings == MOST_SIBLINGS)
            return NULL;
    struct phrase *phrase = &phrases->all[phrases->count++];
    *phrase = (struct phrase){.length = (uint8_t)length};
    memcpy(phrase->text, text, length);
    phrase->head = length < 32 ? ((uint32_t)1 << length) - 1 : UINT32_MAX;
    return *link = phrase;
}
