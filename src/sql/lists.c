/* SPDX-License-Identifier: Apache-2.0 */
#include "lists.h"

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

static uint32_t room_of(const struct sql_table *table, const struct sql_part *part)
{
    return table->kinds ? part->trace->count : table->count(part);
}

bool list_holds(const struct sql_table *table, const struct sql_part *part, uint32_t item)
{
    if (item >= room_of(table, part))
        return false;
    return !table->kinds ||
           (table->kinds >> part->trace->kind[item] & 1 && (!table->has || table->has(part->trace, item)));
}

static void make(struct sql_list *list, const struct sql_table *table, const struct sql_part *part)
{
    const struct trace *trace = part->trace;
    const uint32_t all = (1u << EVENT_KINDS) - 1;
    list->made = true;
    list->count = room_of(table, part);
    if (!table->kinds || (table->kinds == all && !table->has))
        return;
    uint64_t most = 0;
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        most += table->kinds >> kind & 1 ? trace->kinds[kind] : 0;
    uint32_t *items = arena_room(part->arena, most, sizeof *items);
    list->items = items;
    list->count = 0;
    for (uint32_t row = 0; row < trace->count && list->count < most; row++)
        if (list_holds(table, part, row))
            items[list->count++] = row;
}

static bool ascends(const struct sql_list *list, const struct trace *trace)
{
    for (uint32_t i = 1; i < list->count; i++)
        if (trace->start_ns[list_at(list, i)] < trace->start_ns[list_at(list, i - 1)])
            return false;
    return true;
}

static void sort_by_start(struct sql_list *list, const struct sql_part *part)
{
    const struct trace *trace = part->trace;
    list->by_start = true;
    if (ascends(list, trace))
        return;
    struct keyed *pairs = mem_alloc(list->count * sizeof *pairs);
    for (uint32_t i = 0; i < list->count; i++)
        pairs[i] = (struct keyed){trace->start_ns[list_at(list, i)], list_at(list, i)};
    sort_keyed(pairs, list->count);
    uint32_t *items = arena_room(part->arena, list->count, sizeof *items);
    for (uint32_t i = 0; i < list->count; i++)
        items[i] = pairs[i].row;
    list->items = items;
    mem_free(pairs);
}

struct sql_list *list_of(struct sql_list *list, const struct sql_table *table, struct sql_part *part, bool by_start)
{
    if (!list->made)
        make(list, table, part);
    if (by_start && !list->by_start)
        sort_by_start(list, part);
    return list;
}

uint32_t list_from(const struct sql_list *list, const struct trace *trace, int64_t start_ns)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->start_ns[list_at(list, middle)] < start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- what was grouped is kept: who walks along it may be asked for another order meanwhile ---- */

struct sql_grouping {
    struct sql_grouping *before;
    struct sql_order order;
    struct sql_lined lined;
    bool is_far;
};

static bool same_order(const struct sql_order *a, const struct sql_order *b)
{
    return a->count == b->count && !memcmp(a->columns, b->columns, a->count * sizeof *a->columns);
}

struct sql_list list_grouped(struct sql_list *list, const struct sql_table *table, struct sql_part *part,
                             const struct sql_order *order)
{
    struct sql_grouping *found = list->groupings;
    while (found && !same_order(&found->order, order))
        found = found->before;
    if (!found) {
        uint32_t *items = arena_room(part->arena, list->count, sizeof *items);
        order_items(part, order->columns, order->count, list->items, list->count, items);
        found = arena_alloc(part->arena, sizeof *found);
        *found = (struct sql_grouping){.before = list->groupings, .order = *order};
        found->lined = (struct sql_lined){.table = table, .items = items, .count = list->count};
        found->is_far = lined_is_worth_it(items, list->count);
        list->groupings = found;
    }
    return (struct sql_list){
        .made = true, .items = found->lined.items, .count = list->count, .lined = found->is_far ? &found->lined : NULL};
}

struct sql_list list_sorted(const struct sql_list *list, struct sql_part *part, const struct sql_order *order,
                            uint32_t from, uint32_t to, struct arena *arena)
{
    uint32_t *given = arena_room(arena, to - from, sizeof *given), *items = arena_room(arena, to - from, sizeof *items);
    for (uint32_t i = from; i < to; i++)
        given[i - from] = list_at(list, i);
    order_items(part, order->columns, order->count, given, to - from, items);
    return (struct sql_list){.made = true, .items = items, .count = to - from};
}

/* ---- indexes ---- */

enum { SCANS_BEFORE_INDEX = 3 };

const struct sql_index *list_index(struct sql_list *list, const struct sql_table *table, struct sql_part *part,
                                   uint32_t column)
{
    if (!list->indexes)
        list->indexes = arena_array(part->arena, sql_column_count(table), sizeof *list->indexes);
    struct sql_indexed *indexed = &list->indexes[column];
    if (indexed->asked <= SCANS_BEFORE_INDEX && indexed->asked++ == SCANS_BEFORE_INDEX)
        indexed->is_there = index_make(part, &table->columns[column], list->items, list->count, &indexed->index);
    return indexed->is_there ? &indexed->index : NULL;
}
