/* SPDX-License-Identifier: Apache-2.0 */
/* A table of embedding tables, in the words that recommendation systems use. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/real.h"
#include "shard.h"
#include "text/csv_stream.h"

struct columns {
    uint32_t name, rows, width, lookups; /* UINT32_MAX: not there */
};

/* The first of the words, separated by blanks, that is a column. */
static uint32_t column_of(const struct csv_row *header, const char *words)
{
    str rest = str_of(words);
    for (str word; str_cut(&rest, ' ', &word);)
        for (uint32_t i = 0; i < header->count; i++)
            if (str_eq(str_trim(header->fields[i]), word))
                return i;
    return UINT32_MAX;
}

static bool find_columns(const struct csv_row *header, const char *path, struct columns *columns,
                         struct steptime_error *err)
{
    *columns = (struct columns){
        .name = column_of(header, "name table table_name id feature"),
        .rows = column_of(header, "rows num_embeddings hash_size table_rows E"),
        .width = column_of(header, "width dim embedding_dim D"),
        .lookups = column_of(header, "lookups pooling pooling_factor bag bag_size L"),
    };
    if (columns->rows == UINT32_MAX || columns->width == UINT32_MAX)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no table of embedding tables: it has no column '%s'",
                       columns->rows == UINT32_MAX ? "rows" : "width");
    return true;
}

static bool number_at(const struct csv_row *row, uint32_t column, double most, double *number)
{
    return real_read(csv_field(row, column), number) && *number > 0 && *number <= most;
}

static bool take_row(const struct csv_row *row, const struct columns *columns, uint32_t line, const char *path,
                     struct arena *arena, struct shard_table *table, struct steptime_error *err)
{
    double rows, width, lookups = 1;
    const char *wrong = !number_at(row, columns->rows, 1e12, &rows)                                          ? "rows"
                        : !number_at(row, columns->width, 1e6, &width)                                       ? "width"
                        : columns->lookups != UINT32_MAX && !number_at(row, columns->lookups, 1e9, &lookups) ? "lookups"
                                                                                                             : NULL;
    if (wrong)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "line %u: '%s' is no number above 0", line, wrong);
    const str name = columns->name == UINT32_MAX ? S("") : csv_field(row, columns->name);
    *table = (struct shard_table){.name = name.len ? str_copy(arena, name) : str_printf(arena, "line %u", line),
                                  .rows = (int64_t)rows,
                                  .width = (int64_t)width,
                                  .lookups = lookups};
    return true;
}

static bool take_rows(struct csv_stream *stream, const char *path, struct arena *arena, struct shard_table **tables,
                      uint32_t *count, struct steptime_error *err)
{
    struct columns columns;
    struct csv_row row;
    uint32_t line, room = 0;
    if (!find_columns(csv_stream_header(stream), path, &columns, err))
        return false;
    while (csv_stream_next(stream, &row, &line)) {
        if (*count == SHARD_TABLES)
            return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "more than %d tables", SHARD_TABLES);
        if (*count == room) {
            struct shard_table *more = arena_array(arena, room = room ? 2 * room : 64, sizeof *more);
            if (*count)
                memcpy(more, *tables, *count * sizeof *more);
            *tables = more;
        }
        if (!take_row(&row, &columns, line, path, arena, &(*tables)[*count], err))
            return false;
        ++*count;
    }
    return true;
}

bool shard_read(const char *path, struct arena *arena, struct shard_table **tables, uint32_t *count,
                struct steptime_error *err)
{
    struct csv_stream *stream = csv_stream_open(path, err);
    *tables = NULL;
    *count = 0;
    if (!stream)
        return false;
    const bool good = take_rows(stream, path, arena, tables, count, err);
    if (!csv_stream_close(stream, good ? err : NULL) || !good)
        return false;
    return *count || fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no table in it");
}
