/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena: many small allocations, one release. The arena is a parameter, and
 * who passes it owns what comes back; nothing is freed singly. A function that
 * needs room only while it works makes its own arena and frees it at the end.
 *
 *     struct arena scratch = {0};
 *     ...
 *     arena_free(&scratch);
 *
 * A zeroed struct is a valid, empty arena.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    char *at, *end;             /* free room in the newest block */
    size_t bytes;               /* held in all blocks */
    size_t filled;              /* of these in blocks that several allocations share */
};

/* Memory aligned for any type, zeroed. size 0 gives a valid, unique address. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* An array of `count` zeroed elements; a product that overflows ends as memory that ran out. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/*
 * Room behind the `count` elements of a list that grows one by one and was only grown by this: itself, or where it is full (count
 * is 0 or a power of two) a copy twice as long.
 */
void *arena_one_more(struct arena *arena, void *list, uint32_t count, size_t size);

/* As arena_array, not zeroed: what nobody writes to costs nothing, however much room is asked for. */
void *arena_room(struct arena *arena, size_t count, size_t size);

/* Takes over memory of base/mem.h, which is freed with the arena. */
void arena_take(struct arena *arena, void *heap, size_t bytes);

/* A copy of no more than these bytes of such memory, which is freed at once. */
void *arena_move(struct arena *arena, void *from, size_t bytes);

/* Takes over all that another arena holds; the other is empty afterwards. */
void arena_adopt(struct arena *arena, struct arena *other);

void arena_free(struct arena *arena);

#endif
