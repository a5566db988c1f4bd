/* SPDX-License-Identifier: Apache-2.0 */
#include "breakdown_show.h"

#include "base/stat.h"
#include "base/sum.h"
#include "definitions.h"
#include "facts.h"

/* ---- what is shown ---- */

static void add_device(struct shown *shown, const struct breakdown *rank, const struct breakdown_device *device)
{
    shown->rows[shown->count++] = (struct shown_device){rank, device};
    shown->step_rows += device->step_count;
    shown->device |= device->recorded;
    shown->host_only |= !device->recorded;
    for (uint32_t i = 0; i < device->step_count; i++) {
        sum_to(&shown->wall_ns, device->steps[i].wall_ns);
        for (int part = 0; part < PARTS; part++)
            sum_to(&shown->part_ns[part], device->steps[i].part_ns[part]);
    }
}

static struct shown shown_of(const struct breakdown *const *ranks, uint32_t count, struct report *report)
{
    struct shown shown = {.report = report};
    uint32_t devices = 0;
    for (uint32_t i = 0; i < count; i++)
        devices += ranks[i]->device_count;
    shown.rows = arena_array(report_arena(report), devices, sizeof *shown.rows);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ranks[i]->device_count; k++)
            add_device(&shown, ranks[i], &ranks[i]->devices[k]);
    shown.many = shown.count > 1;
    return shown;
}

int64_t shown_total(const struct shown *shown, int account)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < shown->count; i++)
        sum += shown->rows[i].device->total[account];
    return sum;
}

/* ---- the steps in a few values ---- */

static void say_what_was_not_recorded(const struct shown *shown, struct section *section)
{
    if (shown->host_only)
        section_text(section, shown->device
                                  ? S("Some ranks have no device activity: their steps are split on the host.")
                                  : S("The trace has no device activity: its steps are split on the host."));
}

static void warn_of_left_out(const struct breakdown *const *ranks, uint32_t count, struct report *report)
{
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i]->devices_left_out)
            report_warning(report, ranks[i]->path, -1,
                           str_printf(report_arena(report), "%u devices beyond the first %u are left out",
                                      ranks[i]->devices_left_out, ranks[i]->device_count));
}

static struct stat_summary wall_summary(const struct shown *shown)
{
    struct arena scratch = {0};
    int64_t *walls = arena_array(&scratch, shown->step_rows, sizeof *walls);
    uint32_t n = 0;
    for (uint32_t i = 0; i < shown->count; i++)
        for (uint32_t k = 0; k < shown->rows[i].device->step_count; k++)
            walls[n++] = shown->rows[i].device->steps[k].wall_ns;
    const struct stat_summary summary = stat_summarise(walls, n);
    arena_free(&scratch);
    return summary;
}

static void show_compilations(const struct breakdown *const *ranks, uint32_t count, struct section *section)
{
    struct compilations sums = {0};
    for (uint32_t i = 0; i < count; i++)
        compilations_add(&sums, &ranks[i]->compilations);
    compilations_show(&sums, section);
}

static void show_values(const struct shown *shown, struct section *section, uint32_t ranks)
{
    const struct stat_summary wall = wall_summary(shown);
    section_value(section, "ranks", "ranks", UNIT_COUNT, cell_int(ranks));
    section_value(section, "steps", "steps of all ranks", UNIT_COUNT, cell_int(shown->step_rows));
    section_value(section, "step_mean_ns", "step, mean", UNIT_NS, wall.count ? cell_real(wall.mean) : cell_null());
    section_value(section, "step_p50_ns", "step, median", UNIT_NS, wall.count ? cell_real(wall.p50) : cell_null());
    section_value(section, "step_p95_ns", "step, 95 %", UNIT_NS, wall.count ? cell_real(wall.p95) : cell_null());
}

/* ---- parts ---- */

static void part_range(const struct shown *shown, int part, int64_t *least, int64_t *most)
{
    *least = INT64_MAX;
    *most = INT64_MIN;
    for (uint32_t i = 0; i < shown->count; i++)
        for (uint32_t k = 0; k < shown->rows[i].device->step_count; k++) {
            const int64_t ns = shown->rows[i].device->steps[k].part_ns[part];
            *least = ns < *least ? ns : *least;
            *most = ns > *most ? ns : *most;
        }
}

static void part_row(const struct shown *shown, struct table *table, enum part part)
{
    int64_t least, most;
    part_range(shown, (int)part, &least, &most);
    table_row(table);
    table_text(table, str_of(part_id(part)));
    table_text(table, str_of(part_title(part)));
    table_real(table, (double)shown->part_ns[part] / shown->step_rows);
    table_cell(table, cell_ratio((double)shown->part_ns[part], (double)shown->wall_ns));
    table_int(table, least);
    table_int(table, most);
}

/* Parts that never occur would only lengthen the list; in `steps` they are 0. */
static void show_parts(const struct shown *shown, struct section *section)
{
    struct table *table = definitions_table(shown->report, section, "parts", "", NULL);
    for (int part = 0; part < PARTS; part++)
        if (shown->part_ns[part])
            part_row(shown, table, (enum part)part);
    section_figure(section, "step", FIGURE_STACK, "parts", "title", "share");
}

/* ---- ranks ---- */

static struct cell device_cell(const struct breakdown_device *device)
{
    return device->recorded ? cell_int(device->device) : cell_null();
}

static struct cell account_cell(const struct breakdown_device *device, enum account account)
{
    return device->recorded ? cell_int(device->total[account]) : cell_null();
}

static void rank_row(const struct shown_device *row, struct table *table)
{
    const struct breakdown_device *device = row->device;
    const int64_t *total = device->total;
    table_row(table);
    table_int(table, row->rank->rank);
    table_cell(table, device_cell(device));
    table_text(table, row->rank->path);
    table_int(table, device->step_count);
    table_cell(table, device->recorded ? cell_int(device->events) : cell_null());
    table_cell(table, account_cell(device, ACCOUNT_SPAN));
    table_cell(table, account_cell(device, ACCOUNT_BUSY));
    table_cell(table, cell_ratio((double)total[ACCOUNT_BUSY], (double)total[ACCOUNT_SPAN]));
    for (int account = ACCOUNT_IDLE; account <= ACCOUNT_KERNEL_SUM; account++)
        table_cell(table, account_cell(device, (enum account)account));
}

static void show_ranks(const struct shown *shown)
{
    struct section *section = report_section(shown->report, "ranks", "Devices over the whole trace or selection");
    struct table *table = definitions_table(shown->report, section, "ranks", "", NULL);
    for (uint32_t i = 0; i < shown->count; i++)
        rank_row(&shown->rows[i], table);
}

/* ---- steps ---- */

static struct cell part_cell(const struct breakdown_device *device, const struct breakdown_step *step, enum part part)
{
    const bool applies = device->recorded ? part_of_device_step(part) : part_of_host_step(part);
    return applies ? cell_int(step->part_ns[part]) : cell_null();
}

static void step_row(const struct shown_device *row, const struct breakdown_step *step, struct table *table)
{
    table_row(table);
    table_int(table, row->rank->rank);
    table_cell(table, device_cell(row->device));
    table_int(table, step->number);
    table_int(table, step->start_ns);
    table_int(table, step->wall_ns);
    for (int part = 0; part < PARTS; part++)
        table_cell(table, part_cell(row->device, step, (enum part)part));
    table_cell(table, row->device->recorded ? cell_int(step->launched_compute_ns) : cell_null());
}

/* On a terminal only parts of at least a hundredth of the time, so that a step fits a line. */
static struct section *show_steps(const struct shown *shown, const char *title)
{
    bool large[PARTS];
    for (int part = 0; part < PARTS; part++)
        large[part] = shown->part_ns[part] > shown->wall_ns / 100;
    struct section *section = report_section(shown->report, "steps", title);
    struct table *table = definitions_table(shown->report, section, "steps", "", large);
    for (uint32_t i = 0; i < shown->count; i++)
        for (uint32_t k = 0; k < shown->rows[i].device->step_count; k++)
            step_row(&shown->rows[i], &shown->rows[i].device->steps[k], table);
    return section;
}

/* ---- step over step; of many ranks how their steps are distributed ---- */

enum { LINES_MOST = 6, DISTRIBUTIONS_MOST = 3 };
static const double line_least = 0.03; /* of the time: below that a line is lost at the foot */

static void add_figure(const struct shown *shown, struct section *section, str column)
{
    const char *id = str_printf(report_arena(shown->report), shown->many ? "distribution_%.*s" : "line_%.*s",
                                (int)column.len, column.at)
                         .at;
    section_page_figure(section, id, shown->many ? FIGURE_CDF : FIGURE_LINE, "steps", "step", column.at);
}

/* The step, and its largest parts. */
static void add_figures(const struct shown *shown, struct section *section)
{
    struct arena *arena = report_arena(shown->report);
    bool drawn[PARTS] = {false};
    add_figure(shown, section, S("wall_ns"));
    for (int figures = 1; figures < (shown->many ? DISTRIBUTIONS_MOST : LINES_MOST); figures++) {
        int most = PARTS;
        for (int part = 0; part < PARTS; part++)
            if (!drawn[part] && (most == PARTS || shown->part_ns[part] > shown->part_ns[most]))
                most = part;
        if ((double)shown->part_ns[most] < line_least * (double)shown->wall_ns)
            return;
        drawn[most] = true;
        add_figure(shown, section, str_printf(arena, "%s_ns", part_id((enum part)most)));
    }
}

void steps_show(const struct breakdown *const *ranks, uint32_t count, struct report *report)
{
    const struct shown shown = shown_of(ranks, count, report);
    if (!shown.step_rows)
        return;
    struct section *section = show_steps(&shown, "Step over step");
    if (shown.step_rows > 1)
        add_figures(&shown, section);
}

void breakdown_show(const struct breakdown *const *ranks, uint32_t count, struct report *report)
{
    const struct shown shown = shown_of(ranks, count, report);
    struct section *section = report_section(report, "breakdown", "Where the time of a step goes");
    say_what_was_not_recorded(&shown, section);
    warn_of_left_out(ranks, count, report);
    show_values(&shown, section, count);
    show_compilations(ranks, count, section);
    show_parts(&shown, section);
    show_idle(&shown);
    show_work(&shown);
    show_ranks(&shown);
    show_steps(&shown, "Steps");
}
