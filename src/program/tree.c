/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include "base/sort.h"

/* Entries as lists of children; the place behind the last entry stands for the top. */
struct children {
    uint32_t *first, *next;
};

static struct children children_of(const uint32_t *parents, const int64_t *keys, uint32_t count, struct arena *scratch)
{
    struct children c = {arena_array(scratch, (size_t)count + 1, sizeof *c.first),
                         arena_array(scratch, count, sizeof *c.next)};
    struct keyed *order = arena_array(scratch, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct keyed){keys[i], i};
    sort_keyed(order, count);
    memset(c.first, 0xFF, ((size_t)count + 1) * sizeof *c.first); /* OP_NONE */
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t entry = order[i].row;
        const uint32_t parent = parents[entry] == OP_NONE ? count : parents[entry];
        c.next[entry] = c.first[parent];
        c.first[parent] = entry;
    }
    return c;
}

struct program_tree program_tree_of(const uint32_t *parents, const int64_t *keys, uint32_t count, struct arena *arena)
{
    struct arena scratch = {0};
    const struct children children = children_of(parents, keys, count, &scratch);
    uint32_t *entry_of = arena_array(arena, count, sizeof *entry_of);
    uint32_t *number_of = arena_array(arena, count, sizeof *number_of);
    uint32_t *end = arena_array(arena, count, sizeof *end);
    uint32_t number = 0;
    memset(number_of, 0xFF, count * sizeof *number_of);
    for (uint32_t at = children.first[count]; at != OP_NONE;) {
        entry_of[number] = at;
        number_of[at] = number++;
        if (children.first[at] != OP_NONE) {
            at = children.first[at];
            continue;
        }
        for (; at != OP_NONE && children.next[at] == OP_NONE; at = parents[at])
            end[number_of[at]] = number;
        if (at != OP_NONE) {
            end[number_of[at]] = number;
            at = children.next[at];
        }
    }
    arena_free(&scratch);
    return (struct program_tree){entry_of, number_of, end, number};
}

const uint32_t *program_tops(const struct program_op *ops, uint32_t count, struct arena *arena)
{
    uint32_t *tops = arena_array(arena, count, sizeof *tops);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t parent = ops[i].parent;
        tops[i] = ops[i].label ? (uint32_t)OP_NONE : parent == OP_NONE || ops[parent].label ? i : tops[parent];
    }
    return tops;
}
