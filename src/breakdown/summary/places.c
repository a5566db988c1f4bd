/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

#include "breakdown/kernels/operators_origin.h"

const bool *places_wanted(uint64_t parts, struct arena *arena)
{
    bool *wanted = arena_array(arena, ACCOUNTS, sizeof *wanted);
    for (int part = 0; part < PARTS; part++)
        wanted[ACCOUNT_PART + part] = parts >> part & 1;
    return wanted;
}

static str line_of(const struct trace *trace, struct origins *origins, uint32_t row, struct arena *arena)
{
    if (row == ROW_NONE || !trace->kinds[EVENT_PYTHON])
        return S("");
    const uint32_t line = origin_line(origins, row);
    return line ? str_copy(arena, line_title(trace_text(trace, line))) : S("");
}

/* The events of the first device that has the part. */
static void find(const struct trace *trace, const struct breakdown_explained *explained, struct origins *origins,
                 struct arena *arena, struct part_place *place)
{
    if (place->count || !explained->count)
        return;
    const uint32_t most = explained->count < MOST_PLACE_ROWS ? explained->count : MOST_PLACE_ROWS;
    uint32_t *rows = arena_array(arena, most, sizeof *rows);
    for (uint32_t i = 0; i < most; i++)
        if (explained->first[i].row != ROW_NONE)
            rows[place->count++] = explained->first[i].row;
    place->rows = rows;
    if (place->count)
        place->line = line_of(trace, origins, rows[0], arena);
}

void places_find(const struct trace *trace, const struct breakdown *breakdown, struct arena *arena,
                 struct part_place places[PARTS])
{
    struct arena scratch = {0};
    struct origins *origins = origins_new(trace, &scratch);
    for (uint32_t d = 0; d < breakdown->device_count; d++) {
        const struct breakdown_device *device = &breakdown->devices[d];
        for (uint32_t i = 0; i < device->explained_count; i++)
            find(trace, &device->explained[i], origins, arena, &places[device->explained[i].account - ACCOUNT_PART]);
    }
    arena_free(&scratch);
}
