/* SPDX-License-Identifier: Apache-2.0 */
#include "row_stream.h"

enum { FIRST_ROWS = 1000 };

struct row_reader {
    struct spool *rows;
    row_read_fn *read;
    char name[ROW_NAME_MOST];
};

static bool next(void *context, struct cell *cells)
{
    struct row_reader *reader = context;
    return reader->read(reader->rows, reader->name, cells);
}

static void again(void *context)
{
    struct row_reader *reader = context;
    spool_again(reader->rows);
}

static void put_first(struct row_reader *reader, uint32_t columns, struct table *table, struct arena *arena)
{
    struct cell cells[ROW_CELLS_MOST];
    again(reader);
    for (int i = 0; i < FIRST_ROWS && next(reader, cells); i++) {
        table_row(table);
        for (uint32_t column = 0; column < columns; column++)
            table_cell(table, cells[column].kind == CELL_TEXT ? cell_text(str_copy(arena, cells[column].text))
                                                              : cells[column]);
    }
}

void row_stream_show(struct spool *rows, row_read_fn *read, uint32_t columns, struct table *table,
                     struct report *report)
{
    struct row_reader *reader = arena_alloc(report_arena(report), sizeof *reader);
    reader->rows = rows;
    reader->read = read;
    put_first(reader, columns, table, report_arena(report));
    table_stream(table, (struct row_stream){next, again, reader});
}
