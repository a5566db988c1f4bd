/* SPDX-License-Identifier: Apache-2.0 */
#include "ids.h"

#include <string.h>

#include "base/mem.h"

void ids_open(struct ids *ids, const struct id_range *range)
{
    *ids = (struct ids){.lowest = range->lowest};
    const uint64_t span = (uint64_t)range->highest - (uint64_t)range->lowest + 1;
    if (!range->count || span == 0 || span > (uint64_t)range->count * 8)
        return;
    ids->range = span;
    ids->rows = mem_alloc(span * sizeof *ids->rows);
    memset(ids->rows, 0xFF, span * sizeof *ids->rows); /* ROW_NONE */
}

void ids_close(struct ids *ids)
{
    mem_free(ids->rows);
    map_free(&ids->map);
}

void ids_put(struct ids *ids, int64_t id, uint32_t row)
{
    if (ids->range)
        ids->rows[(uint64_t)id - (uint64_t)ids->lowest] = row;
    else
        map_put(&ids->map, id, row);
}
