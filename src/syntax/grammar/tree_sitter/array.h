/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The growing array that scanners of grammars expect; the runtime's packages do not carry one. Its memory, and what the
 * scanner takes itself, comes from where the runtime gets its own.
 */
#ifndef STEPTIME_TREE_SITTER_ARRAY_H
#define STEPTIME_TREE_SITTER_ARRAY_H

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

extern void *(*ts_current_calloc)(size_t count, size_t size);
extern void *(*ts_current_realloc)(void *old, size_t size);
extern void (*ts_current_free)(void *old);

#define calloc ts_current_calloc
#define free   ts_current_free

#define Array(T) \
    struct { \
        T *contents; \
        uint32_t size, capacity; \
    }

/* An array of elements of `size` bytes with room for at least `need`. The grammar's arrays stay below a kilobyte. */
static inline void *array_room(void *contents, uint32_t *capacity, uint32_t need, size_t size)
{
    if (need <= *capacity)
        return contents;
    const uint32_t room = need > 2 * *capacity ? need + 8 : 2 * *capacity;
    *capacity = room;
    return ts_current_realloc(contents, room * size);
}

#define array_init(self)   ((self)->contents = NULL, (self)->size = 0, (self)->capacity = 0)
#define array_delete(self) (free((self)->contents), array_init(self))
#define array_reserve(self, need) \
    ((self)->contents = array_room((self)->contents, &(self)->capacity, (need), sizeof *(self)->contents))
#define array_push(self, element) (array_reserve(self, (self)->size + 1), (self)->contents[(self)->size++] = (element))
#define array_get(self, index)    (assert((uint32_t)(index) < (self)->size), &(self)->contents[index])
#define array_back(self)          array_get(self, (self)->size - 1)
#define array_pop(self)           ((self)->contents[--(self)->size])

#endif
