/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "breakdown/summary/summary.h"
#include "cli/program/command.h"

enum { FINDINGS = 3, MOST_FINDINGS = 1000 };

static bool findings_of(const struct call *call, int64_t *findings)
{
    const char *text = call_text(call, "findings");
    *findings = FINDINGS;
    return !text || (str_int(str_of(text), findings) && *findings >= 0 && *findings <= MOST_FINDINGS);
}

static bool check(const struct call *call, struct steptime_error *err)
{
    int64_t findings;
    return findings_of(call, &findings) || fail(err, STEPTIME_USAGE, "--findings takes a number from 0 to %d, not '%s'",
                                                MOST_FINDINGS, call_text(call, "findings"));
}

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    summary_run(trace, call_selection(call), arena, result);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    int64_t findings;
    findings_of(call, &findings);
    summary_show((const struct summary *const *)results, count, (uint32_t)findings, report);
    return true;
}

static const struct analysis analysis = {.size = sizeof(struct summary), .run = run, .show = show, .check = check};

static const struct option options[] = {
    {"findings", 0, "N", NULL, "Show the N findings that matter most. Default: 3."},
    {0},
};

const struct command command_summary = {
    .name = "summary",
    .arguments = "TRACE|DIR...",
    .brief = "what a step costs, where the time goes and what bounds it, on one screen",
    .about =
        "The first look at a trace: the time of a step, how busy the GPU is, what a step is made of, what bounds it and "
        "why, the operators and kernels that take most, and the findings that matter most, each with what it costs a "
        "step.\n\n"
        "A trace without device activity is split on the host, and the screen says so first. The other commands show the "
        "tables behind it: breakdown, kernels, ops, critical-path, ranks.",
    .examples = "steptime summary trace.json.gz|one trace\n"
                "steptime summary traces/|all ranks of a job\n"
                "steptime summary --skip-warmup --format json trace.json.gz|without the first step, as JSON",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE,
    .options = options,
    .analysis = &analysis,
};
