/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an id (correlation, External id, sequence number) to a row. Profilers
 * count ids up, so their range is usually a small multiple of their number and
 * an array does; a map where it is not.
 */
#ifndef TRACE_IDS_H
#define TRACE_IDS_H

#include "base/map.h"
#include "trace.h"

struct ids {
    int64_t lowest;
    uint64_t range; /* 0: the map is used */
    uint32_t *rows; /* by id - lowest; ROW_NONE */
    struct map map;
};

/* What ids there will be: widened by each before the table is made. A zeroed struct has seen none. */
struct id_range {
    int64_t lowest, highest;
    uint32_t count;
};

static inline void id_range_widen(struct id_range *range, int64_t id)
{
    range->lowest = !range->count || id < range->lowest ? id : range->lowest;
    range->highest = !range->count || id > range->highest ? id : range->highest;
    range->count++;
}

void ids_open(struct ids *ids, const struct id_range *range);
void ids_close(struct ids *ids);

static inline uint32_t ids_get(const struct ids *ids, int64_t id)
{
    if (!ids->range)
        return map_get(&ids->map, id);
    const uint64_t at = (uint64_t)id - (uint64_t)ids->lowest;
    return at < ids->range ? ids->rows[at] : (uint32_t)ROW_NONE;
}

void ids_put(struct ids *ids, int64_t id, uint32_t row); /* replaces; the id must be in the range */

#endif
