/* SPDX-License-Identifier: Apache-2.0 */
#include "pai_table.h"

#include <unistd.h>

#include "base/error.h"
#include "base/format.h"
#include "base/mem.h"
#include "job_fields.h"
#include "job_lines.h"
#include "io/source.h"

enum { MOST_COLUMNS = 32, PACKED_TO = 8 }; /* text packs to about an eighth */

struct pai_table {
    struct job_lines *lines;
    struct lines_block block;
    struct field_cursor cursor;
    str fields[MOST_COLUMNS], given[MOST_COLUMNS];
    uint32_t at[MOST_COLUMNS], count;
    const char *path;
    struct import_drops *drops;
    uint64_t line, next_line; /* of the row that was read last, and the one at the cursor */
};

static const char *const endings[] = {".csv", ".csv.gz", ".csv.zst"};
enum { ENDINGS = sizeof endings / sizeof *endings };

bool pai_table_find(const char *folder, const char *name, char *path, size_t room)
{
    for (int i = 0; i < ENDINGS; i++) {
        const int length = format_text(path, room, "%s/%s%s", folder, name, endings[i]);
        if (length > 0 && (size_t)length < room && !access(path, R_OK))
            return true;
    }
    return false;
}

uint64_t pai_table_bytes(const char *path)
{
    struct source *source = source_open(path, NULL);
    const int64_t bytes = source ? source_file_bytes(source) : 0;
    if (source)
        source_close(source);
    return (bytes > 0 ? (uint64_t)bytes : 0) * (str_ends(str_of(path), S(".csv")) ? 1 : PACKED_TO);
}

/* ---- opening ---- */

/* Where each column stands: by the names of a first line that has the first of them, else in the published order. */
static bool find_columns(struct pai_table *table, const char *const *columns)
{
    struct arena scratch = {0};
    struct csv_reader reader = csv_reader(job_lines_first(table->lines));
    struct csv_row row;
    const bool headed = csv_next(&reader, &scratch, &row) && csv_column(&row, str_of(columns[0])) != UINT32_MAX;
    for (uint32_t i = 0; i < table->count; i++)
        table->at[i] = headed ? csv_column(&row, str_of(columns[i])) : i;
    arena_free(&scratch);
    return headed;
}

struct pai_table *pai_table_open(const char *path, const char *const *columns, uint32_t count,
                                 struct import_drops *drops, struct steptime_error *err)
{
    struct job_lines *lines = job_lines_open(path, err);
    if (!lines)
        return NULL;
    struct pai_table *table = mem_zeroed(sizeof *table);
    table->lines = lines;
    table->count = count < MOST_COLUMNS ? count : MOST_COLUMNS;
    table->path = path;
    table->drops = drops;
    table->block.text = mem_alloc(LINES_BLOCK + 1 + LINES_PAD);
    job_lines_start(lines, find_columns(table, columns), 0, 1);
    return table;
}

bool pai_table_close(struct pai_table *table, struct steptime_error *err)
{
    const char *damage = job_lines_damage(table->lines);
    const bool good = !damage || fail_at(err, STEPTIME_INPUT, str_of(table->path), -1, "%s", damage);
    job_lines_close(table->lines);
    mem_free(table->block.text);
    mem_free(table);
    return good;
}

/* ---- rows ---- */

void pai_table_drop(struct pai_table *table, const char *why)
{
    const char *const slash = strrchr(table->path, '/');
    import_drop(table->drops, (struct import_drop){slash ? slash + 1 : table->path, table->line, why});
}

/* Of the current block; false at its end. */
static bool row_of_block(struct pai_table *table, struct csv_row *row)
{
    const char *problem;
    while (table->cursor.at && fields_of_csv(&table->cursor, table->fields, MOST_COLUMNS, row, &problem)) {
        table->line = table->next_line++;
        if (row->count > MOST_COLUMNS)
            problem = "it has more than 32 fields";
        if (problem)
            pai_table_drop(table, problem);
        else if (row->count)
            return true;
    }
    return false;
}

/* A block without bytes is a line that was too long. */
static bool next_block(struct pai_table *table)
{
    if (!job_lines_next(table->lines, &table->block))
        return false;
    table->next_line = table->line = table->block.line;
    table->cursor = (struct field_cursor){0};
    if (table->block.bytes)
        table->cursor = field_cursor(&table->block);
    else
        pai_table_drop(table, "a line of more than 512 KiB");
    return true;
}

static bool next_row(struct pai_table *table, struct csv_row *row)
{
    while (!row_of_block(table, row))
        if (!next_block(table))
            return false;
    return true;
}

bool pai_table_next(struct pai_table *table, const str **fields)
{
    struct csv_row row;
    if (!next_row(table, &row))
        return false;
    for (uint32_t i = 0; i < table->count; i++)
        table->given[i] = table->at[i] < row.count ? table->fields[table->at[i]] : S("");
    *fields = table->given;
    return true;
}
