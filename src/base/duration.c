/* SPDX-License-Identifier: Apache-2.0 */
#include "duration.h"

str duration_words(struct arena *arena, double ns)
{
    const double size = ns < 0 ? -ns : ns;
    if (size < 1e5)
        return str_printf(arena, "%.1f us", ns / 1e3);
    return size < 1e9 ? str_printf(arena, "%.2f ms", ns / 1e6) : str_printf(arena, "%.2f s", ns / 1e9);
}

str duration_change_words(struct arena *arena, double ns)
{
    const str text = duration_words(arena, ns < 0 ? -ns : ns);
    return str_printf(arena, "%c%.*s", ns < 0 ? '-' : '+', (int)text.len, text.at);
}
