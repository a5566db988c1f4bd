/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_merge.h"

#include "base/mem.h"
#include "base/sort.h"

static struct merge_row *row_of(struct merge *merge, str name, str shape)
{
    if (!merge->texts)
        merge->texts = intern_new();
    const int64_t key = (int64_t)intern_id(merge->texts, name) << 32 | intern_id(merge->texts, shape);
    const uint32_t found = map_get(&merge->rows_by_key, key);
    if (found != MAP_NONE)
        return &merge->rows[found];
    map_put(&merge->rows_by_key, key, (uint32_t)merge->row_count);
    merge->rows = mem_grow(merge->rows, &merge->row_room, merge->row_count + 1, sizeof *merge->rows);
    struct merge_row *row = &merge->rows[merge->row_count++];
    *row = (struct merge_row){.first = MERGE_END, .last = MERGE_END};
    return row;
}

struct merge_row *merge_add(struct merge *merge, str name, str shape, uint32_t rank, uint32_t row)
{
    struct merge_row *merged = row_of(merge, name, shape);
    const uint32_t link = (uint32_t)merge->link_count;
    merge->links = mem_grow(merge->links, &merge->link_room, merge->link_count + 1, sizeof *merge->links);
    merge->links[merge->link_count++] = (struct merge_link){rank, row, MERGE_END};
    if (merged->last == MERGE_END)
        merged->first = link;
    else
        merge->links[merged->last].next = link;
    merged->last = link;
    merged->links++;
    return merged;
}

const uint32_t *merge_order(const struct merge *merge, struct arena *arena)
{
    uint32_t *order = arena_array(arena, merge->row_count, sizeof *order);
    struct keyed *pairs = arena_array(arena, merge->row_count, sizeof *pairs);
    for (uint32_t i = 0; i < merge->row_count; i++)
        pairs[i] = (struct keyed){-merge->rows[i].tie, i};
    sort_keyed(pairs, merge->row_count);
    for (uint32_t i = 0; i < merge->row_count; i++)
        pairs[i].key = -merge->rows[pairs[i].row].weight;
    sort_keyed(pairs, merge->row_count); /* stable: ties stay in the order of the first sort */
    for (uint32_t i = 0; i < merge->row_count; i++)
        order[i] = pairs[i].row;
    return order;
}

void merge_free(struct merge *merge)
{
    intern_free(merge->texts);
    map_free(&merge->rows_by_key);
    mem_free(merge->rows);
    mem_free(merge->links);
    *merge = (struct merge){0};
}
