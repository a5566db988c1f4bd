/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <string.h>

/* --- where lines begin -------------------------------------------------------------------------------------------------- */

/* The end of line at or behind `from`: its last byte; len where there is none. */
static size_t line_end(str text, size_t from, bool has_cr)
{
    if (!has_cr) {
        const char *lf = memchr(text.at + from, '\n', text.len - from);
        return lf ? (size_t)(lf - text.at) : text.len;
    }
    for (size_t at = from; at < text.len; at++)
        if (text.at[at] == '\n' || (text.at[at] == '\r' && (at + 1 == text.len || text.at[at + 1] != '\n')))
            return at;
    return text.len;
}

static uint32_t fill(uint32_t *line_at, str text, bool has_cr)
{
    uint32_t count = 0;
    for (size_t at = 0; at <= text.len; count++) {
        if (line_at)
            line_at[count] = (uint32_t)at;
        at = text.len ? line_end(text, at, has_cr) + 1 : 1;
    }
    return count;
}

void lines_index(struct arena *arena, struct syntax *tree)
{
    const bool has_cr = tree->text.len && memchr(tree->text.at, '\r', tree->text.len);
    tree->line_count = fill(NULL, tree->text, has_cr);
    uint32_t *line_at = arena_array(arena, tree->line_count, sizeof *line_at);
    fill(line_at, tree->text, has_cr);
    tree->line_at = line_at;
}
