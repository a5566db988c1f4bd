/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "numbers.h"

/* Numbers that lie close are counted; others go by sort_keyed. */
static uint64_t most_width(uint32_t count)
{
    return 4 * (uint64_t)count + 4096;
}

struct range {
    int64_t least;
    uint64_t width; /* the numbers from the least to the largest known; 0: more than 64 bits, or none is known */
};

static struct range range_of(const int64_t *numbers, uint32_t count)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        least = numbers[i] != NUMBER_NONE && numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
    }
    return (struct range){least, least <= most ? (uint64_t)most - (uint64_t)least + 1 : 0};
}

static bool is_narrow(const struct range *range, uint32_t count)
{
    return (range->width || range->least == INT64_MAX) && range->width <= most_width(count);
}

/* Of a narrow range: 0 for null, else from 1 on. */
static uint64_t code_of(const struct range *range, int64_t number)
{
    return number == NUMBER_NONE ? 0 : (uint64_t)number - (uint64_t)range->least + 1;
}

/* ---- sorting: places of numbers as they are, and the items go along ---- */

struct sorting {
    struct sql_part *part;
    uint32_t *items, *room; /* two arrays in turns; items NULL before the first pass, whose items are given */
    const uint32_t *given;
    uint32_t count;
    int64_t *numbers, *more;
};

static const uint32_t *items_of(const struct sorting *sorting)
{
    return sorting->items ? sorting->items : sorting->given;
}

/* Where the next order goes; its items are those of the sorting once it is there. */
static uint32_t *room_for(struct sorting *sorting)
{
    if (!sorting->room)
        sorting->room = mem_alloc(((size_t)sorting->count + 1) * sizeof *sorting->room);
    return sorting->room;
}

static void take_items(struct sorting *sorting)
{
    uint32_t *before = sorting->items;
    sorting->items = sorting->room;
    sorting->room = before;
}

static void sort_counted(struct sorting *sorting, uint64_t width)
{
    const uint32_t *items = items_of(sorting);
    uint32_t *begin = mem_zeroed((width + 2) * sizeof *begin), *sorted = room_for(sorting);
    for (uint32_t i = 0; i < sorting->count; i++)
        begin[sorting->numbers[i] + 1]++;
    for (uint64_t code = 0; code < width; code++)
        begin[code + 1] += begin[code];
    for (uint32_t i = 0; i < sorting->count; i++)
        sorted[begin[sorting->numbers[i]]++] = items ? items[i] : i;
    mem_free(begin);
    take_items(sorting);
}

static void sort_wide(struct sorting *sorting)
{
    const uint32_t *items = items_of(sorting);
    uint32_t *sorted = room_for(sorting);
    struct keyed *pairs = mem_alloc(((size_t)sorting->count + 1) * sizeof *pairs);
    for (uint32_t i = 0; i < sorting->count; i++)
        pairs[i] = (struct keyed){sorting->numbers[i], items ? items[i] : i};
    sort_keyed(pairs, sorting->count);
    for (uint32_t i = 0; i < sorting->count; i++)
        sorted[i] = pairs[i].row;
    mem_free(pairs);
    take_items(sorting);
}

/* Where a number looks like a null, nulls go before it in a pass of their own. */
static void nulls_first(struct sorting *sorting, const struct sql_column *column)
{
    const uint32_t *items = items_of(sorting);
    for (uint32_t i = 0; i < sorting->count; i++)
        sorting->numbers[i] = column->get(sorting->part, column, items[i]).kind != CELL_NULL;
    sort_counted(sorting, 2);
}

/* ---- columns whose numbers are few together are one number ---- */

/* Begins with the column's numbers in `numbers`; false: they were sorted by at once. */
static bool begin_codes(struct sorting *sorting, const struct sql_column *column, uint64_t *width)
{
    const bool clear = numbers_ordered(sorting->part, column, items_of(sorting), sorting->count, sorting->numbers);
    const struct range range = range_of(sorting->numbers, sorting->count);
    if (!clear || !is_narrow(&range, sorting->count)) {
        sort_wide(sorting);
        if (!clear)
            nulls_first(sorting, column);
        return false;
    }
    *width = range.width + 1;
    for (uint32_t i = 0; i < sorting->count; i++)
        sorting->numbers[i] = (int64_t)code_of(&range, sorting->numbers[i]);
    return true;
}

/* Puts a coarser column before the codes; false: they would be too many. */
static bool add_codes(struct sorting *sorting, const struct sql_column *column, uint64_t *width)
{
    if (!sorting->more)
        sorting->more = mem_alloc(((size_t)sorting->count + 1) * sizeof *sorting->more);
    if (!numbers_ordered(sorting->part, column, items_of(sorting), sorting->count, sorting->more))
        return false;
    const struct range range = range_of(sorting->more, sorting->count);
    if (!is_narrow(&range, sorting->count) || range.width + 1 > most_width(sorting->count) / *width)
        return false;
    for (uint32_t i = 0; i < sorting->count; i++)
        sorting->numbers[i] += (int64_t)(code_of(&range, sorting->more[i]) * *width);
    *width *= range.width + 1;
    return true;
}

void order_items(struct sql_part *part, const struct sql_column *const *columns, uint32_t column_count,
                 const uint32_t *items, uint32_t count, uint32_t *sorted)
{
    struct sorting sorting = {.part = part, .given = items, .count = count, .room = sorted};
    sorting.numbers = mem_alloc(((size_t)count + 1) * sizeof *sorting.numbers);
    for (uint32_t left = column_count; left;) {
        uint64_t width;
        if (!begin_codes(&sorting, columns[--left], &width))
            continue;
        while (left && add_codes(&sorting, columns[left - 1], &width))
            left--;
        sort_counted(&sorting, width);
    }
    if (sorting.items != sorted) {
        memcpy(sorted, sorting.items, count * sizeof *sorted);
        sorting.room = sorting.items;
    }
    mem_free(sorting.room);
    mem_free(sorting.numbers);
    mem_free(sorting.more);
}

/* ---- an index ---- */

static uint32_t first_from(const struct sql_index *index, int64_t number)
{
    uint32_t low = 0, high = index->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (index->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By each number of the range, and one behind it: how many known numbers are less. */
static const uint32_t *begins_of(const struct sql_index *index, struct sql_part *part)
{
    uint32_t *begins = arena_room(part->arena, index->width + 1, sizeof *begins);
    uint32_t at = first_from(index, index->least);
    for (uint64_t i = 0; i <= index->width; i++) {
        while (at < index->count && (uint64_t)index->numbers[at] - (uint64_t)index->least < i)
            at++;
        begins[i] = at;
    }
    return begins;
}

bool index_make(struct sql_part *part, const struct sql_column *column, const uint32_t *items, uint32_t count,
                struct sql_index *index)
{
    const uint64_t bytes = most_width(count) * sizeof(uint32_t) + (uint64_t)count * 12;
    if (part->kept_bytes + bytes > SQL_MOST_KEPT)
        return false;
    uint32_t *sorted = arena_room(part->arena, count, sizeof *sorted);
    int64_t *numbers = arena_room(part->arena, count, sizeof *numbers);
    part->kept_bytes += bytes;
    order_items(part, &column, 1, items, count, sorted);
    const bool clear = numbers_ordered(part, column, sorted, count, numbers);
    const struct range range = range_of(numbers, count);
    *index = (struct sql_index){.items = sorted, .numbers = numbers, .count = count, .least = range.least};
    if (range.width && is_narrow(&range, count)) {
        index->width = range.width;
        index->begins = begins_of(index, part);
    }
    return clear;
}

void index_find(const struct sql_index *index, int64_t number, uint32_t *from, uint32_t *to)
{
    *from = *to = 0;
    if (number == NUMBER_NONE)
        return;
    if (!index->begins) {
        *from = first_from(index, number);
        *to = number == INT64_MAX ? index->count : first_from(index, number + 1);
    } else if (number >= index->least && (uint64_t)number - (uint64_t)index->least < index->width) {
        const uint64_t at = (uint64_t)number - (uint64_t)index->least;
        *from = index->begins[at];
        *to = index->begins[at + 1];
    }
}
