/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of memory by size, then by address: a tree that stays shallow by chance (a treap), so that the smallest that is large enough is found at once. */
#ifndef DRY_FREE_BLOCKS_H
#define DRY_FREE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

enum { NO_BLOCK = UINT32_MAX };

struct block {
    int64_t address, bytes;
    uint32_t before, behind; /* that it touches, of the same segment; NO_BLOCK */
    uint32_t less, more;     /* in the tree */
    uint32_t last, next;     /* free segments, for who gives them back; of records that are not in use the next one */
    uint8_t pool;
    bool is_free;
};

/* *root is a tree of indices into `blocks`; NO_BLOCK: empty. */
void free_blocks_put(struct block *blocks, uint32_t *root, uint32_t block);
void free_blocks_take(struct block *blocks, uint32_t *root, uint32_t block);

/* The smallest of at least so many bytes, of those the one at the lowest address; NO_BLOCK. */
uint32_t free_blocks_find(const struct block *blocks, uint32_t root, int64_t bytes);

#endif
