/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which Python looks for an attribute: a class before those above it, and those in the order in which they
 * are named (C3, as Python merges the orders of the bases). Where bases contradict each other, as in a file that is being
 * edited, the rest comes as it stands.
 */
#include "cells.h"

#include "base/mem.h"

enum state { UNSEEN, OPEN, DONE };

struct ordering {
    struct cells *cells;
    uint8_t *state;  /* per class */
    uint32_t *stack; /* classes on the way up */
    uint32_t depth;
};

struct merge {
    uint32_t order[MOST_ABOVE];
    uint32_t count;
    bool cut;
};

static bool holds(const struct merge *merge, uint32_t class_id)
{
    for (uint32_t i = 0; i < merge->count; i++)
        if (merge->order[i] == class_id)
            return true;
    return false;
}

/* The first of an order that is not taken yet; NONE. */
static uint32_t head(const struct merge *merge, const struct class_data *of)
{
    for (uint32_t i = 0; i < of->order_count; i++)
        if (!holds(merge, of->order[i]))
            return of->order[i];
    return NONE;
}

/* Whether a class that is not taken yet stands before it in an order. */
static bool waits(const struct merge *merge, const struct class_data *of, uint32_t class_id)
{
    for (uint32_t i = 0; i < of->order_count; i++) {
        if (of->order[i] == class_id)
            return head(merge, of) != class_id;
    }
    return false;
}

static bool is_blocked(const struct cells *cells, const struct class_data *data, const struct merge *merge, uint32_t b,
                       uint32_t class_id)
{
    for (uint32_t i = 0; i < data->base_count; i++)
        if (waits(merge, &cells->classes[data->bases[i]], class_id))
            return true;
    for (uint32_t i = 0; i < b; i++)
        if (!holds(merge, data->bases[i]) && data->bases[i] != class_id)
            for (uint32_t k = i + 1; k < data->base_count; k++)
                if (data->bases[k] == class_id)
                    return true;
    return false;
}

/* The next class of the merged orders of the bases; of contradicting ones the first that there is. */
static uint32_t next_class(const struct cells *cells, const struct class_data *data, const struct merge *merge)
{
    uint32_t any = NONE;
    for (uint32_t b = 0; b < data->base_count; b++) {
        const uint32_t first = head(merge, &cells->classes[data->bases[b]]);
        any = any == NONE ? first : any;
        if (first != NONE && !is_blocked(cells, data, merge, b, first))
            return first;
    }
    return any;
}

static void take(struct merge *merge, uint32_t class_id)
{
    if (merge->count < MOST_ABOVE)
        merge->order[merge->count++] = class_id;
    else
        merge->cut = true;
}

static void put_in_order(struct cells *cells, uint32_t id)
{
    struct class_data *data = &cells->classes[id];
    const struct class_data *only = data->base_count == 1 ? &cells->classes[data->bases[0]] : NULL;
    struct merge merge = {.order = {id}, .count = 1};
    for (uint32_t i = 0; only && i < only->order_count; i++)
        take(&merge, only->order[i]);
    for (uint32_t next; !only && !merge.cut && (next = next_class(cells, data, &merge)) != NONE;)
        take(&merge, next);
    for (uint32_t b = 0; b < data->base_count; b++)
        merge.cut |= cells->classes[data->bases[b]].order_cut;
    if (merge.count > data->order_count)
        data->order = arena_array(&cells->arena, merge.count, sizeof *data->order);
    memcpy(data->order, merge.order, merge.count * sizeof *data->order);
    data->order_count = merge.count;
    data->order_cut = merge.cut;
}

/* The first base that has no order yet; a class that inherits from itself is passed over. NONE. */
static uint32_t base_to_come(const struct ordering *ordering, uint32_t id)
{
    const struct class_data *data = &ordering->cells->classes[id];
    for (uint32_t b = 0; b < data->base_count; b++)
        if (ordering->state[data->bases[b]] == UNSEEN)
            return data->bases[b];
    return NONE;
}

/* Bases first, without recursion: files may hold chains of any length. */
static void order_from(struct ordering *ordering, uint32_t id)
{
    ordering->stack[ordering->depth++] = id;
    ordering->state[id] = OPEN;
    while (ordering->depth) {
        const uint32_t at = ordering->stack[ordering->depth - 1], base = base_to_come(ordering, at);
        if (base != NONE) {
            ordering->state[base] = OPEN;
            ordering->stack[ordering->depth++] = base;
            continue;
        }
        put_in_order(ordering->cells, at);
        ordering->state[at] = DONE;
        ordering->depth--;
    }
}

static bool is_diamond(const struct cells *cells, uint32_t id)
{
    const struct class_data *data = &cells->classes[id];
    for (uint32_t i = 0; i < data->order_count; i++)
        if (cells->classes[data->order[i]].base_count > 1)
            return true;
    return false;
}

/* Counts them for each class above, or lays them down there. */
static void each_diamond(struct cells *cells, bool fill)
{
    for (uint32_t id = 0; id < cells->files->class_count; id++) {
        const struct class_data *data = &cells->classes[id];
        const uint32_t above_count = is_diamond(cells, id) ? data->order_count : 0;
        for (uint32_t i = 0; i < above_count; i++) {
            struct class_data *above = &cells->classes[data->order[i]];
            if (fill)
                cells->diamonds[above->first_diamond + above->diamond_count] = id;
            above->diamond_count++;
        }
    }
}

static void list_diamonds(struct cells *cells)
{
    uint32_t total = 0;
    for (uint32_t id = 0; id < cells->files->class_count; id++)
        cells->classes[id].diamond_count = 0;
    each_diamond(cells, false);
    for (uint32_t id = 0; id < cells->files->class_count; id++) {
        cells->classes[id].first_diamond = total;
        total += cells->classes[id].diamond_count;
        cells->classes[id].diamond_count = 0;
    }
    mem_free(cells->diamonds);
    cells->diamonds = mem_alloc((total + (size_t)1) * sizeof *cells->diamonds);
    each_diamond(cells, true);
}

static void mark_inherited(struct cells *cells)
{
    for (uint32_t id = 0; id < cells->files->class_count; id++)
        cells->classes[id].inherited = false;
    for (uint32_t id = 0; id < cells->files->class_count; id++)
        for (uint32_t b = 0; b < cells->classes[id].base_count; b++)
            cells->classes[cells->classes[id].bases[b]].inherited = true;
}

void class_put_in_order(struct cells *cells)
{
    const uint32_t count = cells->files->class_count;
    struct ordering ordering = {.cells = cells,
                                .state = mem_zeroed(count + (size_t)1),
                                .stack = mem_alloc((count + (size_t)1) * sizeof *ordering.stack)};
    mark_inherited(cells);
    for (uint32_t id = 0; id < count; id++)
        if (ordering.state[id] == UNSEEN)
            order_from(&ordering, id);
    list_diamonds(cells);
    mem_free(ordering.state);
    mem_free(ordering.stack);
}

void class_spread_made(struct cells *cells)
{
    for (uint32_t id = 0; id < cells->files->class_count; id++) {
        struct class_data *data = &cells->classes[id];
        if (!data->made || data->made_spread)
            continue;
        data->made_spread = true;
        for (uint32_t i = 0; i < data->order_count; i++) {
            struct class_data *above = &cells->classes[data->order[i]];
            above->made_below = true;
            above->changed = true;
        }
    }
}
