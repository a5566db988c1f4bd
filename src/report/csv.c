/* SPDX-License-Identifier: Apache-2.0 */
/* One table as CSV: a line of column ids, then the rows. A CSV file holds one table, so of several one must be named. */
#include "base/error.h"
#include "render.h"
#include "text/csv_writer.h"

/* The only table of the report; NULL where it has none or several. */
static const struct table *only_table(const struct report *report)
{
    const struct table *only = NULL;
    for (uint32_t i = 0; i < report->section_count; i++) {
        const struct section *section = report->sections[i];
        if (section->in_head)
            continue;
        if (section->table_count > 1 || (section->table_count && only))
            return NULL;
        if (section->table_count)
            only = section->tables[0];
    }
    return only;
}

static bool no_single_table(const struct report *report, struct steptime_error *err)
{
    struct arena scratch = {0};
    const str ids = report_table_ids(report, &scratch);
    if (ids.len)
        fail(err, STEPTIME_USAGE, "csv holds one table; choose with --table one of %.*s", (int)ids.len, ids.at);
    else
        fail(err, STEPTIME_USAGE, "there is no table to write as csv");
    arena_free(&scratch);
    return false;
}

static void put_cell(struct csv_writer *csv, struct cell cell)
{
    switch (cell.kind) {
    case CELL_NULL:
        csv_null(csv);
        break;
    case CELL_INT:
        csv_int(csv, cell.i);
        break;
    case CELL_REAL:
        csv_real(csv, cell.real);
        break;
    case CELL_TEXT:
        csv_text(csv, cell.text);
        break;
    }
}

static void put_rows(struct csv_writer *csv, const struct table *table)
{
    struct arena scratch = {0};
    struct row_walk walk = table_walk(table, &scratch);
    for (const struct cell *cells; (cells = table_next(&walk));) {
        for (uint32_t i = 0; i < table->column_count; i++)
            put_cell(csv, cells[i]);
        csv_end_line(csv);
    }
    arena_free(&scratch);
}

static bool render(const struct report *report, const struct render_options *options, struct writer *out,
                   struct steptime_error *err)
{
    const struct table *table = options->table.len ? report_find_table(report, options->table) : only_table(report);
    if (!table)
        return no_single_table(report, err);
    struct csv_writer csv = {.out = out};
    for (uint32_t i = 0; i < table->column_count; i++)
        csv_text(&csv, table->columns[i].id);
    csv_end_line(&csv);
    put_rows(&csv, table);
    return true;
}

const struct renderer render_csv = {"csv", render};
