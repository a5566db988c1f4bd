/* SPDX-License-Identifier: Apache-2.0 */
#include "numbering.h"

#include "base/mem.h"
#include "base/sort.h"

uint32_t numbering_id(struct numbering *numbering, int64_t number)
{
    const uint32_t found = map_get(&numbering->ids, number);
    if (found != MAP_NONE)
        return found;
    numbering->numbers =
        mem_grow(numbering->numbers, &numbering->room, numbering->count + 1, sizeof *numbering->numbers);
    numbering->numbers[numbering->count] = number;
    map_put(&numbering->ids, number, (uint32_t)numbering->count);
    return (uint32_t)numbering->count++;
}

struct renumbering numbering_sort(const struct numbering *numbering, struct arena *arena)
{
    struct keyed *keys = mem_alloc((numbering->count + 1) * sizeof *keys);
    for (size_t i = 0; i < numbering->count; i++)
        keys[i] = (struct keyed){numbering->numbers[i], (uint32_t)i};
    sort_keyed(keys, numbering->count);
    uint32_t *place = arena_array(arena, numbering->count, sizeof *place);
    int64_t *numbers = arena_array(arena, numbering->count, sizeof *numbers);
    for (size_t i = 0; i < numbering->count; i++) {
        place[keys[i].row] = (uint32_t)i;
        numbers[i] = keys[i].key;
    }
    mem_free(keys);
    return (struct renumbering){place, numbers};
}

void numbering_free(struct numbering *numbering)
{
    map_free(&numbering->ids);
    mem_free(numbering->numbers);
}
