/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a step goes: the tables behind the summary, another tool's numbers, the events behind a number. */
#include "breakdown/breakdown_show.h"
#include "breakdown/explain.h"
#include "base/error.h"
#include "command.h"

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    bool wanted[ACCOUNTS] = {0};
    const char *explain = call_text(call, "explain");
    if (explain)
        explain_wanted(str_of(explain), wanted);
    breakdown_run(trace, call_selection(call), explain ? wanted : NULL, arena, result);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    const struct breakdown *const *ranks = (const struct breakdown *const *)results;
    if (call_text(call, "explain"))
        explain_show(str_of(call_text(call, "explain")), ranks, count, report);
    else
        breakdown_show(ranks, count, report);
    return true;
}

static bool check(const struct call *call, struct steptime_error *err)
{
    bool wanted[ACCOUNTS] = {0};
    const char *explain = call_text(call, "explain");
    if (explain && !explain_wanted(str_of(explain), wanted))
        return fail(err, STEPTIME_USAGE, "no number is called '%s'; '--explain list' shows their names", explain);
    return true;
}

static const struct analysis analysis = {.size = sizeof(struct breakdown), .run = run, .show = show, .check = check};

static const struct option options[] = {
    {"explain", 0, "ID", NULL,
     "Instead of the tables: what the number ID means and the events it comes from, largest first. ID is a column, "
     "with "
     "its table where several have it: ranks.busy_ns, compute_ns, blocked. 'list' shows all."},
    {0},
};

const struct command command_breakdown = {
    .name = "breakdown",
    .arguments = "TRACE|DIR...",
    .brief = "where the time of a step goes, to the nanosecond",
    .about =
        "Gives every nanosecond of a step one cause, so that the parts sum to the step. With device activity these are "
        "compute, then communication, copies and memsets that nothing hides, and idle time by what the host was doing: "
        "loading data, blocked in a synchronisation, launching, inside an operator, between operators; or by what held "
        "launched work back. Without device activity the step is split on the host: forward, backward and optimizer "
        "operators, communication, data loading, Python.\n\n"
        "The tables: parts, idle, blocked, phases, overlap, copies, four_parts, ranks (a row a device and rank over "
        "the "
        "whole trace or selection), steps (a row a step and rank).",
    .examples = "steptime breakdown trace.json.gz|all tables on the screen\n"
                "steptime breakdown --table steps --format csv traces/|a row a step and rank, as CSV\n"
                "steptime breakdown --explain idle --steps 3 trace.json.gz|the gaps of step 3 and what they waited for",
    .shared = SHARED_OUTPUT | SHARED_TRACE,
    .options = options,
    .analysis = &analysis,
};
