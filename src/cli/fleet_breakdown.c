/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/breakdown.h"

#include "fleet/crew.h"
#include "fleet_command.h"
#include "output.h"

/* Of all jobs, where --hw says one: *cluster, with what the options change. */
static bool read_hardware(const struct call *call, const struct fleet_changes *changes, struct arena *arena,
                          struct cluster *cluster, bool *given, struct steptime_error *err)
{
    const char *hw = call_text(call, "hw");
    *given = hw != NULL;
    return !hw || (fleet_cluster(str_of(hw), arena, cluster, err) && fleet_change(changes, cluster, arena, err));
}

static bool show(const struct call *call, struct breakdown *breakdown, const struct breakdown_asked *asked,
                 const struct job_table_result *told, struct arena *arena, struct steptime_error *err)
{
    if (crew_ours()->rank != 0)
        return true;
    struct report *report = report_new(arena, S("fleet breakdown"));
    breakdown_show(breakdown, asked, told, report);
    return output_report(call, report, err);
}

static bool run(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    const struct fleet_changes changes = {call, true, S(""), -1};
    const struct machine_changes machine_changes = {fleet_change, &changes};
    struct cluster cluster;
    struct breakdown_asked asked = {.changes = &machine_changes, .every_row = call_flag(call, "jobs")};
    struct breakdown breakdown = {0};
    struct job_table_result told = {0};
    bool given;
    if (!fleet_table(call, &asked.table, err) || !read_hardware(call, &changes, arena, &cluster, &given, err))
        return false;
    asked.cluster = given ? &cluster : NULL;
    const bool good = breakdown_of_table(&asked, arena, &breakdown, &told, err) &&
                      breakdown_gather(&breakdown, &told, arena, err) &&
                      show(call, &breakdown, &asked, &told, arena, err);
    breakdown_free(&breakdown);
    return good;
}

bool fleet_breakdown(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    const bool good = run(call, &arena, err);
    arena_free(&arena);
    return good;
}
