/* SPDX-License-Identifier: Apache-2.0 */
/* A length of time in a sentence. */
#ifndef BREAKDOWN_SPAN_TEXT_H
#define BREAKDOWN_SPAN_TEXT_H

#include "base/arena.h"

/* "12.34 ms", and seconds where that is easier to read. */
static inline const char *span_text(struct arena *arena, double ns)
{
    return ns < 10e9 ? str_printf(arena, "%.2f ms", ns / 1e6).at : str_printf(arena, "%.2f s", ns / 1e9).at;
}

#endif
