/* SPDX-License-Identifier: Apache-2.0 */
#include "row_problems.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAMED = 5, WIDTH = 60 };

static str shortened(struct arena *arena, str text)
{
    const str clean = str_printable(arena, text);
    return clean.len <= WIDTH ? clean : str_printf(arena, "%.*s...", WIDTH - 3, clean.at);
}

bool row_problems_shown(const struct row_problems *problems)
{
    return problems->count < NAMED;
}

void row_problem(struct row_problems *problems, uint32_t line, str op, str device, const char *what)
{
    const bool shown = row_problems_shown(problems);
    problems->count++;
    if (!shown)
        return;
    struct arena scratch = {0};
    const str shown_op = shortened(&scratch, op), shown_device = shortened(&scratch, device);
    fprintf(stderr, "steptime: line %u: %.*s%s%.*s: %s\n", line, (int)shown_op.len, shown_op.at,
            device.len ? " on " : "", (int)shown_device.len, shown_device.at, what);
    arena_free(&scratch);
}

void row_problems_end(const struct row_problems *problems)
{
    if (problems->count)
        fprintf(stderr, "steptime: %" PRIu64 " of %" PRIu64 " rows could not be predicted%s\n", problems->count,
                problems->rows, problems->count > NAMED ? "; the first are named above" : "");
}
