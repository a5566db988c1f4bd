/* SPDX-License-Identifier: Apache-2.0 */
#include "model/table.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "io/source.h"

/* Text is read by the block; a row never spans two. A longer row than MOST_BYTES is taken for damage. */
enum { BLOCK_BYTES = 1 << 20, MOST_BYTES = 1 << 26, MOST_SIZES = KERNEL_SIZES };

/* What the columns of a kind of table are called. */
struct schema {
    const char *op; /* the column; or, after '=', the word of all rows */
    const char *device, *us;
    const char *sizes[MOST_SIZES + 1]; /* in the order of kernel_of_op, ended by NULL */
};

static const struct schema schemas[] = {
    {"op", "device", "latency_us", {"b", "m", "n", "k", NULL}},
    {"op", "device", "latency_us", {"rows", "cols", NULL}},
    {"op",
     "device",
     "latency_us",
     {"batch", "in_channels", "out_channels", "kernel_size", "input_size", "stride", "padding", NULL}},
    {"=gemm_fp8", "hardware", "avg_duration", {"M", "N", "K", NULL}},
};
enum { SCHEMAS = sizeof schemas / sizeof *schemas };

/* Where the columns of a kind of table are; UINT32_MAX: not there. */
struct layout {
    const struct schema *schema;
    uint32_t op, device, us, sizes[MOST_SIZES], size_count;
};

struct kernel_table {
    struct source *source;
    struct arena own, block; /* the header; the rows of the block at hand */
    char *text;
    size_t bytes, room;
    size_t used; /* bytes of text that the reader has been given */
    bool ended;
    struct csv_reader reader;
    uint32_t lines_before; /* of the blocks that are gone */
    struct csv_row header;
    struct layout layouts[SCHEMAS]; /* of the kinds whose columns are all there */
    uint32_t layout_count;
};

/* ---- text by the block ---- */

/* Bytes up to the end of the last row that is whole: the last line end outside of quotes. */
static size_t whole_rows(const char *text, size_t bytes)
{
    size_t end = 0;
    bool quoted = false;
    for (size_t i = 0; i < bytes; i++) {
        quoted ^= text[i] == '"';
        if (text[i] == '\n' && !quoted)
            end = i + 1;
    }
    return end;
}

/* Reads until the text holds a whole row, or is at its end. False where nothing is left. */
static bool next_block(struct kernel_table *table)
{
    memmove(table->text, table->text + table->used, table->bytes - table->used);
    table->bytes -= table->used;
    table->used = 0;
    while (!table->used && !table->ended) {
        table->text = mem_grow(table->text, &table->room, table->bytes + BLOCK_BYTES, 1);
        size_t got = 0, want = BLOCK_BYTES;
        while (want && (got = source_read(table->source, table->text + table->bytes, want)) > 0) {
            table->bytes += got;
            want -= got;
        }
        table->ended = got == 0 || table->bytes > MOST_BYTES;
        table->used = table->ended ? table->bytes : whole_rows(table->text, table->bytes);
    }
    table->lines_before += table->reader.next ? table->reader.next - 1 : 0;
    table->reader = csv_reader((str){table->text, table->used});
    return table->used > 0;
}

static bool next_row(struct kernel_table *table, struct arena *arena, struct csv_row *row)
{
    while (!csv_next(&table->reader, arena, row)) {
        if (table->ended)
            return false;
        arena_free(&table->block);
        if (!next_block(table))
            return false;
    }
    return true;
}

/* ---- columns ---- */

static bool find_column(const struct kernel_table *table, const char *name, uint32_t *column)
{
    *column = csv_column(&table->header, str_of(name));
    return *column != UINT32_MAX;
}

static bool find_layout(const struct kernel_table *table, const struct schema *schema, struct layout *layout)
{
    *layout = (struct layout){.schema = schema, .op = UINT32_MAX};
    if (schema->op[0] != '=' && !find_column(table, schema->op, &layout->op))
        return false;
    for (; schema->sizes[layout->size_count]; layout->size_count++)
        if (!find_column(table, schema->sizes[layout->size_count], &layout->sizes[layout->size_count]))
            return false;
    find_column(table, schema->device, &layout->device);
    find_column(table, schema->us, &layout->us);
    return true;
}

static bool find_layouts(struct kernel_table *table)
{
    for (int i = 0; i < SCHEMAS; i++)
        table->layout_count += find_layout(table, &schemas[i], &table->layouts[table->layout_count]);
    return table->layout_count > 0;
}

struct kernel_table *kernel_table_open(const char *path, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return NULL;
    struct kernel_table *table = mem_zeroed(sizeof *table);
    table->source = source;
    if (next_row(table, &table->own, &table->header) && find_layouts(table)) {
        /* The header outlives its block. */
        str *names = arena_array(&table->own, table->header.count, sizeof *names);
        for (uint32_t i = 0; i < table->header.count; i++)
            names[i] = str_copy(&table->own, table->header.fields[i]);
        table->header.fields = names;
        table->header.text = str_copy(&table->own, table->header.text);
        return table;
    }
    const char *damage = source_damage(source);
    fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s",
            damage ? damage
                   : "not a table of kernels: no column op with b, m, n, k, with rows, cols, or as doc/models.md says");
    kernel_table_close(table, NULL);
    return NULL;
}

const struct csv_row *kernel_table_header(const struct kernel_table *table)
{
    return &table->header;
}

/* ---- rows ---- */

/* A decimal number that ends with its field; fields are not NUL-terminated. */
static bool number_of(str text, double *value)
{
    char copy[48];
    const str trimmed = str_trim(text);
    if (!trimmed.len || trimmed.len >= sizeof copy)
        return false;
    memcpy(copy, trimmed.at, trimmed.len);
    copy[trimmed.len] = 0;
    char *end;
    *value = strtod(copy, &end);
    return !*end && isfinite(*value);
}

/* Sizes may be written as 128 or 128.0. */
static bool size_of(str text, int64_t *size)
{
    double value;
    if (str_int(text, size))
        return true;
    if (!number_of(text, &value) || value != floor(value) || fabs(value) > 1e15)
        return false;
    *size = (int64_t)value;
    return true;
}

/* Of columns that a table of several kinds leaves empty for other kinds. */
static bool all_empty(const struct layout *layout, const struct csv_row *fields)
{
    for (uint32_t i = 0; i < layout->size_count; i++)
        if (str_trim(csv_field(fields, layout->sizes[i])).len)
            return false;
    return true;
}

static const char *read_kernel(const struct layout *layout, struct table_row *row)
{
    int64_t sizes[MOST_SIZES];
    for (uint32_t i = 0; i < layout->size_count; i++)
        if (!size_of(csv_field(&row->fields, layout->sizes[i]), &sizes[i]))
            return "a size is not a whole number";
    return kernel_of_op(row->op, sizes, layout->size_count, &row->kernel);
}

/* The row as that kind of table has it. */
static void read_row(const struct layout *layout, struct table_row *row)
{
    row->op = layout->op == UINT32_MAX ? str_of(layout->schema->op + 1) : csv_field(&row->fields, layout->op);
    row->device = csv_field(&row->fields, layout->device);
    row->problem = read_kernel(layout, row);
    row->kernel.alone = true;
    if (!number_of(csv_field(&row->fields, layout->us), &row->us) || row->us <= 0)
        row->us = 0;
}

/* As the first kind that has a kernel here; else as the first that has sizes, with what is wrong with them. */
static void read_as_some_kind(const struct kernel_table *table, struct table_row *row)
{
    const struct layout *blamed = &table->layouts[0];
    bool found = false;
    for (uint32_t i = 0; i < table->layout_count; i++) {
        const struct layout *layout = &table->layouts[i];
        if (all_empty(layout, &row->fields))
            continue;
        read_row(layout, row);
        if (!row->problem)
            return;
        blamed = found ? blamed : layout;
        found = true;
    }
    read_row(blamed, row);
}

bool kernel_table_next(struct kernel_table *table, struct table_row *row)
{
    *row = (struct table_row){0};
    if (!next_row(table, &table->block, &row->fields))
        return false;
    row->line = table->lines_before + table->reader.line;
    read_as_some_kind(table, row);
    return true;
}

bool kernel_table_close(struct kernel_table *table, struct steptime_error *err)
{
    const char *damage = source_damage(table->source);
    if (damage)
        fail_at(err, STEPTIME_INPUT, str_of(source_path(table->source)), -1, "%s", damage);
    source_close(table->source);
    arena_free(&table->own);
    arena_free(&table->block);
    mem_free(table->text);
    mem_free(table);
    return !damage;
}
