/* SPDX-License-Identifier: Apache-2.0 */
#include "path_stretches.h"

#include "path_rows.h"

static str place_of(const struct critical_path *path, uint32_t lane, struct arena *arena)
{
    const struct path_lane *at = &path->lanes[lane];
    if (at->id_text.len)
        return at->id_text;
    return at->device ? str_printf(arena, "device %lld stream %lld", (long long)at->process, (long long)at->id)
                      : str_printf(arena, "thread %lld", (long long)at->id);
}

/* The listed stretches of all ranks one behind the other, as rows that are made when they are shown. */
struct listed {
    struct path_rows rows;
    const uint32_t **stretch; /* by path: the stretches that are its rows; NULL: all of them */
    const str **places;       /* by path and lane */
};

static const str *places_of(const struct critical_path *path, struct arena *arena)
{
    str *places = arena_array(arena, path->lane_count, sizeof *places);
    for (uint32_t lane = 0; lane < path->lane_count; lane++)
        places[lane] = place_of(path, lane, arena);
    return places;
}

/* Which stretches reach the bar, where more are kept than are listed. Returns their number. */
static uint32_t pick(const struct critical_path *path, const uint32_t **picked, struct arena *arena)
{
    if (path->stretch_count <= PATH_LISTED)
        return path->stretch_count;
    uint32_t *stretches = arena_array(arena, PATH_LISTED, sizeof *stretches), count = 0;
    for (uint32_t k = 0; k < path->stretch_count && count < PATH_LISTED; k++)
        if (path->stretches[k].end_ns - path->stretches[k].start_ns >= path->listed_ns)
            stretches[count++] = k;
    *picked = stretches;
    return count;
}

static const struct listed *list(const struct critical_path *const *paths, uint32_t count, uint32_t *rows,
                                 struct arena *arena)
{
    struct listed *listed = arena_alloc(arena, sizeof *listed);
    *listed = (struct listed){
        .rows = path_rows_of(paths, count, arena),
        .stretch = arena_array(arena, count, sizeof *listed->stretch),
        .places = arena_array(arena, count, sizeof *listed->places),
    };
    *rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        *rows += pick(paths[i], &listed->stretch[i], arena);
        listed->rows.until[i] = *rows;
        listed->places[i] = places_of(paths[i], arena);
    }
    return listed;
}

static void fill_stretch(const void *context, uint32_t row, struct cell *cells)
{
    const struct listed *listed = context;
    uint32_t within;
    const uint32_t i = path_rows_at(&listed->rows, row, &within);
    const struct critical_path *path = listed->rows.paths[i];
    const struct path_stretch *stretch = &path->stretches[listed->stretch[i] ? listed->stretch[i][within] : within];
    *cells++ = cell_int(path->rank);
    *cells++ = cell_int(stretch->start_ns);
    *cells++ = cell_int(stretch->end_ns - stretch->start_ns);
    *cells++ = cell_text(str_of(path_class_id(stretch->class)));
    *cells++ = cell_text(path->names[stretch->name]);
    *cells++ = cell_text(stretch->lane == LANE_NONE ? S("") : listed->places[i][stretch->lane]);
    *cells++ = stretch->row == ROW_NONE ? cell_null() : cell_int(stretch->row);
}

static const struct column_spec path_columns[] = {
    {"start_ns", "start", UNIT_NS, 0, "from the trace's start"},
    {"time_ns", "time", UNIT_NS, 0, "time on the path, over all selected steps"},
    {"class", "class", UNIT_NONE, 0, "kind of time on the path"},
    {"name", "name", UNIT_NONE, COLUMN_WIDE,
     "operator, runtime call, kernel; the innermost Python frame that was open all the while, where frames are recorded"},
    {"place", "thread or stream", UNIT_NONE, 0, "thread, or device and stream"},
    {"event", "event", UNIT_NONE, COLUMN_DETAIL,
     "the event's row number in the file; null where no event stands for it"},
    {0},
};

void path_stretches_show(const struct critical_path *const *paths, uint32_t count, struct report *report)
{
    struct table *table = section_table(report_section(report, "path", "The path"), "path", "");
    table_json_only(table);
    path_rank_column(table, count);
    table_columns(table, path_columns);
    uint32_t rows;
    const struct listed *listed = list(paths, count, &rows, report_arena(report));
    table_drawn(table, rows, fill_stretch, listed);
}
