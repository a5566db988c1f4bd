/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/real.h"
#include "table_forms.h"
#include "text/csv_stream.h"

enum { MOST_SIZES = 9 };

/* What the columns of a kind of table are called. */
struct schema {
    const char *op; /* the column; or, after '=', the word of all rows */
    const char *device, *us;
    const char *sizes[MOST_SIZES + 1]; /* in the order of kernel_of_op, ended by NULL */
    const char *us_too;                /* another name of the column `us`; NULL */
    double us_each;                    /* of its unit; 0: 1 */
    bool queued;                       /* kernels timed without what launched them */
};

static const struct schema schemas[] = {
    {.op = "op", .device = "device", .us = "latency_us", .sizes = {"b", "m", "n", "k"}},
    {.op = "op", .device = "device", .us = "latency_us", .sizes = {"rows", "cols"}},
    {.op = "op",
     .device = "device",
     .us = "latency_us",
     .sizes = {"batch", "in_channels", "out_channels", "kernel_size", "input_size", "stride", "padding"}},
    {.op = "=gemm_fp8", .device = "hardware", .us = "avg_duration", .sizes = {"M", "N", "K"}, .queued = true},
    {.op = "op", .device = "device", .us = "latency_us", .sizes = {"bytes", "ranks", "server_ranks"}},
    {.op = "collective",
     .device = "device",
     .us = "time_stats.all_reduce.median",
     .us_too = "time_stats.send_recv.median",
     .us_each = 1000,
     .sizes = {"size", "num_workers", "devices_per_node"}},
    {.op = "=iteration",
     .device = "device",
     .us = "iteration time (ms)",
     .us_each = 1000,
     .sizes = {"hidden size", "attention heads", "# layers", "sequence length", "micro batch", "global batch",
               "tensor parallelism", "data parallelism", "pipeline parallelism"}},
    {.op = "=iteration",
     .device = "device",
     .us = "iteration_ms",
     .us_each = 1000,
     .sizes = {"hidden", "heads", "layers", "sequence", "micro_batch", "global_batch", "tensor", "data", "pipeline"}},
};
enum { SCHEMAS = sizeof schemas / sizeof *schemas };

/* Where the columns of a kind of table are; UINT32_MAX: not there. */
struct layout {
    const struct schema *schema;
    uint32_t op, device, us, sizes[MOST_SIZES], size_count;
};

struct kernel_table {
    struct csv_stream *rows;
    struct layout layouts[SCHEMAS]; /* of the kinds whose columns are all there */
    uint32_t layout_count;
    struct form_columns forms;
    bool names_forms;
    uint32_t queued, library, version, busy, watts; /* columns that every kind may have */
};

/* ---- columns ---- */

static bool find_column(const struct kernel_table *table, const char *name, uint32_t *column)
{
    *column = csv_column(csv_stream_header(table->rows), str_of(name));
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
    if (!find_column(table, schema->us, &layout->us) && schema->us_too)
        find_column(table, schema->us_too, &layout->us);
    return true;
}

static bool find_layouts(struct kernel_table *table)
{
    for (int i = 0; i < SCHEMAS; i++)
        table->layout_count += find_layout(table, &schemas[i], &table->layouts[table->layout_count]);
    table->names_forms = form_columns_find(csv_stream_header(table->rows), &table->forms);
    find_column(table, "queued", &table->queued);
    find_column(table, "library", &table->library);
    find_column(table, "library_version", &table->version);
    find_column(table, "busy_us", &table->busy);
    find_column(table, "power_w", &table->watts);
    return table->layout_count > 0 || table->names_forms;
}

static bool check_columns(struct kernel_table *table, const char *path, struct steptime_error *err)
{
    str column, meant;
    if (!find_layouts(table))
        return fail_at(
            err, STEPTIME_INPUT, str_of(path), -1,
            "not a table of kernels: no column op with b, m, n, k, with rows, cols, or as doc/models.md says");
    return !table->names_forms || !form_columns_mistaken(csv_stream_header(table->rows), &column, &meant) ||
           fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no column is called '%.*s'; is '%.*s' meant?",
                   (int)column.len, column.at, (int)meant.len, meant.at);
}

struct kernel_table *kernel_table_open(const char *path, struct steptime_error *err)
{
    struct csv_stream *rows = csv_stream_open(path, err);
    struct steptime_error why;
    if (!rows)
        return NULL;
    struct kernel_table *table = mem_zeroed(sizeof *table);
    table->rows = rows;
    if (check_columns(table, path, &why))
        return table;
    if (kernel_table_close(table, err) && err)
        *err = why;
    return NULL;
}

const struct csv_row *kernel_table_header(const struct kernel_table *table)
{
    return csv_stream_header(table->rows);
}

/* ---- rows ---- */

/* Sizes may be written as 128 or 128.0. NULL, or what is wrong. */
static const char *read_count(str text, int64_t *size)
{
    double value;
    if (str_int(text, size))
        return NULL;
    if (!real_read(text, &value) || value != floor(value))
        return "a size is not a whole number";
    if (fabs(value) > 1e15)
        return "a size does not fit 64 bits";
    *size = (int64_t)value;
    return NULL;
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
    for (uint32_t i = 0; i < layout->size_count; i++) {
        const char *problem = read_count(csv_field(&row->fields, layout->sizes[i]), &sizes[i]);
        if (problem)
            return problem;
    }
    return kernel_of_op(row->op, sizes, layout->size_count, &row->kernel);
}

/* A row that names its form needs no kind of table. */
static void read_form(const struct kernel_table *table, struct table_row *row)
{
    row->op = csv_field(&row->fields, table->forms.op);
    row->device = csv_field(&row->fields, table->forms.device);
    row->problem = form_columns_kernel(&table->forms, &row->fields, &row->kernel);
    row->kernel.alone = true;
    if (!real_read(csv_field(&row->fields, table->forms.us), &row->us) || row->us <= 0)
        row->us = 0;
}

/* The row as that kind of table has it. */
static void read_row(const struct layout *layout, struct table_row *row)
{
    row->op = layout->op == UINT32_MAX ? str_of(layout->schema->op + 1) : csv_field(&row->fields, layout->op);
    row->device = csv_field(&row->fields, layout->device);
    row->problem = read_kernel(layout, row);
    row->kernel.alone = !layout->schema->queued;
    if (!real_read(csv_field(&row->fields, layout->us), &row->us) || row->us <= 0)
        row->us = 0;
    if (layout->schema->us_each > 0)
        row->us *= layout->schema->us_each;
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

/* A row that says how long its kernel is busy is about the power meanwhile, which is what was measured then. */
static void read_power(const struct kernel_table *table, struct table_row *row)
{
    const str busy = str_trim(csv_field(&row->fields, table->busy));
    if (!busy.len)
        return;
    if (!real_read(busy, &row->kernel.busy_us) || !(row->kernel.busy_us > 0))
        row->problem = "busy_us is not a number above 0";
    if (!real_read(csv_field(&row->fields, table->watts), &row->us) || row->us <= 0)
        row->us = 0;
}

/* A row that does not say how it was timed was launched by itself, as those of the public tables were. */
static void read_setting(const struct kernel_table *table, struct table_row *row)
{
    const str queued = str_trim(csv_field(&row->fields, table->queued));
    if (queued.len && !str_eq(queued, S("0")) && !str_eq(queued, S("1")))
        row->problem = "queued is neither 0 nor 1";
    if (queued.len)
        row->kernel.alone = str_eq(queued, S("0"));
    row->kernel.library = library_of_word(str_trim(csv_field(&row->fields, table->library)));
    row->kernel.version = version_of_word(str_trim(csv_field(&row->fields, table->version)));
    if (row->kernel.version == VERSION_UNKNOWN)
        row->problem = "library_version is no version such as 0.24.0 or 1.3.0rc20";
    if (row->kernel.version && !library_word(row->kernel.library).len)
        row->problem = "library_version is read only beside a library";
    read_power(table, row);
}

/*
 * Rows without a form are forward, in single precision and of plain operands. What says otherwise would be passed over,
 * so it is refused.
 */
static const char *unread(const struct kernel_table *table, const struct csv_row *fields)
{
    const struct form_columns *forms = &table->forms;
    const str dtype = str_trim(csv_field(fields, forms->dtype)),
              backward = str_trim(csv_field(fields, forms->backward));
    if (dtype.len && !str_eq(dtype, S("fp32")))
        return "dtype is read only beside a form: name it in the column form";
    if (backward.len && !str_eq(backward, S("0")))
        return "backward is read only beside a form: name it in the column form";
    return str_trim(csv_field(fields, forms->format)).len
               ? "format is read only beside a form: name it in the column form"
               : NULL;
}

bool kernel_table_next(struct kernel_table *table, struct table_row *row)
{
    *row = (struct table_row){0};
    if (!csv_stream_next(table->rows, &row->fields, &row->line))
        return false;
    if (table->names_forms && (!table->layout_count || form_columns_named(&table->forms, &row->fields)))
        read_form(table, row);
    else {
        read_as_some_kind(table, row);
        row->problem = row->problem ? row->problem : unread(table, &row->fields);
    }
    read_setting(table, row);
    return true;
}

bool kernel_table_close(struct kernel_table *table, struct steptime_error *err)
{
    const bool good = csv_stream_close(table->rows, err);
    mem_free(table);
    return good;
}
