/* SPDX-License-Identifier: Apache-2.0 */
/* What operators cost the host: the five overheads of a trace, or of several together. */
#include "cli/program/command.h"
#include "predict/host/overheads_show.h"

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    (void)arena;
    overheads_run(trace, call_selection(call), result);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    overheads_show((const struct overheads_taken *const *)results, count, report);
    return true;
}

static void *pool_open(void)
{
    return overhead_pool_new();
}

static void pool_add(void *pool, void *result)
{
    overheads_pool(pool, result);
}

static void pool_close(void *pool)
{
    overhead_pool_free(pool);
}

static const struct analysis_pool pool = {pool_open, pool_add, pool_close};

static const struct analysis analysis = {
    .size = sizeof(struct overheads_taken), .run = run, .show = show, .pool = &pool};

const struct command command_overheads = {
    .name = "overheads",
    .arguments = "TRACE|DIR...",
    .brief = "what operators cost the host, between and around their launches",
    .about =
        "Measures the host's overheads of every operator at the top: T1 before it, T2 from its start to its first "
        "launch, T3 after its last launch, T4 a launch call, T5 between two launches (of an operator without launches "
        "all of it); and what lies between a call and its work, between two works of a stream, and between the end of "
        "work and the return of a wait for it. Outliers are dropped by the interquartile rule; what the profiler costs "
        "each event is estimated from the trace, printed, and taken off. Several traces are pooled.\n\nWhat is "
        "written by --table overheads --format csv is read by 'steptime predict --overheads FILE'.",
    .examples = "steptime overheads trace.json.gz|the overheads of a trace\n"
                "steptime overheads --skip-warmup traces/|of all ranks, without the first step\n"
                "steptime overheads --table overheads --format csv -o ours.csv traces/|saved for 'steptime predict'",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE,
    .analysis = &analysis,
};
