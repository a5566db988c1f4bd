/* SPDX-License-Identifier: Apache-2.0 */
#include "lined.h"

#include "get.h"

#define NULL_VALUE INT64_MIN /* stands for null; where a trace records it as a number, its column stays where it lies */

enum {
    READS_FOR_ALL = 64, /* all values are laid out when one in so many was read */
    NEAR = 32,          /* items from one to the next, of which a processor still fetches the memory ahead */
};

/* ---- texts that a trace has once are told by their numbers ---- */

static bool can_be_numbers(const struct sql_column *column)
{
    return column->get == get_name || column->get == get_kind || column->type[0] == 'I';
}

static struct cell number_of(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    if (column->get == get_name)
        return cell_int(part->trace->name[item]);
    if (column->get == get_kind)
        return cell_int(part->trace->kind[item]);
    return column->get(part, column, item);
}

static struct cell cell_of(const struct sql_part *part, const struct sql_column *column, int64_t number)
{
    if (column->type[0] == 'I')
        return number == NULL_VALUE ? cell_null() : cell_int(number);
    if (column->get == get_name)
        return cell_text(trace_text(part->trace, (uint32_t)number));
    return cell_text(sql_kind_word((enum event_kind)number));
}

/* ---- laying out ---- */

bool lined_is_worth_it(const uint32_t *items, uint32_t count)
{
    uint32_t far = 0;
    for (uint32_t i = 1; i < count; i++)
        far += items[i] - items[i - 1] > NEAR; /* one before it is far, too: the difference wraps */
    return far > count / 8;
}

static bool fill(int64_t *values, const struct sql_lined *lined, struct sql_part *part, const struct sql_column *column)
{
    for (uint32_t i = 0; i < lined->count; i++) {
        const struct cell cell = number_of(part, column, lined->items[i]);
        if (cell.kind == CELL_INT && cell.i == NULL_VALUE)
            return false;
        values[i] = cell.kind == CELL_INT ? cell.i : NULL_VALUE;
    }
    return true;
}

static const int64_t *lay_out(const struct sql_lined *lined, struct sql_part *part, const struct sql_column *column)
{
    const uint64_t bytes = (uint64_t)lined->count * sizeof(int64_t);
    if (!can_be_numbers(column) || part->lined_bytes + bytes > LINED_MOST)
        return NULL;
    part->lined_bytes += bytes;
    int64_t *values = arena_room(part->arena, lined->count, sizeof *values);
    return fill(values, lined, part, column) ? values : NULL;
}

struct cell lined_cell(struct sql_lined *lined, struct sql_part *part, const struct sql_column *column, uint32_t at)
{
    const size_t i = (size_t)(column - lined->table->columns);
    if (lined->columns[i].values)
        return cell_of(part, column, lined->columns[i].values[at]);
    if (lined->columns[i].reads <= lined->count / READS_FOR_ALL &&
        lined->columns[i].reads++ == lined->count / READS_FOR_ALL)
        lined->columns[i].values = lay_out(lined, part, column);
    return column->get(part, column, lined->items[at]);
}
