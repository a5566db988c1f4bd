/* SPDX-License-Identifier: Apache-2.0 */
#include "path_tables.h"

#include "path_rows.h"

static double share_of(int64_t ns, int64_t all_ns)
{
    return all_ns ? (double)ns / (double)all_ns : 0;
}

static struct path_rows *rows_new(const struct critical_path *const *paths, uint32_t count, struct report *report)
{
    struct path_rows *rows = arena_alloc(report_arena(report), sizeof *rows);
    *rows = path_rows_of(paths, count, report_arena(report));
    return rows;
}

/* ---- what contributes most ---- */

static const struct column_spec top_columns[] = {
    {"class", "class", UNIT_NONE, COLUMN_DETAIL, "kind of time on the path"},
    {"title", "part", UNIT_NONE, 0, "the class in words"},
    {"time_ns", "time", UNIT_NS, COLUMN_SUM, "time on the path, over all selected steps"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "time_ns / wall_ns"},
    {"called", "name", UNIT_NONE, COLUMN_WIDE, "`name`; of a kernel the part of it that tells it from others"},
    {"name", "recorded name", UNIT_NONE, COLUMN_DETAIL,
     "operator, runtime call, kernel; the innermost Python frame that was open all the while, where frames are recorded"},
    {"count", "times", UNIT_COUNT, COLUMN_SUM, "stretches of the path"},
    {"operator", "in operator", UNIT_NONE, COLUMN_WIDE,
     "of device work and runtime calls: the operator around the longest of them"},
    {0},
};

static void fill_top(const void *context, uint32_t row, struct cell *cells)
{
    const struct path_rows *rows = context;
    uint32_t within;
    const struct critical_path *path = rows->paths[path_rows_at(rows, row, &within)];
    const struct path_top *top = &path->tops[within];
    *cells++ = cell_int(path->rank);
    *cells++ = cell_text(str_of(path_class_id(top->class)));
    *cells++ = cell_text(str_of(path_class_title(top->class)));
    *cells++ = cell_int(top->ns);
    *cells++ = cell_real(share_of(top->ns, path->wall_ns));
    *cells++ = cell_text(top->title);
    *cells++ = cell_text(top->name);
    *cells++ = cell_int((int64_t)top->count);
    *cells++ = cell_text(top->operator);
}

void path_top_show(const struct critical_path *const *paths, uint32_t count, struct report *report)
{
    struct table *table = section_table(report_section(report, "top", "What contributes most"), "top", "");
    struct path_rows *rows = rows_new(paths, count, report);
    path_rank_column(table, count);
    table_columns(table, top_columns);
    if (count > 1)
        table_several_wholes(table);
    for (uint32_t i = 0; i < count; i++)
        rows->until[i] = (i ? rows->until[i - 1] : 0) + paths[i]->top_count;
    table_drawn(table, path_rows_all(rows), fill_top, rows);
}

/* ---- classes side by side ---- */

static const struct column_spec sums_columns_2[] = {
    {"largest", "most of it", UNIT_NONE, 0, "the class with most time on the path, in words"},
    {"largest_share", "share", UNIT_RATIO, 0, "its share of wall_ns"},
    {0},
};

static void sums_columns(struct table *table, struct arena *arena)
{
    table_columns(table, sums_columns_2);
    for (int c = 0; c < PATH_CLASSES; c++)
        table_column(table, (struct column_spec){str_printf(arena, "%s_ns", path_class_id((enum path_class)c)).at,
                                                 path_class_title((enum path_class)c), UNIT_NS, COLUMN_DETAIL,
                                                 "time of this class on the path"});
}

static struct cell *sums_cells(struct cell *cells, const struct path_sums *sums, int64_t wall_ns)
{
    const enum path_class largest = path_largest(sums);
    *cells++ = cell_text(str_of(path_class_title(largest)));
    *cells++ = cell_real(share_of(sums->ns[largest], wall_ns));
    for (int c = 0; c < PATH_CLASSES; c++)
        *cells++ = cell_int(sums->ns[c]);
    return cells;
}

/* ---- steps ---- */

static const struct column_spec steps_columns[] = {
    {"step", "step", UNIT_NONE, 0, "number of the step"},
    {"start_ns", "start", UNIT_NS, 0, "from the trace's start"},
    {"wall_ns", "time", UNIT_NS, 0, "time of the step; of a rank that of its selected steps"},
    {0},
};

static void fill_step(const void *context, uint32_t row, struct cell *cells)
{
    const struct path_rows *rows = context;
    uint32_t within;
    const struct critical_path *path = rows->paths[path_rows_at(rows, row, &within)];
    const struct path_step *step = &path->steps[within];
    *cells++ = cell_int(path->rank);
    *cells++ = cell_int(step->number);
    *cells++ = cell_int(step->start_ns);
    *cells++ = cell_int(step->wall_ns);
    sums_cells(cells, &step->sums, step->wall_ns);
}

void path_steps_show(const struct critical_path *const *paths, uint32_t count, struct report *report)
{
    struct table *table = section_table(report_section(report, "steps", "Steps"), "steps", "");
    struct path_rows *rows = rows_new(paths, count, report);
    path_rank_column(table, count);
    table_columns(table, steps_columns);
    sums_columns(table, report_arena(report));
    for (uint32_t i = 0; i < count; i++)
        rows->until[i] = (i ? rows->until[i - 1] : 0) + paths[i]->step_count;
    table_drawn(table, path_rows_all(rows), fill_step, rows);
}

/* ---- ranks ---- */

static const struct column_spec ranks_columns[] = {
    {"rank", "rank", UNIT_NONE, 0, "as recorded, else from the file's name, else by order"},
    {"file", "file", UNIT_NONE, COLUMN_WIDE, "path of the file"},
    {"steps", "steps", UNIT_COUNT, 0, "steps selected"},
    {"wall_ns", "time", UNIT_NS, 0, "time of the step; of a rank that of its selected steps"},
    {0},
};

static const struct column_spec ranks_columns_2[] = {
    {"nodes", "nodes", UNIT_COUNT, COLUMN_DETAIL, "nodes of the graph"},
    {"edges", "edges", UNIT_COUNT, COLUMN_DETAIL, "edges of the graph without those of order"},
    {"inferred", "told by timing alone", UNIT_COUNT, COLUMN_DETAIL, "edges told by calls or time alone"},
    {"inconsistent", "left out", UNIT_COUNT, COLUMN_DETAIL,
     "edges left out because they contradict the recorded times"},
    {"stretches", "stretches", UNIT_COUNT, COLUMN_DETAIL, "stretches of the path in the selected steps"},
    {0},
};

static void fill_rank(const void *context, uint32_t row, struct cell *cells)
{
    const struct critical_path *path = ((const struct path_rows *)context)->paths[row];
    *cells++ = cell_int(path->rank);
    *cells++ = cell_text(path->path);
    *cells++ = cell_int(path->step_count);
    *cells++ = cell_int(path->wall_ns);
    cells = sums_cells(cells, &path->sums, path->wall_ns);
    *cells++ = cell_int(path->nodes);
    *cells++ = cell_int(path->edges);
    *cells++ = cell_int((int64_t)path->inferred);
    *cells++ = cell_int((int64_t)path->inconsistent);
    *cells++ = cell_int((int64_t)path->stretches_found);
}

void path_ranks_show(const struct critical_path *const *paths, uint32_t count, struct report *report)
{
    struct table *table = section_table(report_section(report, "ranks", "Ranks"), "ranks", "");
    table_columns(table, ranks_columns);
    sums_columns(table, report_arena(report));
    table_columns(table, ranks_columns_2);
    if (count == 1)
        table_json_only(table);
    table_drawn(table, count, fill_rank, rows_new(paths, count, report));
}
