/* SPDX-License-Identifier: Apache-2.0 */
#include "warp.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"

void warp_add(struct warp *warp, int64_t from, int64_t to)
{
    warp->at = mem_grow(warp->at, &warp->room, warp->count + 1, sizeof *warp->at);
    warp->at[warp->count++] = (struct anchor){from, to};
}

static int by_from(const void *a, const void *b)
{
    const struct anchor *const x = a, *const y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

void warp_finish(struct warp *warp)
{
    if (warp->count)
        qsort(warp->at, warp->count, sizeof *warp->at, by_from);
    for (size_t i = 1; i < warp->count; i++)
        if (warp->at[i].to < warp->at[i - 1].to)
            warp->at[i].to = warp->at[i - 1].to;
}

int64_t warp_time(const struct warp *warp, int64_t from)
{
    const size_t next = search_after(warp->at, warp->count, sizeof *warp->at, offsetof(struct anchor, from), from);
    if (!warp->count)
        return from;
    if (next == 0)
        return warp->at[0].to - (warp->at[0].from - from);
    const struct anchor a = warp->at[next - 1];
    if (next == warp->count)
        return a.to + (from - a.from);
    const struct anchor b = warp->at[next];
    const double part = (double)(from - a.from) / (double)(b.from - a.from);
    return a.to + (int64_t)(part * (double)(b.to - a.to));
}

void warp_free(struct warp *warp)
{
    mem_free(warp->at);
    *warp = (struct warp){0};
}
