/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the known word closest to a mistyped one. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/str.h"

/* The candidate so far and how far it is from the word. */
struct suggestion {
    str word, best;
    unsigned distance;
};

struct suggestion suggest(str word);
void suggest_offer(struct suggestion *suggestion, str candidate);
bool suggest_found(const struct suggestion *suggestion); /* best is close enough to be meant */

#endif
