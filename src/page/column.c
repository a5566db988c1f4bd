/* SPDX-License-Identifier: Apache-2.0 */
#include "column.h"

#include "base/mem.h"

void column_add(struct column *column, uint64_t value)
{
    if (column->count == column->room)
        column->values = mem_grow(column->values, &column->room, column->count + 1, sizeof *column->values);
    column->values[column->count++] = value;
}

/* Puts the lowest seven bits of each, and keeps what is above them. */
static void put_plane(struct column *column, struct buf *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < column->count; i++) {
        const uint64_t value = column->values[i];
        buf_char(out, (char)(value > 127 ? value | 128 : value));
        if (value > 127)
            column->values[kept++] = value >> 7;
    }
    column->count = kept;
}

void column_end(struct column *column, struct buf *out)
{
    while (column->count)
        put_plane(column, out);
}

void column_free(struct column *column)
{
    mem_free(column->values);
    *column = (struct column){0};
}
