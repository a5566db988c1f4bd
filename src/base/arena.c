/* SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

#include "mem.h"

struct arena_block {
    struct arena_block *next;
    void *taken; /* from elsewhere, beside the data; NULL */
    max_align_t data[];
};

enum { FIRST_BLOCK = 1 << 10, SMALL_BLOCK = 4 << 10, LAST_BLOCK = 1 << 20, LARGE = 128 << 10 };

static size_t aligned(size_t bytes)
{
    const size_t unit = alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

/*
 * Blocks grow with what is held in them, so a small arena wastes little and a large one has few blocks: there may be an
 * arena for each of ten thousand ranks.
 */
static size_t block_size(const struct arena *arena, size_t bytes)
{
    size_t size = arena->filled / 4;
    if (size < SMALL_BLOCK)
        size = arena->filled < FIRST_BLOCK ? FIRST_BLOCK : arena->filled < SMALL_BLOCK ? arena->filled : SMALL_BLOCK;
    if (size > LAST_BLOCK)
        size = LAST_BLOCK;
    return size < bytes ? bytes : size;
}

static void add_block(struct arena *arena, size_t bytes)
{
    const size_t size = block_size(arena, bytes);
    struct arena_block *block = mem_alloc(sizeof *block + size);
    *block = (struct arena_block){arena->blocks, NULL};
    arena->blocks = block;
    arena->at = (char *)block->data;
    arena->end = arena->at + size;
    arena->bytes += size;
    arena->filled += size;
}

/* What would leave much of the current block unused, or take much of a new one: it has a block of its own. */
static bool is_bulky(const struct arena *arena, size_t size)
{
    return size >= block_size(arena, 0) / 4;
}

/*
 * A block of its own, beside the one that is being filled. Fresh pages of the system are zero already, so what nobody
 * writes to takes no memory.
 */
static void *alloc_large(struct arena *arena, size_t size, bool zeroed)
{
    struct arena_block *block = zeroed ? mem_zeroed(sizeof *block + size) : mem_alloc(sizeof *block + size);
    *block = (struct arena_block){arena->blocks, NULL};
    arena->blocks = block;
    arena->bytes += size;
    return block->data;
}

static void *alloc(struct arena *arena, size_t bytes, bool zeroed)
{
    const size_t size = aligned(bytes ? bytes : 1);
    if (size < bytes || size > SIZE_MAX - sizeof(struct arena_block))
        mem_alloc(SIZE_MAX);
    const bool fits = arena->at && size <= (size_t)(arena->end - arena->at);
    if (size >= LARGE || (!fits && is_bulky(arena, size)))
        return alloc_large(arena, size, zeroed);
    if (!fits)
        add_block(arena, size);
    char *p = arena->at;
    arena->at += size;
    return zeroed ? memset(p, 0, bytes) : p;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    return alloc(arena, bytes, true);
}

/* SIZE_MAX, which ends as memory that ran out, where the product overflows. */
static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    return alloc(arena, bytes_of(count, size), true);
}

void *arena_room(struct arena *arena, size_t count, size_t size)
{
    return alloc(arena, bytes_of(count, size), false);
}

void *arena_one_more(struct arena *arena, void *list, uint32_t count, size_t size)
{
    if (count & (count - 1))
        return list;
    void *const moved = arena_array(arena, count ? 2 * (size_t)count : 1, size);
    if (count)
        memcpy(moved, list, count * size);
    return moved;
}

void arena_take(struct arena *arena, void *heap, size_t bytes)
{
    struct arena_block *block = mem_alloc(sizeof *block);
    *block = (struct arena_block){arena->blocks, heap};
    arena->blocks = block;
    arena->bytes += bytes;
}

void *arena_move(struct arena *arena, void *from, size_t bytes)
{
    void *to = arena_alloc(arena, bytes);
    if (bytes)
        memcpy(to, from, bytes);
    mem_free(from);
    return to;
}

/* Of the block that is being filled. */
static size_t unused(const struct arena *arena)
{
    return arena->at ? (size_t)(arena->end - arena->at) : 0;
}

void arena_adopt(struct arena *arena, struct arena *other)
{
    if (!other->blocks)
        return;
    struct arena_block *oldest = other->blocks;
    while (oldest->next)
        oldest = oldest->next;
    oldest->next = arena->blocks;
    arena->blocks = other->blocks;
    if (unused(other) > unused(arena)) {
        arena->at = other->at;
        arena->end = other->end;
    }
    arena->bytes += other->bytes;
    arena->filled += other->filled;
    *other = (struct arena){0};
}

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        mem_free(arena->blocks->taken);
        mem_free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (struct arena){0};
}
