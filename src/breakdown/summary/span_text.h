/* SPDX-License-Identifier: Apache-2.0 */
/* A length of time in a sentence. */
#ifndef BREAKDOWN_SPAN_TEXT_H
#define BREAKDOWN_SPAN_TEXT_H

#include "base/arena.h"

/* "12.34 ms"; microseconds and seconds where that is easier to read. */
static inline const char *span_text(struct arena *arena, double ns)
{
    const double size = ns < 0 ? -ns : ns;
    if (size < 1e5)
        return str_printf(arena, "%.1f us", ns / 1e3).at;
    return size < 1e9 ? str_printf(arena, "%.2f ms", ns / 1e6).at : str_printf(arena, "%.2f s", ns / 1e9).at;
}

#endif
