/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of one job: who is late and by how much. */
#include <stddef.h>

#include "breakdown/job/delay_show.h"
#include "breakdown/job/ideal_show.h"
#include "breakdown/ranks/ranks_show.h"
#include "cli/program/command.h"
#include "compile_log.h"
#include "sketch/numbers/job_sketch.h"
#include "sketch/numbers/kernels_sketch.h"

/* Of one trace, or of its sketch. */
struct taken {
    struct job_numbers numbers; /* first: a result is read as its numbers */
    struct compiled_trace compiled;
};

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    struct taken *taken = result;
    job_numbers_of(trace, call_selection(call), arena, &taken->numbers);
    compile_log_take(call, trace, arena, &taken->compiled);
}

static bool run_sketch(const struct call *call, const struct sketch *sketch, int64_t rank, struct arena *arena,
                       void *result, struct steptime_error *err)
{
    struct taken *taken = result;
    return compile_log_of_sketch(call, err) && job_sketch_read(sketch, rank, arena, &taken->numbers, err) &&
           kernels_sketch_read(sketch, arena, &taken->numbers.kernels, err);
}

static void sketch(const struct call *call, const struct sketching *of, struct arena *arena, struct sketch *sketch)
{
    const struct taken *taken = of->result;
    const struct job_rank rank = job_rank_of(&taken->numbers);
    (void)call;
    job_sketch_write(&rank, arena, sketch);
    sketch->sections[SKETCH_KERNELS] = kernels_sketch_write(&taken->numbers.kernels, arena);
}

static void show_kernels(const void *const *results, uint32_t count, struct report *report)
{
    struct kernel_times_rank *ranks = arena_array(report_arena(report), count, sizeof *ranks);
    for (uint32_t r = 0; r < count; r++) {
        const struct taken *taken = results[r];
        ranks[r] = (struct kernel_times_rank){taken->numbers.numbers.rank, &taken->numbers.kernels};
    }
    kernel_times_show(ranks, count, report);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    struct arena *arena = report_arena(report);
    struct job_rank *ranks = arena_array(arena, count, sizeof *ranks);
    struct job job;
    for (uint32_t r = 0; r < count; r++)
        ranks[r] = job_rank_of(results[r]);
    job_of(ranks, count, arena, &job);
    ranks_show_late(&job.ranks, job.late, job.sentence, report);
    job_show_reason(&job, report_section(report, "ranks", ""));
    job_show_why(&job, report);
    ranks_show(&job.ranks, report);
    delay_show(&job, report);
    ideal_show(&job, report);
    show_kernels(results, count, report);
    verdict_show(&job.verdict, count, report);
    return compile_log_tell(call, results, offsetof(struct taken, compiled), count, report, err);
}

static const struct option options[] = {
    COMPILE_LOG_OPTION,
    {0},
};

static const struct analysis analysis = {.size = sizeof(struct taken),
                                         .run = run,
                                         .run_sketch = run_sketch,
                                         .sketch = sketch,
                                         .show = show,
                                         .check = compile_log_check};

const struct command command_ranks = {
    .name = "ranks",
    .arguments = "TRACE|SKETCH|DIR...",
    .brief = "the ranks of one job: who is late, by how much, and why",
    .about =
        "Finds the same collective on every rank (by process group and sequence number where recorded, else by kind, "
        "size and time), sets the ranks' clocks against each other by their entries and ends, and compares who entered "
        "when. A rank is late by the time behind the middle rank; where several are about as late none is named. What a "
        "late rank did longer than the others is told too, with what they waited for each cause, and so is what bounds "
        "the job and what it would save.\n\nSketches, which 'steptime summary --save' writes where the traces lie, are read as "
        "traces are, and the answer is the same.\n\nThe tables: ranks (a row a rank), causes (what the late rank did longer), "
        "delay_costs (what all waiting is due to, of every rank), ideal (what the job would save), "
        "kernels_of_ranks (the largest kernels: the slowest rank against the typical one), "
        "experiments (what bounds it), collective_kinds (transfer times, algorithm and bus bandwidth by kind and size), "
        "collectives (each one with its skew).",
    .examples = "steptime ranks traces/|all traces of a directory\n"
                "steptime ranks --steps 10..19 traces/|over ten steps only\n"
                "steptime ranks sketches/|the same from sketches of them\n"
                "steptime ranks --table collectives --format csv traces/|every collective with its skew, as CSV",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE,
    .options = options,
    .analysis = &analysis,
};
