/* SPDX-License-Identifier: Apache-2.0 */
#include "version.h"

#include <string.h>

enum { PLACES = 3, MOST_IN_PLACE = 999 };

/* The number that the text begins with, cut off; -1: none, or too large for a place. */
static int cut_number(str *text)
{
    int number = 0;
    size_t digits = 0;
    for (; digits < text->len && text->at[digits] >= '0' && text->at[digits] <= '9' && number <= MOST_IN_PLACE;
         digits++)
        number = 10 * number + (text->at[digits] - '0');
    *text = (str){text->at + digits, text->len - digits};
    return digits && number <= MOST_IN_PLACE ? number : -1;
}

static bool cut_word(str *text, const char *word)
{
    const size_t len = strlen(word);
    if (text->len < len || memcmp(text->at, word, len) != 0)
        return false;
    *text = (str){text->at + len, text->len - len};
    return true;
}

uint64_t version_of_word(str word)
{
    uint64_t version = 0;
    if (!word.len)
        return VERSION_UNTOLD;
    cut_word(&word, "v");
    for (int place = 0; place < PLACES; place++) {
        const int number = place && !cut_word(&word, ".") ? 0 : cut_number(&word);
        if (number < 0)
            return VERSION_UNKNOWN;
        version = version * (MOST_IN_PLACE + 1) + (uint64_t)number;
    }
    const int candidate = cut_word(&word, "rc") ? cut_number(&word) : MOST_IN_PLACE;
    version = version * (MOST_IN_PLACE + 1) + (uint64_t)(candidate < 0 ? 0 : candidate);
    return candidate < 0 || word.len || version <= VERSION_UNKNOWN ? VERSION_UNKNOWN : version;
}
