/* SPDX-License-Identifier: Apache-2.0 */
#include "free_blocks.h"

/* By chance, but the same in every run. */
static uint32_t rank_of(uint32_t block)
{
    uint32_t x = (block + 1) * 2654435769u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

static bool comes_before(const struct block *a, const struct block *b)
{
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->address < b->address;
}

/* The tree in two: what comes before the block, and the rest. */
static void split(struct block *blocks, uint32_t root, uint32_t at, uint32_t *less, uint32_t *more)
{
    while (root != NO_BLOCK) {
        if (comes_before(&blocks[root], &blocks[at])) {
            *less = root;
            less = &blocks[root].more;
            root = *less;
        } else {
            *more = root;
            more = &blocks[root].less;
            root = *more;
        }
    }
    *less = *more = NO_BLOCK;
}

void free_blocks_put(struct block *blocks, uint32_t *root, uint32_t block)
{
    while (*root != NO_BLOCK && rank_of(*root) >= rank_of(block))
        root = comes_before(&blocks[block], &blocks[*root]) ? &blocks[*root].less : &blocks[*root].more;
    split(blocks, *root, block, &blocks[block].less, &blocks[block].more);
    *root = block;
}

/* Two trees, of which one comes before the other, as one. */
static void join(struct block *blocks, uint32_t *root, uint32_t less, uint32_t more)
{
    while (less != NO_BLOCK && more != NO_BLOCK) {
        if (rank_of(less) >= rank_of(more)) {
            *root = less;
            root = &blocks[less].more;
            less = *root;
        } else {
            *root = more;
            root = &blocks[more].less;
            more = *root;
        }
    }
    *root = less != NO_BLOCK ? less : more;
}

void free_blocks_take(struct block *blocks, uint32_t *root, uint32_t block)
{
    while (*root != block && *root != NO_BLOCK)
        root = comes_before(&blocks[block], &blocks[*root]) ? &blocks[*root].less : &blocks[*root].more;
    if (*root == block)
        join(blocks, root, blocks[block].less, blocks[block].more);
}

uint32_t free_blocks_find(const struct block *blocks, uint32_t root, int64_t bytes)
{
    uint32_t found = NO_BLOCK;
    while (root != NO_BLOCK) {
        const bool enough = blocks[root].bytes >= bytes;
        found = enough ? root : found;
        root = enough ? blocks[root].less : blocks[root].more;
    }
    return found;
}
