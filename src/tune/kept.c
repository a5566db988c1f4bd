/* SPDX-License-Identifier: Apache-2.0 */
#include "kept.h"

#include "base/mem.h"
#include "syntax/diff.h"

static struct rewritten *known(struct kept *kept, str path)
{
    for (uint32_t i = 0; i < kept->count; i++)
        if (str_eq(kept->at[i].path, path))
            return &kept->at[i];
    return NULL;
}

void kept_add(struct kept *kept, const struct rewritten *file, struct arena *arena)
{
    struct rewritten *const before = known(kept, file->path);
    if (before) {
        before->edits = edits_compose(arena, (uint32_t)before->before.len, before->edits, file->edits);
        before->after = file->after;
        return;
    }
    kept->at = mem_grow(kept->at, &kept->room, kept->count + 1, sizeof *kept->at);
    kept->at[kept->count++] = *file;
}

void kept_diff(const struct kept *kept, str root, struct buf *diff)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        const struct rewritten *const file = &kept->at[i];
        const str below = str_starts(file->path, root) ? str_from(file->path, root.len + 1) : file->path;
        diff_add(diff, below, file->before, file->edits.at, file->edits.count);
    }
}

void kept_free(struct kept *kept)
{
    mem_free(kept->at);
    *kept = (struct kept){0};
}
