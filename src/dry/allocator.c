/* SPDX-License-Identifier: Apache-2.0 */
#include "allocator.h"

#include "base/sum.h"
#include "free_blocks.h"

enum {
    LEAST = 512,
    SMALL = 1 << 20, /* up to this from small segments */
    SMALL_SEGMENT = 2 << 20,
    LARGE = 10 << 20, /* less than this from large ones */
    LARGE_SEGMENT = 20 << 20,
    OWN_IN = 2 << 20, /* a segment of one tensor's own */
};

enum pool { POOL_SMALL, POOL_LARGE, POOLS };

struct allocator {
    struct arena arena;
    struct block *blocks;
    uint32_t count;
    uint32_t roots[POOLS];
    uint32_t whole; /* the first free block that is all of its segment */
    uint32_t spare; /* the first record of a block that is no more */
    uint32_t *of;   /* by storage: its block; NO_BLOCK */
    int64_t room, reserved, held, address;
    struct allocator_peak peak;
};

static int64_t rounded_to(int64_t bytes, int64_t step)
{
    return (bytes + step - 1) / step * step;
}

int64_t allocator_rounded(int64_t bytes)
{
    return bytes ? rounded_to(bytes, LEAST) : 0;
}

static enum pool pool_of(int64_t bytes)
{
    return bytes <= SMALL ? POOL_SMALL : POOL_LARGE;
}

static int64_t segment_of(int64_t bytes)
{
    return bytes <= SMALL ? SMALL_SEGMENT : bytes < LARGE ? LARGE_SEGMENT : rounded_to(bytes, OWN_IN);
}

/* ---- blocks ---- */

static bool is_segment(const struct block *block)
{
    return block->before == NO_BLOCK && block->behind == NO_BLOCK;
}

static uint32_t new_block(struct allocator *a, struct block block)
{
    const uint32_t spare = a->spare;
    if (spare != NO_BLOCK) {
        a->spare = a->blocks[spare].next;
        a->blocks[spare] = block;
        return spare;
    }
    a->blocks = arena_one_more(&a->arena, a->blocks, a->count, sizeof *a->blocks);
    a->blocks[a->count] = block;
    return a->count++;
}

static void forget_block(struct allocator *a, uint32_t block)
{
    a->blocks[block] = (struct block){.next = a->spare};
    a->spare = block;
}

static void list_whole(struct allocator *a, uint32_t block)
{
    a->blocks[block].last = NO_BLOCK;
    a->blocks[block].next = a->whole;
    if (a->whole != NO_BLOCK)
        a->blocks[a->whole].last = block;
    a->whole = block;
}

static void unlist_whole(struct allocator *a, uint32_t block)
{
    const uint32_t last = a->blocks[block].last, next = a->blocks[block].next;
    if (next != NO_BLOCK)
        a->blocks[next].last = last;
    if (last != NO_BLOCK)
        a->blocks[last].next = next;
    else
        a->whole = next;
}

static void put_free(struct allocator *a, uint32_t block)
{
    a->blocks[block].is_free = true;
    free_blocks_put(a->blocks, &a->roots[a->blocks[block].pool], block);
    if (is_segment(&a->blocks[block]))
        list_whole(a, block);
}

static void take_out(struct allocator *a, uint32_t block)
{
    free_blocks_take(a->blocks, &a->roots[a->blocks[block].pool], block);
    if (is_segment(&a->blocks[block]))
        unlist_whole(a, block);
    a->blocks[block].is_free = false;
}

static void split_off(struct allocator *a, uint32_t block, int64_t bytes)
{
    const struct block whole = a->blocks[block];
    const int64_t left = whole.bytes - bytes;
    if (whole.pool == POOL_SMALL ? left < LEAST : left <= SMALL)
        return;
    const uint32_t rest = new_block(a, (struct block){.address = whole.address + bytes,
                                                      .bytes = left,
                                                      .before = block,
                                                      .behind = whole.behind,
                                                      .pool = whole.pool});
    a->blocks[block].bytes = bytes;
    a->blocks[block].behind = rest;
    if (whole.behind != NO_BLOCK)
        a->blocks[whole.behind].before = rest;
    put_free(a, rest);
}

/* The block behind becomes a part of this one. */
static void swallow(struct allocator *a, uint32_t block)
{
    const uint32_t behind = a->blocks[block].behind;
    const struct block gone = a->blocks[behind];
    a->blocks[block].bytes += gone.bytes;
    a->blocks[block].behind = gone.behind;
    if (gone.behind != NO_BLOCK)
        a->blocks[gone.behind].before = block;
    forget_block(a, behind);
}

/* ---- segments ---- */

/* Those of which nothing is used go back to the device. */
static void give_back(struct allocator *a)
{
    while (a->whole != NO_BLOCK) {
        const uint32_t block = a->whole;
        take_out(a, block);
        a->reserved -= a->blocks[block].bytes;
        forget_block(a, block);
    }
}

static bool has_room(const struct allocator *a, int64_t bytes)
{
    return a->room == ALLOCATOR_NO_LIMIT || sum_add(a->reserved, bytes) <= a->room;
}

/* NO_BLOCK where the device has no room, even without what is cached. */
static uint32_t new_segment(struct allocator *a, int64_t bytes, enum pool pool)
{
    if (!has_room(a, bytes))
        give_back(a);
    if (!has_room(a, bytes))
        return NO_BLOCK;
    sum_to(&a->reserved, bytes);
    const int64_t address = a->address;
    sum_to(&a->address, bytes);
    return new_block(
        a, (struct block){.address = address, .bytes = bytes, .before = NO_BLOCK, .behind = NO_BLOCK, .pool = pool});
}

/* ---- storages ---- */

static void allocate(struct allocator *a, int64_t bytes, uint32_t storage, uint32_t event)
{
    const enum pool pool = pool_of(bytes);
    uint32_t block = free_blocks_find(a->blocks, a->roots[pool], bytes);
    if (block != NO_BLOCK)
        take_out(a, block);
    else
        block = new_segment(a, segment_of(bytes), pool);
    if (block == NO_BLOCK) {
        a->peak.failed_at = event;
        a->peak.missing = sum_add(a->reserved, segment_of(bytes)) - a->room;
        return;
    }
    split_off(a, block, bytes);
    a->of[storage] = block;
    sum_to(&a->held, bytes);
    a->peak.reserved = a->reserved > a->peak.reserved ? a->reserved : a->peak.reserved;
    if (a->held > a->peak.held) {
        a->peak.held = a->held;
        a->peak.held_at = event;
    }
}

static void set_free(struct allocator *a, uint32_t storage, int64_t bytes)
{
    uint32_t block = a->of[storage];
    if (block == NO_BLOCK)
        return;
    a->of[storage] = NO_BLOCK;
    a->held -= bytes;
    const struct block *const freed = &a->blocks[block];
    if (freed->behind != NO_BLOCK && a->blocks[freed->behind].is_free) {
        take_out(a, freed->behind);
        swallow(a, block);
    }
    const uint32_t before = a->blocks[block].before;
    if (before != NO_BLOCK && a->blocks[before].is_free) {
        take_out(a, before);
        swallow(a, before);
        block = before;
    }
    put_free(a, block);
}

struct allocator_peak allocator_replay(const struct dry_lives *lives, int64_t room)
{
    struct allocator a = {.roots = {NO_BLOCK, NO_BLOCK}, .whole = NO_BLOCK, .spare = NO_BLOCK, .room = room};
    a.peak.held_at = a.peak.failed_at = LIVES_NONE;
    a.of = arena_array(&a.arena, lives->count, sizeof *a.of);
    for (uint32_t i = 0; i < lives->count; i++)
        a.of[i] = NO_BLOCK;
    for (uint32_t i = 0; i < lives->event_count && a.peak.failed_at == LIVES_NONE; i++) {
        const struct dry_event event = lives->events[i];
        if (event.what != LIFE_MADE && event.what != LIFE_DIED)
            continue;
        const int64_t bytes = allocator_rounded(lives->storages[event.of].bytes);
        if (event.what == LIFE_DIED)
            set_free(&a, event.of, bytes);
        else if (bytes)
            allocate(&a, bytes, event.of, i);
    }
    arena_free(&a.arena);
    return a.peak;
}
