/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <math.h>

#include "model/estimate/interval.h"
#include "model/posterior/choose.h"
#include "model/tables/table_lines.h"
#include "predict_private.h"

/* ---- finding ---- */

/* Kernels of one form and one time are one shape. */
static struct predicted_row *row_of(const struct plan_launch *launch, struct predicted_row *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].kernel.form == launch->kernel.form && rows[i].us == launch->estimate.us)
            return &rows[i];
    return NULL;
}

static void sift_up(struct predicted_row *rows, uint32_t at)
{
    for (; at > 0 && rows[at].doubt_us > rows[at - 1].doubt_us; at--) {
        const struct predicted_row row = rows[at];
        rows[at] = rows[at - 1];
        rows[at - 1] = row;
    }
}

static bool is_doubtful(const struct plan *plan, const struct plan_launch *launch)
{
    return launch->has_kernel && !launch->gone && !plan->ops[launch->op].gone && launch->basis != TIMED_RECORDED &&
           launch->estimate.basis != BASIS_MEASURED;
}

enum { CANDIDATES = 40 };

/* A shape that falls out of the list and comes again begins anew: the list is of those that are large at once. */
static uint32_t largest_doubts(const struct plan *plan, struct predicted_row *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const struct plan_launch *launch = &plan->launches[i];
        if (!is_doubtful(plan, launch))
            continue;
        const double doubt_us = launch->us * estimate_sd(&launch->estimate);
        struct predicted_row *row = row_of(launch, rows, count);
        if (!row && count == CANDIDATES && rows[count - 1].doubt_us >= doubt_us)
            continue;
        if (!row) {
            row = &rows[count < CANDIDATES ? count++ : count - 1];
            *row = (struct predicted_row){.kernel = launch->kernel, .us = launch->estimate.us};
        }
        row->doubt_us += doubt_us;
        row->calls++;
        sift_up(rows, (uint32_t)(row - rows));
    }
    return count;
}

/* As they would be measured: launched by themselves. */
static struct wanted *as_wanted(const struct predicted_row *rows, uint32_t count, struct arena *arena)
{
    struct wanted *wanted = arena_array(arena, count, sizeof *wanted);
    for (uint32_t i = 0; i < count; i++)
        wanted[i] = (struct wanted){.kernel = &rows[i].kernel,
                                    .weight = rows[i].us * (double)rows[i].calls,
                                    .seconds = seconds_to_measure(rows[i].us)};
    return wanted;
}

/* Where the device is not known, as in a bare replay, the largest doubts stand as they are. */
uint32_t measure_find(const struct plan *plan, const struct models *models, const struct hardware *hardware,
                      struct arena *arena, struct predicted_row *rows)
{
    struct arena scratch = {0};
    struct choice choices[PREDICTED_ROWS];
    struct predicted_row *found = arena_array(&scratch, CANDIDATES, sizeof *found);
    const uint32_t count = largest_doubts(plan, found);
    const bool known = models && hardware;
    const uint32_t wanted = count < PREDICTED_ROWS ? count : PREDICTED_ROWS;
    const uint32_t chosen =
        known && count ? choose_rows(models, hardware, as_wanted(found, count, &scratch), count, true, wanted, choices)
                       : wanted;
    for (uint32_t i = 0; i < chosen; i++) {
        rows[i] = found[known ? choices[i].at : i];
        rows[i].narrows_us = known ? sqrt(choices[i].gain) : 0;
        rows[i].kernel.alone = true;
        rows[i].kernel.variant = str_copy(arena, rows[i].kernel.variant);
    }
    arena_free(&scratch);
    return chosen;
}

/* ---- showing ---- */

static const struct column_spec columns[] = {
    {"row", "row, its time to be filled in", UNIT_NONE, COLUMN_WIDE,
     "a kernel as a line of a table of measurements, under the value measure_columns; latency_us is left to fill in"},
    {"calls", "calls", UNIT_COUNT, 0, "launches of that shape in a step"},
    {"narrows_ns", "narrows by", UNIT_NS, 0,
     "what measuring it, after those above, is expected to take off the doubt of all kernels: the root of the variance; null where the device is not known"},
    {"doubt_ns", "may be off", UNIT_NS, 0,
     "sum over these of predicted time times the standard deviation of its logarithm"},
    {0},
};

void measure_show(const struct prediction *p, struct report *report)
{
    if (range_width_of(p) != RANGE_WIDE_BY_ESTIMATES || !p->row_count)
        return;
    struct section *section = report_section(report, "measure", "What to measure");
    section_text(
        section,
        S("The interval is wider than a fifth. These kernels, measured on that device and given to 'steptime "
          "calibrate --rows TABLE', narrow what device work adds to it the most for each second of measuring."));
    struct arena *arena = report_arena(report);
    const struct kernel **kernels = arena_array(arena, p->row_count, sizeof *kernels);
    for (uint32_t i = 0; i < p->row_count; i++)
        kernels[i] = &p->rows[i].kernel;
    const struct table_lines lines = table_lines_of(kernels, p->row_count);
    section_value(section, "measure_columns", "columns", UNIT_NONE, cell_text(table_lines_header(&lines, arena)));
    struct table *table = section_table(section, "measure", "");
    table_columns(table, columns);
    for (uint32_t i = 0; i < p->row_count; i++) {
        table_row(table);
        table_text(table, table_line(&lines, kernels[i], p->device, 0, arena));
        table_int(table, (int64_t)p->rows[i].calls);
        table_cell(table, p->rows[i].narrows_us > 0 ? cell_rounded(p->rows[i].narrows_us * 1e3) : cell_null());
        table_cell(table, cell_rounded(p->rows[i].doubt_us * 1e3));
    }
}
