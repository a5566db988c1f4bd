/* SPDX-License-Identifier: Apache-2.0 */
/* A length of time in a sentence: "81.7 us", "12.34 ms", "1.04 s". */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include "arena.h"
#include "str.h"

str duration_words(struct arena *arena, double ns);

/* A change, with its sign: "+12.34 ms". */
str duration_change_words(struct arena *arena, double ns);

#endif
