/* SPDX-License-Identifier: Apache-2.0 */
#include "numbers.h"

#include <stdlib.h>

#include "base/mem.h"
#include "get.h"

static bool is_number(const struct sql_column *column)
{
    return column->type[0] == 'I';
}

/* Texts that are told by their ids. */
static bool has_ids(const struct sql_column *column)
{
    return column->get == get_name || column->get == get_operator_name ||
           (column->get == get_attr && attr_is_text(column->attr));
}

bool numbers_can(const struct sql_column *column)
{
    return is_number(column) || has_ids(column) || column->get == get_kind;
}

/* ---- one ---- */

static int64_t operator_name(const struct trace *trace, uint32_t row)
{
    const uint32_t operator= trace_operator(trace, row);
    return operator== ROW_NONE ? NUMBER_NONE : trace->name[operator];
}

static int64_t attribute(const struct trace *trace, const struct sql_column *column, uint32_t row)
{
    return trace_attr_or(trace, row, column->attr, NUMBER_NONE);
}

static int64_t any_number(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    const struct cell cell = column->get(part, column, item);
    return cell.kind == CELL_INT ? cell.i : NUMBER_NONE;
}

/* ---- many: of what most queries read a loop each ---- */

#define EACH(value) \
    for (uint32_t i = 0; i < count; i++) { \
        const uint32_t at = items ? items[i] : i; \
        numbers[i] = (value); \
    }

static void take_numbers(struct sql_part *part, const struct sql_column *column, const uint32_t *items, uint32_t count,
                         int64_t *numbers)
{
    const struct trace *trace = part->trace;
    if (column->get == get_dur)
        EACH(trace->dur_ns[at])
    else if (column->get == get_start)
        EACH(trace->start_ns[at])
    else if (column->get == get_name)
        EACH(trace->name[at])
    else if (column->get == get_kind)
        EACH(trace->kind[at])
    else if (column->get == get_operator_name)
        EACH(operator_name(trace, at))
    else if (column->get == get_attr)
        EACH(attribute(trace, column, at))
    else
        EACH(any_number(part, column, at))
}

/* Of numbers alone, and only where one looks like a null. */
static bool is_least(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    const struct cell cell = column->get(part, column, item);
    return cell.kind == CELL_INT && cell.i == NUMBER_NONE;
}

bool numbers_of(struct sql_part *part, const struct sql_column *column, const uint32_t *items, uint32_t count,
                int64_t *numbers)
{
    bool clear = true;
    take_numbers(part, column, items, count, numbers);
    for (uint32_t i = 0; is_number(column) && clear && i < count; i++)
        clear = numbers[i] != NUMBER_NONE || !is_least(part, column, items ? items[i] : i);
    return clear;
}

struct cell numbers_cell(const struct sql_part *part, const struct sql_column *column, int64_t number)
{
    if (number == NUMBER_NONE)
        return cell_null();
    if (is_number(column))
        return cell_int(number);
    return cell_text(column->get == get_kind ? sql_kind_word((enum event_kind)number)
                                             : trace_text(part->trace, (uint32_t)number));
}

/* ---- the order of texts ---- */

static int by_text(const void *a, const void *b)
{
    const struct sql_text *left = a, *right = b;
    return str_cmp(left->text, right->text);
}

static void sort_texts(struct sql_part *part)
{
    const uint32_t count = trace_text_count(part->trace);
    if (part->texts)
        return;
    part->texts = arena_room(part->arena, count, sizeof *part->texts);
    part->places = arena_room(part->arena, count, sizeof *part->places);
    for (uint32_t id = 0; id < count; id++)
        part->texts[id] = (struct sql_text){trace_text(part->trace, id), id};
    qsort(part->texts, count, sizeof *part->texts, by_text);
    uint32_t place = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i && !str_eq(part->texts[i].text, part->texts[place].text))
            place = i;
        part->places[part->texts[i].id] = place;
    }
}

static int64_t place_of_kind(enum event_kind kind)
{
    int64_t place = 0;
    for (int other = 0; other < EVENT_KINDS; other++)
        place += str_cmp(sql_kind_word((enum event_kind)other), sql_kind_word(kind)) < 0;
    return place;
}

bool numbers_ordered(struct sql_part *part, const struct sql_column *column, const uint32_t *items, uint32_t count,
                     int64_t *numbers)
{
    const bool clear = numbers_of(part, column, items, count, numbers);
    if (is_number(column))
        return clear;
    int64_t kinds[EVENT_KINDS];
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        kinds[kind] = place_of_kind((enum event_kind)kind);
    sort_texts(part);
    const bool of_kinds = column->get == get_kind;
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != NUMBER_NONE)
            numbers[i] = of_kinds ? kinds[numbers[i]] : part->places[numbers[i]];
    return true;
}

static bool find_kind(str word, int64_t *number)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (str_eq(sql_kind_word((enum event_kind)kind), word)) {
            *number = place_of_kind((enum event_kind)kind);
            return true;
        }
    return false;
}

bool numbers_find(struct sql_part *part, const struct sql_column *column, const struct cell *value, int64_t *number)
{
    if (is_number(column)) {
        *number = value->i;
        return true;
    }
    if (column->get == get_kind)
        return find_kind(value->text, number);
    sort_texts(part);
    const struct sql_text wanted = {value->text, 0};
    const struct sql_text *found =
        bsearch(&wanted, part->texts, trace_text_count(part->trace), sizeof *part->texts, by_text);
    if (found)
        *number = part->places[found->id];
    return found != NULL;
}
