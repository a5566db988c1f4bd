/* SPDX-License-Identifier: Apache-2.0 */
/* Linear probing, at most half full, so a free slot always ends a probe. */
#include "map.h"

#include "hash.h"
#include "mem.h"

static struct map_slot *probe(const struct map *map, int64_t key)
{
    for (size_t i = hash_word((uint64_t)key) & map->mask;; i = (i + 1) & map->mask)
        if (map->slots[i].value == MAP_NONE || map->slots[i].key == key)
            return &map->slots[i];
}

static void resize(struct map *map, size_t size)
{
    const struct map old = *map;
    map->slots = mem_alloc(size * sizeof *map->slots);
    map->mask = size - 1;
    for (size_t i = 0; i < size; i++)
        map->slots[i].value = MAP_NONE;
    for (size_t i = 0; old.slots && i <= old.mask; i++)
        if (old.slots[i].value != MAP_NONE)
            *probe(map, old.slots[i].key) = old.slots[i];
    mem_free(old.slots);
}

void map_put(struct map *map, int64_t key, uint32_t value)
{
    if (!map->slots)
        resize(map, 64);
    else if (map->count > map->mask / 2)
        resize(map, (map->mask + 1) * 2);
    struct map_slot *slot = probe(map, key);
    map->count += slot->value == MAP_NONE;
    *slot = (struct map_slot){key, value};
}

uint32_t map_get(const struct map *map, int64_t key)
{
    return map->slots ? probe(map, key)->value : MAP_NONE;
}

void map_free(struct map *map)
{
    mem_free(map->slots);
    *map = (struct map){0};
}
