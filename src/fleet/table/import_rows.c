/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "import.h"
#include "base/real.h"

bool import_fits_header(const struct import_format *format, const struct csv_row *header)
{
    for (size_t i = 0; i < IMPORT_NEEDS && format->needs[i]; i++)
        if (csv_column(header, str_of(format->needs[i])) == UINT32_MAX)
            return false;
    return true;
}

static uint32_t column_of(const struct csv_row *header, const char *name)
{
    return name ? csv_column(header, str_of(name)) : UINT32_MAX;
}

void *import_prepare(const struct import_format *format, const struct csv_row *header, struct arena *arena)
{
    struct import_columns *columns = arena_alloc(arena, sizeof *columns);
    columns->format = format;
    columns->job = column_of(header, format->job);
    columns->gpu = column_of(header, format->gpu);
    for (size_t i = 0; i < IMPORT_NEEDS; i++)
        columns->needs[i] = column_of(header, format->needs[i]);
    for (size_t i = 0; i < IMPORT_MAPS; i++)
        columns->maps[i] = column_of(header, format->maps[i].column);
    return columns;
}

static const char *read_figure(const struct import_map *map, str text, struct job *job)
{
    double value;
    if (!str_trim(text).len)
        return NULL;
    if (!real_read(text, &value))
        return map->column;
    job->field[map->field] = value * map->factor;
    return NULL;
}

const char *import_row(const void *prepared, const struct csv_row *row, struct job *job, struct arena *block)
{
    const struct import_columns *columns = prepared;
    job->name = csv_field(row, columns->job);
    job->gpu = csv_field(row, columns->gpu);
    job->lacks_amounts = true;
    for (size_t i = 0; i < IMPORT_MAPS && columns->format->maps[i].column; i++) {
        const char *wrong = read_figure(&columns->format->maps[i], csv_field(row, columns->maps[i]), job);
        if (wrong)
            return str_printf(block, "%s is no number", wrong).at;
    }
    return columns->format->shape(columns, row, job);
}

enum architecture import_architecture(double gpus, double per_server)
{
    if (gpus <= 1)
        return ARCHITECTURE_1W1G;
    return gpus <= per_server ? ARCHITECTURE_ALLREDUCE_LOCAL : ARCHITECTURE_ALLREDUCE_CLUSTER;
}
