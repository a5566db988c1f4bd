/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate_show.h"

#include "model/fit/fit_gain.h"
#include "model/posterior/like.h"
#include "model/tables/table_lines.h"

/* ---- what was left out ---- */

static const struct column_spec fault_columns[] = {
    {"fault", "fault", UNIT_NONE, 0, "why rows were left out, as a word"},
    {"rows", "rows", UNIT_COUNT, 0, "rows that were left out for it"},
    {"meaning", "what that is", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "the same in words"},
    {"first", "the first", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP,
     "where the first of these stands, and what is wrong there"},
    {0},
};

static uint32_t faults_of(const struct calibrate_rows *rows)
{
    uint32_t count = 0;
    for (int i = 0; i < ROW_FAULTS; i++)
        count += rows->faults[i];
    return count;
}

void calibrate_show_faults(const struct calibrate_rows *rows, struct report *report)
{
    const uint32_t all = faults_of(rows);
    if (!all)
        return;
    report_warning(report, S(""), -1, str_printf(report_arena(report), "%u rows are left out", all));
    struct table *table = section_table(report_section(report, "left_out", "Rows left out"), "left_out", "");
    table_columns(table, fault_columns);
    for (int i = 0; i < ROW_FAULTS; i++) {
        if (!rows->faults[i])
            continue;
        table_row(table);
        table_text(table, str_of(row_fault_word((enum row_fault)i)));
        table_int(table, rows->faults[i]);
        table_text(table, str_of(row_fault_meaning((enum row_fault)i)));
        table_text(table, rows->first[i]);
    }
}

/* ---- what the rows changed ---- */

static const struct column_spec group_columns[] = {
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "device that the rows were measured on"},
    {"group", "group", UNIT_NONE, 0, "kernels that share coefficients"},
    {"rows", "rows", UNIT_COUNT, 0, "measured rows of the group that were used, those kept from before with them"},
    {"error_before", "error before", UNIT_RATIO, 0, "mean absolute error of the models as they were, on these rows"},
    {"error_after", "now, of others", UNIT_RATIO, 0,
     "mean absolute error of the calibrated set on rows that it does not know: each left out in turn"},
    {"width_before", "within, before", UNIT_RATIO, 0,
     "half-width of the interval of nine of ten, above the value, in the middle of kernels like these in other sizes"},
    {"width_after", "within, now", UNIT_RATIO, 0, "the same by the calibrated set"},
    {0},
};

static void group_row(struct table *table, str device, const struct row_gain *gain)
{
    table_row(table);
    table_text(table, device);
    table_text(table, gain->group);
    table_int(table, gain->rows);
    table_real(table, gain->error_before);
    table_real(table, gain->error_after);
    table_real(table, gain->width_before);
    table_real(table, gain->width_after);
}

static void show_groups(const struct calibrated_device *devices, uint32_t count, struct section *section)
{
    struct table *table = section_table(section, "groups", "");
    table_columns(table, group_columns);
    for (uint32_t d = 0; d < count; d++) {
        const struct measurements *all = &devices[d].rows->believed;
        struct arena scratch = {0};
        uint32_t groups;
        const struct row_gain *gains =
            row_gains_of(all, devices[d].device, devices[d].before, devices[d].after, &scratch, &groups);
        for (uint32_t i = 0; i < groups; i++)
            group_row(table, all->devices[devices[d].device].name, &gains[i]);
        arena_free(&scratch);
    }
}

/* ---- what to measure next ---- */

static const struct column_spec next_columns[] = {
    {"row", "row, its time to be filled in", UNIT_NONE, COLUMN_WIDE,
     "a kernel as a line of a table of measurements, under the value next_columns; latency_us is left to fill in"},
    {"seconds", "seconds", UNIT_NONE, 0, "that measuring it takes, about"},
    {0},
};

enum { CANDIDATES = 200, NEXT = 10 };

static void next_row(struct table *table, const struct next_asked *asked, const struct table_lines *lines,
                     const struct kernel *kernel, struct arena *arena)
{
    struct estimate estimate = {0};
    models_estimate(asked->models, asked->hardware, kernel, &estimate, NULL);
    table_row(table);
    table_text(table, table_line(lines, kernel, asked->hardware->name, 0, arena));
    table_real(table, seconds_to_measure(estimate.us));
}

void calibrate_show_next(const struct next_asked *asked, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct kernel **next = arena_array(arena, asked->most, sizeof *next);
    const uint32_t picked = choose_next(asked, next);
    const struct table_lines lines = table_lines_of(next, picked);
    struct section *section = report_section(report, "next", "What to measure next");
    section_text(section, S("These kernels, measured on the device and given to --rows, are expected to narrow the "
                            "intervals most for each second of measuring."));
    section_value(section, "next_columns", "columns", UNIT_NONE, cell_text(table_lines_header(&lines, arena)));
    struct table *table = section_table(section, "next", "");
    table_columns(table, next_columns);
    for (uint32_t i = 0; i < picked; i++)
        next_row(table, asked, &lines, next[i], arena);
}

/* Among kernels like the rows, in other sizes. */
static void show_next(const struct calibrated_device *of, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct measurements *all = &of->rows->believed;
    const struct hardware *hardware = &all->devices[of->device];
    const struct kernel **kernels = arena_array(arena, all->count, sizeof *kernels);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->rows[i].device == of->device)
            kernels[count++] = &all->rows[i].kernel;
    const struct next_asked asked = {of->after, hardware, kernels_like(kernels, count, CANDIDATES, hardware, arena),
                                     CANDIDATES, NEXT};
    calibrate_show_next(&asked, report);
}

/* ---- all of it ---- */

void calibrate_show_forgotten(str device, const char *folder, struct report *report)
{
    struct section *section = report_section(report, "forgotten", "Forgotten");
    section_text(section, S("Predictions for this device are as they were before it was calibrated."));
    section_value(section, "forgotten_set", "set", UNIT_NONE, cell_text(device));
    section_value(section, "forgotten_from", "taken from", UNIT_NONE, cell_text(str_of(folder)));
}

void calibrate_show(const struct calibrated_device *devices, uint32_t count, struct report *report)
{
    struct section *section = report_section(report, "calibrated", "Calibrated");
    section_text(section,
                 S("Predictions for these devices use the sets from now on, and say so: their basis is calibrated."));
    for (uint32_t i = 0; i < count; i++) {
        const struct stored_set *stored = &devices[i].stored;
        section_value(section, "set", "set", UNIT_NONE, cell_text(stored->device));
        section_value(section, "rows", "rows", UNIT_COUNT, cell_int(stored->rows));
        section_value(section, "set_file", "kept in", UNIT_NONE, cell_text(str_of(stored->set_path)));
    }
    show_groups(devices, count, section);
    calibrate_show_faults(devices[0].rows, report);
    show_next(&devices[0], report);
}
