/* SPDX-License-Identifier: Apache-2.0 */
/* A map from 64-bit integers (correlation ids, thread ids) to 32-bit values (rows). A zeroed struct is empty. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAP_NONE = UINT32_MAX }; /* never a value */

struct map_slot {
    int64_t key;
    uint32_t value; /* MAP_NONE: free */
};

struct map {
    struct map_slot *slots;
    size_t mask; /* slots - 1 */
    size_t count;
};

void map_put(struct map *map, int64_t key, uint32_t value); /* replaces */
uint32_t map_get(const struct map *map, int64_t key);       /* MAP_NONE where absent */
void map_free(struct map *map);

#endif
