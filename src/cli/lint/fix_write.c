/* SPDX-License-Identifier: Apache-2.0 */
#include "fix_write.h"

#include <stdio.h>

#include "base/error.h"
#include "syntax/rewrite.h"

static void complain(const struct steptime_error *err)
{
    struct arena scratch = {0};
    const str line = error_line(&scratch, err);
    fprintf(stderr, "steptime: %.*s\n", (int)line.len, line.at);
    arena_free(&scratch);
}

bool fix_write(const struct fixes *fixes, uint32_t *written, struct steptime_error *err)
{
    struct arena scratch = {0};
    bool good = true;
    *written = 0;
    for (uint32_t i = 0; i < fixes->file_count; i++) {
        const struct fix_file *file = &fixes->files[i];
        struct steptime_error here = {0};
        if (rewrite_file(str_z(&scratch, file->path), file->before, file->after, &here)) {
            ++*written;
            continue;
        }
        if (!good)
            complain(err);
        *err = here;
        good = false;
    }
    arena_free(&scratch);
    return good;
}
