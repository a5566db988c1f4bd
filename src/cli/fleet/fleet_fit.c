/* SPDX-License-Identifier: Apache-2.0 */
/* What a cluster's measured jobs say of how steps grow with their workers. */
#include "base/error.h"
#include "fleet/measured/scaled.h"
#include "fleet_command.h"
#include "cli/program/output.h"

/* What names the model of a job, where --group-by does not say. */
static const char usual_group[] = "model";

static bool run(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    const struct fleet_changes changes = {call, true, S(""), -1};
    const char *hw = call_text(call, "hw");
    struct job_table_asked table;
    struct cluster cluster;
    struct scaled scaled;
    if (!call_flag(call, "measured"))
        return fail(err, STEPTIME_USAGE, "fleet fit fits to measured steps: say --measured");
    if (!hw)
        return fail(err, STEPTIME_USAGE, "fleet fit fits one kind of hardware: say what all jobs run on, with --hw");
    if (!fleet_table(call, &table, err) || !fleet_cluster(str_of(hw), arena, &cluster, err) ||
        !fleet_change(&changes, &cluster, arena, err))
        return false;
    if (!table.group_by.len)
        table.group_by = str_of(usual_group);
    if (!scaled_fit(&table, &cluster, arena, &scaled, err))
        return false;
    struct report *report = report_new(arena, S("fleet fit"));
    scaled_show(&scaled, &cluster, report);
    return output_report(call, report, err);
}

bool fleet_fit(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    const bool good = run(call, &arena, err);
    arena_free(&arena);
    return good;
}
