/* SPDX-License-Identifier: Apache-2.0 */
#include "critical_path_keep.h"

#include "base/mem.h"
#include "base/sort.h"

static int64_t length(const struct path_piece *piece)
{
    return piece->end_ns - piece->start_ns;
}

int64_t path_kept_bar_ns(const struct path_kept *kept, uint32_t most)
{
    if (kept->count <= most || !most)
        return 0;
    struct keyed *order = mem_alloc(kept->count * sizeof *order);
    for (size_t i = 0; i < kept->count; i++)
        order[i] = (struct keyed){-length(&kept->at[i]), (uint32_t)i};
    sort_keyed(order, kept->count);
    const int64_t ns = -order[most - 1].key;
    mem_free(order);
    return ns;
}

/* Down to `most`: the longer than the bar all stay, of those that reach it as many as there is room for. */
static void shrink(struct path_kept *kept)
{
    if (kept->count <= kept->most)
        return;
    kept->shorter_ns = path_kept_bar_ns(kept, kept->most);
    size_t equals = kept->most, left = 0;
    for (size_t i = 0; i < kept->count; i++)
        equals -= length(&kept->at[i]) > kept->shorter_ns;
    for (size_t i = 0; i < kept->count; i++) {
        const int64_t ns = length(&kept->at[i]);
        if (ns < kept->shorter_ns || (ns == kept->shorter_ns && !equals))
            continue;
        equals -= ns == kept->shorter_ns;
        kept->at[left++] = kept->at[i];
    }
    kept->count = left;
}

static bool goes_on(const struct path_piece *later, const struct path_piece *earlier)
{
    return later->start_ns == earlier->end_ns && later->class == earlier->class && later->row == earlier->row &&
           later->lane == earlier->lane;
}

/* The last stretch is whole: it is kept where it is long enough. */
static void keep_last(struct path_kept *kept)
{
    if (!kept->found || !kept->most || length(&kept->last) < kept->shorter_ns)
        return;
    if (kept->most != PATH_ALL && kept->count >= 2 * (size_t)kept->most)
        shrink(kept);
    kept->at = mem_grow(kept->at, &kept->room, kept->count + 1, sizeof *kept->at);
    kept->at[kept->count++] = kept->last;
}

void path_kept_add(struct path_kept *kept, const struct path_piece *piece)
{
    if (kept->found && goes_on(&kept->last, piece)) {
        kept->last.start_ns = piece->start_ns;
        return;
    }
    keep_last(kept);
    kept->found++;
    kept->last = *piece;
}

void path_kept_finish(struct path_kept *kept)
{
    keep_last(kept);
    if (kept->most != PATH_ALL)
        shrink(kept);
    for (size_t a = 0, b = kept->count; a + 1 < b; a++) {
        const struct path_piece swap = kept->at[a];
        kept->at[a] = kept->at[--b];
        kept->at[b] = swap;
    }
}

void path_kept_free(struct path_kept *kept)
{
    mem_free(kept->at);
    *kept = (struct path_kept){0};
}
