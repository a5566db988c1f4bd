/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an id (correlation, External id, sequence number) to a row. Profilers
 * count ids up, from wherever they began: neighbours share a page, so that the
 * map of pages stays small and looking up a run of ids asks it once a page.
 */
#ifndef TRACE_IDS_H
#define TRACE_IDS_H

#include "base/map.h"
#include "trace.h"

enum { IDS_A_PAGE = 16 }; /* one cache line; an id without neighbours wastes no more */

struct ids {
    struct map pages;   /* from id / IDS_A_PAGE, rounded down, to the page */
    uint32_t *rows;     /* IDS_A_PAGE a page; ROW_NONE */
    size_t count, room; /* of rows, in all pages */
    int64_t last_key;   /* what was asked of the map before, and its answer */
    uint32_t last_page; /* MAP_NONE: no page */
};

void ids_open(struct ids *ids);
void ids_close(struct ids *ids);

/* Where the id has its row; NULL where it has no page. */
static inline uint32_t *ids_place(struct ids *ids, int64_t id)
{
    const int64_t key = id >> __builtin_ctz(IDS_A_PAGE);
    if (key != ids->last_key) {
        ids->last_key = key;
        ids->last_page = map_get(&ids->pages, key);
    }
    if (ids->last_page == MAP_NONE)
        return NULL;
    return &ids->rows[(size_t)ids->last_page * IDS_A_PAGE + (size_t)(id & (IDS_A_PAGE - 1))];
}

static inline uint32_t ids_get(struct ids *ids, int64_t id)
{
    const uint32_t *row = ids_place(ids, id);
    return row ? *row : (uint32_t)ROW_NONE;
}

void ids_put(struct ids *ids, int64_t id, uint32_t row); /* replaces */

#endif
