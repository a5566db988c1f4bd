/* SPDX-License-Identifier: Apache-2.0 */
#include "lined.h"

enum {
    READS_FOR_ALL = 64, /* all values are laid out when one in so many was read */
    NEAR = 32,          /* items from one to the next, of which a processor still fetches the memory ahead */
};

bool lined_is_worth_it(const uint32_t *items, uint32_t count)
{
    uint32_t far = 0;
    for (uint32_t i = 1; i < count; i++)
        far += items[i] - items[i - 1] > NEAR; /* one before it is far, too: the difference wraps */
    return far > count / 8;
}

static const int64_t *lay_out(const struct sql_lined *lined, struct sql_part *part, const struct sql_column *column)
{
    const uint64_t bytes = (uint64_t)lined->count * sizeof(int64_t);
    if (!numbers_can(column) || part->kept_bytes + bytes > SQL_MOST_KEPT)
        return NULL;
    part->kept_bytes += bytes;
    int64_t *values = arena_room(part->arena, lined->count, sizeof *values);
    return numbers_of(part, column, lined->items, lined->count, values) ? values : NULL;
}

void lined_count(struct sql_lined *lined, struct sql_part *part, uint32_t column)
{
    if (lined->columns[column].reads <= lined->count / READS_FOR_ALL &&
        lined->columns[column].reads++ == lined->count / READS_FOR_ALL)
        lined->columns[column].values = lay_out(lined, part, &lined->table->columns[column]);
}

struct cell lined_cell(struct sql_lined *lined, struct sql_part *part, const struct sql_column *column, uint32_t at)
{
    const int64_t *numbers = lined_numbers(lined, part, (uint32_t)(column - lined->table->columns));
    return numbers ? numbers_cell(part, column, numbers[at]) : column->get(part, column, lined->items[at]);
}
