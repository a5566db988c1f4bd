/* SPDX-License-Identifier: Apache-2.0 */
/* A length of time in a sentence. */
#ifndef BREAKDOWN_SPAN_TEXT_H
#define BREAKDOWN_SPAN_TEXT_H

#include "base/duration.h"

/* The same as text that ends. */
static inline const char *span_text(struct arena *arena, double ns)
{
    return duration_words(arena, ns).at;
}

#endif
