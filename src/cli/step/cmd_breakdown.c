/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a step goes: the tables behind the summary, another tool's numbers, the events behind a number. */
#include <string.h>

#include "breakdown/others/as.h"
#include "breakdown/step/breakdown_show.h"
#include "breakdown/explain/explain.h"
#include "base/error.h"
#include "cli/program/command.h"

/* One of the two, by --as. */
struct result {
    struct breakdown ours;
    struct as_result theirs;
};

static const struct as_tool *tool_of(const struct call *call)
{
    return call_text(call, "as") ? as_tool(str_of(call_text(call, "as"))) : NULL;
}

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    struct result *to = result;
    bool wanted[ACCOUNTS] = {0};
    const char *explain = call_text(call, "explain");
    if (explain)
        explain_wanted(str_of(explain), wanted);
    if (tool_of(call))
        as_run(tool_of(call), trace, arena, &to->theirs);
    else
        breakdown_run(trace, call_selection(call), explain ? wanted : NULL, arena, &to->ours);
}

static void show_theirs(const struct call *call, const struct result *const *results, uint32_t count,
                        struct report *report)
{
    const struct as_result **theirs = arena_array(report_arena(report), count, sizeof *theirs);
    for (uint32_t i = 0; i < count; i++)
        theirs[i] = &results[i]->theirs;
    as_show(tool_of(call), theirs, count, report);
}

static void show_ours(const struct call *call, const struct result *const *results, uint32_t count,
                      struct report *report)
{
    const struct breakdown **ours = arena_array(report_arena(report), count, sizeof *ours);
    for (uint32_t i = 0; i < count; i++)
        ours[i] = &results[i]->ours;
    if (call_text(call, "explain"))
        explain_show(str_of(call_text(call, "explain")), ours, count, report);
    else
        breakdown_show(ours, count, report);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    const struct result *const *all = (const struct result *const *)results;
    if (tool_of(call))
        show_theirs(call, all, count, report);
    else
        show_ours(call, all, count, report);
    return true;
}

static bool check(const struct call *call, struct steptime_error *err)
{
    bool wanted[ACCOUNTS] = {0};
    const char *explain = call_text(call, "explain");
    const struct selection *selection = call_selection(call);
    if (explain && !explain_wanted(str_of(explain), wanted))
        return fail(err, STEPTIME_USAGE, "no number is called '%s'; '--explain list' shows their names", explain);
    if (tool_of(call) && explain)
        return fail(err, STEPTIME_USAGE, "--explain tells of our own numbers, not of those --as another tool");
    if (tool_of(call) && (selection->limited || selection->skip_warmup))
        return fail(err, STEPTIME_USAGE,
                    "--as counts whole traces, as the other tools do: leave out --steps and --skip-warmup");
    return true;
}

static bool lists_numbers(const struct call *call)
{
    const char *explain = call_text(call, "explain");
    return explain && !strcmp(explain, "list");
}

static const struct analysis analysis = {
    .size = sizeof(struct result), .run = run, .show = show, .check = check, .needs_none = lists_numbers};

static const struct option options[] = {
    {"as", 0, "TOOL", "hta|tracelens|tensorboard",
     "Instead of the tables: the numbers of HolisticTraceAnalysis, TraceLens or the TensorBoard plug-in, counted by "
     "their definitions and under their names."},
    {"explain", 0, "ID", NULL,
     "Instead of the tables: what the number ID means and the events it comes from, largest first. ID is a column, "
     "with its table where several have it: ranks.busy_ns, compute_ns, blocked. 'list' shows all, and needs no trace."},
    {0},
};

const struct command command_breakdown = {
    .name = "breakdown",
    .arguments = "TRACE|DIR...",
    .brief = "where the time of a step goes, to the nanosecond",
    .about =
        "Gives every nanosecond of a step one cause, so that the parts sum to the step. With device activity these "
        "are compute, then communication, copies and memsets that nothing hides, and idle time by what the host was "
        "doing: loading data, blocked in a synchronisation, launching, inside an operator, between operators; or by "
        "what held launched work back. Without device activity the step is split on the host: forward, backward and "
        "optimizer operators, communication, data loading, Python.\n\nThe tables: parts, idle, blocked, phases, "
        "overlap, copies, four_parts, ranks (a row a device and rank over the whole trace or selection), steps (a "
        "row a step and rank).",
    .examples =
        "steptime breakdown trace.json.gz|all tables on the screen\n"
        "steptime breakdown --table steps --format csv traces/|a row a step and rank, as CSV\n"
        "steptime breakdown --explain idle_ns --steps 3 trace.json.gz|the gaps of step 3 and what they waited for\n"
        "steptime breakdown --as hta trace.json.gz|what HolisticTraceAnalysis would say",
    .shared = SHARED_OUTPUT | SHARED_TRACE,
    .options = options,
    .analysis = &analysis,
};
