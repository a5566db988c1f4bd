/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/project/split.h"

#include "parallel/crew.h"
#include "fleet_command.h"
#include "cli/program/output.h"

/* Of all jobs, where --hw says one: *cluster, with what the options change. */
static bool read_hardware(const struct call *call, const struct fleet_changes *changes, struct arena *arena,
                          struct cluster *cluster, bool *given, struct steptime_error *err)
{
    const char *hw = call_text(call, "hw");
    *given = hw != NULL;
    return !hw || (fleet_cluster(str_of(hw), arena, cluster, err) && fleet_change(changes, cluster, arena, err));
}

static bool show(const struct call *call, struct split *split, const struct split_asked *asked,
                 const struct job_table_result *told, const struct measured *measured, struct arena *arena,
                 struct steptime_error *err)
{
    if (crew_ours()->rank != 0)
        return true;
    if (!job_table_any(told, asked->table.path, err))
        return false;
    struct report *report = report_new(arena, S("fleet breakdown"));
    split_show(split, asked, told, report);
    if (measured)
        measured_show(measured, report);
    return output_report(call, report, err);
}

static bool run(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    const struct fleet_changes changes = {call, true, S(""), -1};
    const struct machine_changes machine_changes = {fleet_change, &changes};
    struct cluster cluster;
    struct split_asked asked = {.changes = &machine_changes, .every_row = call_flag(call, "jobs")};
    struct split split = {0};
    struct job_table_result told = {0};
    struct measured measured;
    bool given, fitted;
    if (!fleet_table(call, &asked.table, err) || !read_hardware(call, &changes, arena, &cluster, &given, err) ||
        !fleet_measured(call, &asked.table, &cluster, given, arena, &measured, &fitted, err))
        return false;
    asked.cluster = given ? &cluster : NULL;
    struct progress progress;
    fleet_progress(&asked.table, &progress, arena);
    const bool read = split_of_table(&asked, arena, &split, &told, err);
    progress_end(&progress);
    const bool good = read && split_gather(&split, &told, arena, err) &&
                      show(call, &split, &asked, &told, fitted ? &measured : NULL, arena, err);
    split_free(&split);
    return good;
}

bool fleet_breakdown(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    const bool good = run(call, &arena, err);
    arena_free(&arena);
    return good;
}
