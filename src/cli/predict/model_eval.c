/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "cli/program/hardware_option.h"
#include "hw/catalogue.h"
#include "model/fit/score.h"
#include "model/tables/table.h"
#include "model_command.h"
#include "cli/program/output.h"

enum { MOST_SCORES = 4096 };

/* Of one operator on one device. */
struct line {
    struct score score;
    str spelling;                    /* of the device, as the table has it */
    const struct hardware *hardware; /* NULL: not known */
    enum estimate_basis basis;
};

struct evaluation {
    const struct models *models;
    const struct catalogue *catalogue;
    const struct hardware *given; /* by --hw; NULL */
    struct arena *arena;
    struct line *lines;
    uint32_t count;
    uint32_t unused; /* rows without a kernel, a time or a known device */
};

static struct line *line_of(struct evaluation *evaluation, const struct table_row *row)
{
    for (uint32_t i = 0; i < evaluation->count; i++) {
        struct line *line = &evaluation->lines[i];
        if (str_eq(line->score.op, row->op) && str_eq(line->spelling, row->device))
            return line;
    }
    if (evaluation->count == MOST_SCORES)
        return NULL;
    struct line *line = &evaluation->lines[evaluation->count++];
    line->score.op = str_copy(evaluation->arena, row->op);
    line->spelling = str_copy(evaluation->arena, row->device);
    line->hardware = evaluation->given
                         ? evaluation->given
                         : catalogue_gpu(evaluation->catalogue, line->spelling, (struct gpu_signs){-1, -1});
    line->score.device = line->hardware ? line->hardware->name : line->spelling;
    return line;
}

static bool score_row(struct evaluation *evaluation, const struct table_row *row)
{
    struct estimate estimate;
    if (row->problem || row->us <= 0)
        return false;
    struct line *line = line_of(evaluation, row);
    if (!line || !line->hardware || !models_estimate(evaluation->models, line->hardware, &row->kernel, &estimate, NULL))
        return false;
    line->basis = estimate.basis;
    score_add(&line->score, estimate.us, row->us);
    return true;
}

static bool score_table(struct evaluation *evaluation, const char *path, struct steptime_error *err)
{
    struct kernel_table *table = kernel_table_open(path, err);
    if (!table)
        return false;
    for (struct table_row row; kernel_table_next(table, &row);)
        evaluation->unused += !score_row(evaluation, &row);
    return kernel_table_close(table, err);
}

/* ---- showing ---- */

static const struct column_spec score_columns_2[] = {
    {"op", "operator", UNIT_NONE, 0, "operator of the rows"},
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "device that they were measured on"},
    {"rows", "rows", UNIT_COUNT, 0, "measured rows compared"},
    {"basis", "basis", UNIT_NONE, 0, "seen: rows of the device were fitted; carried: predicted from other devices"},
    {"gmae", "geometric mean", UNIT_RATIO, 0, "geometric mean of abs(predicted / measured - 1)"},
    {"mean", "mean", UNIT_RATIO, 0, "mean of abs(predicted / measured - 1)"},
    {"median", "median", UNIT_RATIO, 0, "median of the same"},
    {"p95", "95th percentile", UNIT_RATIO, 0, "95th percentile of the same"},
    {"bias", "signed bias", UNIT_RATIO, 0, "mean of predicted / measured - 1"},
    {0},
};

static void score_columns(struct table *table)
{
    table_columns(table, score_columns_2);
}

static void score_line(struct table *table, const struct line *line)
{
    const struct score_numbers numbers = score_numbers(&line->score);
    table_row(table);
    table_text(table, line->score.op);
    table_text(table, line->score.device);
    table_int(table, line->score.count);
    table_text(table, estimate_basis_word(line->basis));
    table_real(table, numbers.gmae);
    table_real(table, numbers.mean);
    table_real(table, numbers.median);
    table_real(table, numbers.p95);
    table_real(table, numbers.bias);
}

static void show(const struct evaluation *evaluation, struct report *report)
{
    struct section *section = report_section(report, "errors", "Errors");
    section_text(section, S("Of |predicted / measured - 1|; the bias keeps its sign."));
    section_value(section, "unused_rows", "rows that could not be used", UNIT_COUNT, cell_int(evaluation->unused));
    struct table *table = section_table(section, "errors", "");
    score_columns(table);
    for (uint32_t i = 0; i < evaluation->count; i++)
        if (evaluation->lines[i].score.count)
            score_line(table, &evaluation->lines[i]);
}

/* ---- the verb ---- */

static bool evaluate(const struct call *call, struct evaluation *evaluation, struct steptime_error *err)
{
    if (call_argument_count(call) < 2)
        return fail(err, STEPTIME_USAGE, "which tables? 'steptime model eval TABLE...'");
    uint32_t rows = 0;
    for (uint32_t i = 1; i < call_argument_count(call); i++)
        if (!score_table(evaluation, call_argument(call, i), err))
            return false;
    for (uint32_t i = 0; i < evaluation->count; i++)
        rows += evaluation->lines[i].score.count;
    return rows || fail(err, STEPTIME_INPUT, "no row with a kernel, a measured time and a known device");
}

bool model_eval(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct hardware room;
    struct report *report = report_new(&arena, S("model"));
    struct evaluation evaluation = {.models = models_of_call(call, &arena, err), .arena = &arena};
    evaluation.catalogue = catalogue_built_in();
    evaluation.lines = arena_array(&arena, MOST_SCORES, sizeof *evaluation.lines);
    const bool good = evaluation.models && hardware_of_call(call, &arena, &room, &evaluation.given, err) &&
                      evaluate(call, &evaluation, err);
    if (good)
        show(&evaluation, report);
    for (uint32_t i = 0; i < evaluation.count; i++)
        score_free(&evaluation.lines[i].score);
    const bool written = good && output_report(call, report, err);
    arena_free(&arena);
    return written;
}
