/* SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <stdalign.h>
#include <string.h>

#include "mem.h"

struct arena_block {
    struct arena_block *next;
    max_align_t data[];
};

enum { FIRST_BLOCK = 4 << 10, LAST_BLOCK = 1 << 20, LARGE = 128 << 10 };

static size_t aligned(size_t bytes)
{
    const size_t unit = alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

/* Blocks grow with what is held, so a small arena wastes little and a large one has few blocks. */
static size_t block_size(const struct arena *arena, size_t bytes)
{
    size_t size = arena->bytes / 4 < FIRST_BLOCK ? FIRST_BLOCK : arena->bytes / 4;
    if (size > LAST_BLOCK)
        size = LAST_BLOCK;
    return size < bytes ? bytes : size;
}

static void add_block(struct arena *arena, size_t bytes)
{
    const size_t size = block_size(arena, bytes);
    struct arena_block *block = mem_alloc(sizeof *block + size);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->at = (char *)block->data;
    arena->end = arena->at + size;
    arena->bytes += size;
}

/*
 * A block of its own, beside the one that is being filled. Fresh pages of the system are zero already, so what nobody
 * writes to takes no memory.
 */
static void *alloc_large(struct arena *arena, size_t size)
{
    struct arena_block *block = mem_zeroed(sizeof *block + size);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->bytes += size;
    return block->data;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    const size_t size = aligned(bytes ? bytes : 1);
    if (size < bytes || size > SIZE_MAX - sizeof(struct arena_block))
        mem_alloc(SIZE_MAX);
    if (size >= LARGE)
        return alloc_large(arena, size);
    if (!arena->at || size > (size_t)(arena->end - arena->at))
        add_block(arena, size);
    char *p = arena->at;
    arena->at += size;
    return memset(p, 0, bytes);
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;
    return arena_alloc(arena, bytes);
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
    arena->at = other->at;
    arena->end = other->end;
    arena->bytes += other->bytes;
    *other = (struct arena){0};
}

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        mem_free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (struct arena){0};
}
