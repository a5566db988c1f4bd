/* SPDX-License-Identifier: Apache-2.0 */
#include "ids.h"

#include <string.h>

#include "base/mem.h"

void ids_open(struct ids *ids)
{
    *ids = (struct ids){.last_page = MAP_NONE};
}

void ids_close(struct ids *ids)
{
    mem_free(ids->rows);
    map_free(&ids->pages);
}

/* A page for the id that was asked for last. */
static void add_page(struct ids *ids)
{
    ids->rows = mem_grow(ids->rows, &ids->room, ids->count + IDS_A_PAGE, sizeof *ids->rows);
    memset(ids->rows + ids->count, 0xFF, IDS_A_PAGE * sizeof *ids->rows); /* ROW_NONE */
    ids->last_page = (uint32_t)(ids->count / IDS_A_PAGE);
    ids->count += IDS_A_PAGE;
    map_put(&ids->pages, ids->last_key, ids->last_page);
}

void ids_put(struct ids *ids, int64_t id, uint32_t row)
{
    if (!ids_place(ids, id))
        add_page(ids);
    *ids_place(ids, id) = row;
}
