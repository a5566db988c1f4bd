/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of one job: who is late and by how much. */
#include "breakdown/ranks/ranks_show.h"
#include "cli/program/command.h"
#include "sketch/numbers/rank_sketch.h"

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    rank_run(trace, call_selection(call), arena, result);
}

static bool run_sketch(const struct call *call, const struct sketch *sketch, int64_t rank, struct arena *arena,
                       void *result, struct steptime_error *err)
{
    (void)call;
    return rank_sketch_read(sketch, rank, arena, result, err);
}

static void sketch(const struct call *call, const struct trace *trace, struct arena *arena, struct sketch *sketch)
{
    rank_sketch_take(trace, call_selection(call), arena, sketch);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    struct ranks ranks;
    ranks_merge((const struct rank_numbers *const *)results, count, report_arena(report), &ranks);
    ranks_show(&ranks, report);
    return true;
}

static const struct analysis analysis = {
    .size = sizeof(struct rank_numbers), .run = run, .run_sketch = run_sketch, .sketch = sketch, .show = show};

const struct command command_ranks = {
    .name = "ranks",
    .arguments = "TRACE|SKETCH|DIR...",
    .brief = "the ranks of one job: who is late, by how much, and why",
    .about =
        "Finds the same collective on every rank (by process group and sequence number where recorded, else by "
        "step, kind, size and order), sets the ranks' clocks against each other by the ends of the "
        "collectives, and compares who entered when. A rank is late by the time behind the middle rank; a tie "
        "blames nobody. What a late rank did longer than the ranks in time, since the collective before, is "
        "told too.\n\nSketches, which 'steptime summary --save' writes where the traces lie, are read as traces are, and "
        "the answer is the same.\n\nThe tables: ranks (a row a rank), reasons (why ranks came late), collective_kinds "
        "(transfer times, algorithm and bus bandwidth by kind and size), collectives (each one with its skew).",
    .examples = "steptime ranks traces/|all traces of a directory\n"
                "steptime ranks --steps 10..19 traces/|over ten steps only\n"
                "steptime ranks sketches/|the same from sketches of them\n"
                "steptime ranks --table collectives --format csv traces/|every collective with its skew, as CSV",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE,
    .analysis = &analysis,
};
