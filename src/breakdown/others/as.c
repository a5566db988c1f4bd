/* SPDX-License-Identifier: Apache-2.0 */
#include "as.h"

#include <math.h>

#include "breakdown/step/definitions.h"

static const struct as_tool *const tools[] = {&as_hta, &as_tracelens, &as_tensorboard};

const struct as_tool *as_tool(str name)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (str_eq(str_of(tools[i]->name), name))
            return tools[i];
    return NULL;
}

void as_run(const struct as_tool *tool, const struct trace *trace, struct arena *arena, struct as_result *result)
{
    const int64_t none = AS_NONE;
    *result = (struct as_result){
        .rank = trace->info.rank, .steps = trace->step_count, .path = str_copy(arena, trace->info.path)};
    result->figures = (struct as_rank){none, none, none, none, none, none, none, none, none, none};
    tool->run(trace, arena, result);
}

/* Doubles the room where the number of metrics reaches a power of two. */
void as_add(struct as_result *result, struct arena *arena, str name, double value, const char *unit)
{
    if (!(result->count & (result->count - 1))) {
        struct as_metric *moved = arena_array(arena, result->count ? result->count * 2 : 1, sizeof *moved);
        if (result->count)
            memcpy(moved, result->metrics, result->count * sizeof *moved);
        result->metrics = moved;
    }
    result->metrics[result->count++] = (struct as_metric){str_copy(arena, name), value, unit};
}

str as_category(const struct trace *trace, uint32_t row)
{
    static const char *const usual[EVENT_KINDS] = {
        [EVENT_OPERATOR] = "cpu_op",
        [EVENT_RUNTIME] = "cuda_runtime",
        [EVENT_ANNOTATION] = "user_annotation",
        [EVENT_PYTHON] = "python_function",
        [EVENT_OVERHEAD] = "overhead",
        [EVENT_KERNEL] = "kernel",
        [EVENT_COPY] = "gpu_memcpy",
        [EVENT_MEMSET] = "gpu_memset",
        [EVENT_SYNC] = "cuda_sync",
        [EVENT_DEVICE_ANNOTATION] = "gpu_user_annotation",
    };
    const str recorded = trace_attr_text(trace, row, ATTR_CATEGORY);
    return recorded.len ? recorded : str_of(usual[trace->kind[row]]);
}

double as_us(int64_t ns)
{
    return (double)((long double)ns / 1000);
}

static int64_t ns_of(double us)
{
    return (int64_t)llroundl((long double)us * 1000);
}

int64_t as_start_ns(const struct trace *trace, uint32_t row)
{
    return ns_of(as_us(trace->origin_ns + trace->start_ns[row]));
}

int64_t as_end_ns(const struct trace *trace, uint32_t row)
{
    return ns_of(as_us(trace->origin_ns + trace->start_ns[row]) + as_us(trace->dur_ns[row]));
}

double as_round2(double value)
{
    return nearbyint(value * 100) / 100;
}

/* ---- the report ---- */

static void ns_cell(struct table *table, int64_t ns)
{
    table_cell(table, ns == AS_NONE ? cell_null() : cell_int(ns));
}

static void rank_row(const struct as_result *result, struct table *table)
{
    const struct as_rank *f = &result->figures;
    table_row(table);
    table_int(table, result->rank);
    table_null(table); /* none of the tools tells devices apart */
    table_text(table, result->path);
    table_int(table, result->steps);
    table_null(table);
    ns_cell(table, f->span_ns);
    ns_cell(table, f->busy_ns);
    table_cell(table, f->span_ns > 0 ? cell_real((double)f->busy_ns / (double)f->span_ns) : cell_null());
    ns_cell(table, f->idle_ns);
    ns_cell(table, f->compute_ns);
    ns_cell(table, f->communication_ns);
    ns_cell(table, f->memory_ns);
    ns_cell(table, f->exposed_communication_ns);
    ns_cell(table, f->host_wait_ns);
    ns_cell(table, f->kernel_wait_ns);
    ns_cell(table, f->other_idle_ns);
    table_null(table);
}

static void metric_rows(const struct as_result *result, struct table *table)
{
    for (uint32_t i = 0; i < result->count; i++) {
        table_row(table);
        table_int(table, result->rank);
        table_text(table, result->path);
        table_text(table, result->metrics[i].name);
        table_real(table, result->metrics[i].value);
        table_text(table, str_of(result->metrics[i].unit));
    }
}

static const struct column_spec as_show_columns[] = {
    {"rank", "rank", UNIT_NONE, 0, "as recorded, else from the file's name, else by order"},
    {"file", "file", UNIT_NONE, COLUMN_DETAIL, "path of the file"},
    {"metric", "metric", UNIT_NONE, COLUMN_WIDE, "the number by the name that the other tool gives it"},
    {"value", "value", UNIT_NONE, 0, "what the other tool would print; its definition is in the other tool"},
    {"unit", "unit", UNIT_NONE, 0, "the unit that the other tool prints"},
    {0},
};

void as_show(const struct as_tool *tool, const struct as_result *const *results, uint32_t count, struct report *report)
{
    struct section *section = report_section(
        report, "as", str_z(report_arena(report), str_printf(report_arena(report), "As %s counts", tool->title)));
    struct table *ranks = definitions_table(report, section, "ranks", "", NULL);
    struct table *metrics = section_table(section, tool->name, "Its numbers");
    table_columns(metrics, as_show_columns);
    for (uint32_t i = 0; i < count; i++) {
        rank_row(results[i], ranks);
        metric_rows(results[i], metrics);
        if (results[i]->failure)
            report_warning(report, results[i]->path, -1, str_of(results[i]->failure));
    }
}
