/* SPDX-License-Identifier: Apache-2.0 */
#include "grown.h"

#include "base/pairs.h"

/* Its line and kind. */
static struct pair_names names_of(const struct dry_lives *lives, struct arena *arena)
{
    str *const names = arena_array(arena, lives->count, sizeof *names);
    for (uint32_t i = 0; i < lives->count; i++)
        names[i] = str_printf(arena, "%d %.*s", (int)lives->storages[i].kind, (int)lives->storages[i].place.len,
                              lives->storages[i].place.at);
    return (struct pair_names){names, lives->count};
}

static bool grows(const struct dry_lives *lives, uint32_t at)
{
    const enum dry_memory_kind kind = lives->storages[at].kind;
    return at >= lives->batch_from && (kind == DRY_ACTIVATIONS || kind == DRY_BACKWARD);
}

static int64_t bytes_of(const struct dry_lives *more, uint32_t at, const struct dry_storage *like,
                        struct batches batches)
{
    const int64_t bytes = more->storages[at].bytes;
    int64_t grown;
    if (like && size_between(like->bytes, bytes, batches, &grown))
        return grown;
    return grows(more, at) ? size_with_batch(bytes, batches) : bytes;
}

struct dry_lives lives_between(const struct dry_lives *few, const struct dry_lives *more, struct batches batches,
                               struct arena *arena)
{
    struct arena scratch = {0};
    struct dry_lives grown = *more;
    const uint32_t *const like =
        few ? pairs_by_name(names_of(more, &scratch), names_of(few, &scratch), &scratch) : NULL;
    grown.storages = arena_array(arena, more->count, sizeof *grown.storages);
    for (uint32_t i = 0; i < more->count; i++) {
        const bool has = like && like[i] != PAIR_NONE;
        const int64_t bytes = bytes_of(more, i, has ? &few->storages[like[i]] : NULL, batches);
        grown.storages[i] = more->storages[i];
        grown.storages[i].bytes = bytes < LIVES_MOST_BYTES ? bytes : LIVES_MOST_BYTES;
    }
    arena_free(&scratch);
    return grown;
}
