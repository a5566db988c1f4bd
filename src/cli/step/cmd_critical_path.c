/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of host and device work that decided how long the steps took. */
#include <stddef.h>

#include "base/error.h"
#include "base/sum.h"
#include "breakdown/job/across_show.h"
#include "breakdown/job/delay_show.h"
#include "breakdown/job/ideal_show.h"
#include "breakdown/path/path_side.h"
#include "breakdown/verdict/behind.h"
#include "breakdown/ranks/ranks_show.h"
#include "cli/program/command.h"
#include "cli/program/output.h"
#include "behinds_option.h"
#include "compile_log.h"
#include "overlay.h"
#include "path_stretches.h"
#include "path_tables.h"
#include "parallel/crew.h"
#include "sketch/numbers/job_sketch.h"
#include "sketch/numbers/path_sketch.h"

/* Of one trace. */
struct taken {
    struct critical_path path; /* first: a result is read as its path */
    struct compiled_trace compiled;
    struct behinds behinds; /* with --explain verdict */
};

struct paths {
    const struct critical_path *const *at;
    uint32_t count;
    struct job job;
};

/* ---- taking ---- */

static bool check(const struct call *call, struct steptime_error *err)
{
    const char *overlay = call_text(call, "overlay");
    if (!compile_log_check(call, err) || !behinds_check(call, err))
        return false;
    if (!overlay)
        return true;
    if (crew_ours()->count > 1)
        return fail(err, STEPTIME_USAGE, "--overlay is for one process: use steptime, not steptime-mpi");
    if (call_argument_count(call) != 1 || str_eq(str_of(call_argument(call, 0)), S("-")))
        return fail(err, STEPTIME_USAGE, "--overlay takes one trace, as a file: it is read a second time");
    return overlay_check(overlay, err);
}

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    const uint32_t most = call_text(call, "overlay") ? PATH_ALL : output_shows(call, S("path")) ? PATH_LISTED : 0;
    struct taken *taken = result;
    critical_path_run(trace, call_selection(call), most, arena, &taken->path);
    compile_log_take(call, trace, arena, &taken->compiled);
    if (behinds_wanted(call_text(call, "explain")))
        behinds_run(trace, call_selection(call), arena, &taken->behinds);
}

static bool run_sketch(const struct call *call, const struct sketch *sketch, int64_t rank, struct arena *arena,
                       void *result, struct steptime_error *err)
{
    if (call_text(call, "overlay"))
        return fail(err, STEPTIME_INPUT, "is a sketch, and --overlay wants the trace");
    return compile_log_of_sketch(call, err) && behinds_of_sketch(call, err) &&
           path_sketch_read(sketch, rank, arena, result, err);
}

static void sketch(const struct call *call, const struct sketching *of, struct arena *arena, struct sketch *sketch)
{
    const struct critical_path *path = of->result;
    (void)call;
    job_sketch_write(&(struct job_rank){&path->numbers, &path->verdict, &path->holdups, &path->strip, &path->responses},
                     arena, sketch);
    sketch->sections[SKETCH_PATH] = path_sketch_write(path, true, arena);
}

/* ---- showing ---- */

static double share_of(int64_t ns, int64_t all_ns)
{
    return all_ns ? (double)ns / (double)all_ns : 0;
}

static bool any_device(const struct paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->at[i]->device)
            return true;
    return false;
}

static bool any_sketched(const struct paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->at[i]->sketched)
            return true;
    return false;
}

static struct path_sums sums_of(const struct paths *paths, int64_t *wall_ns, int64_t *steps)
{
    struct path_sums sums = {{0}};
    for (uint32_t i = 0; i < paths->count; i++) {
        sum_to(wall_ns, paths->at[i]->wall_ns);
        *steps += paths->at[i]->step_count;
        for (int c = 0; c < PATH_CLASSES; c++)
            sum_to(&sums.ns[c], paths->at[i]->sums.ns[c]);
    }
    return sums;
}

static void find_job(struct paths *paths, struct arena *arena)
{
    struct job_rank *ranks = arena_array(arena, paths->count, sizeof *ranks);
    for (uint32_t i = 0; i < paths->count; i++)
        ranks[i] = (struct job_rank){&paths->at[i]->numbers, &paths->at[i]->verdict, &paths->at[i]->holdups,
                                     &paths->at[i]->strip, &paths->at[i]->responses};
    job_of(ranks, paths->count, arena, &paths->job);
}

/* What most of the path is: of several ranks that across them. */
struct largest {
    str words;
    double share;
    bool recorded; /* what it is, is known */
};

static struct largest largest_of(const struct paths *paths, const struct path_sums *sums, int64_t wall_ns,
                                 struct arena *arena)
{
    if (paths->job.lined) {
        const struct across_most most = across_most(&paths->job);
        const int64_t job_ns = paths->job.across.end_ns - paths->job.across.start_ns;
        return (struct largest){across_most_words(&paths->job, &most, arena), share_of(most.ns, job_ns),
                                most.cause != CAUSE_UNKNOWN};
    }
    const struct path_most *most = &paths->at[0]->most;
    if (paths->count == 1 && most->cause != CAUSE_NONE)
        return (struct largest){str_of(cause_title((enum cause)most->cause)), share_of(most->ns, wall_ns),
                                most->cause != CAUSE_UNKNOWN};
    const enum path_class largest = path_largest(sums);
    return (struct largest){str_of(path_class_title(largest)), share_of(sums->ns[largest], wall_ns),
                            largest != PATH_UNKNOWN};
}

/*
 * "Most of the path is data loading (29 %)." Where that is not the largest class of what bounds the steps, that side is told
 * first: it may be of many classes, each smaller than one of another side. Of a host alone the bounds are parts of its work.
 */
static str say_path(const struct paths *paths, const struct path_sums *sums, const struct verdict *verdict,
                    const struct largest *largest, struct arena *arena)
{
    const enum bound bound = verdict_answer(verdict).bound;
    int64_t wall_ns = 0;
    for (int class = 0; class < PATH_CLASSES; class ++)
        wall_ns += sums->ns[class];
    const struct path_side side = path_side_of(sums, bound);
    if (paths->job.lined || !verdict->device || !side.ns || side.most == path_largest(sums))
        return str_printf(arena, "Most of the path%s is %.*s (%.0f %%).",
                          bound == BOUND_UNKNOWN && largest->recorded ? ", as far as it was recorded," : "",
                          (int)largest->words.len, largest->words.at, 100 * largest->share);
    return str_printf(
        arena, "%s is %.0f %% of the path, first %s (%.0f %%); beside it the largest part is %.*s (%.0f %%).",
        path_side_title(bound), 100 * share_of(side.ns, wall_ns), path_class_title(side.most),
        100 * share_of(sums->ns[side.most], wall_ns), (int)largest->words.len, largest->words.at, 100 * largest->share);
}

/* The same verdict as that of `summary`, from the same experiments; then what the path shows. */
static str say(const struct paths *paths, const struct path_sums *sums, const struct verdict *verdict,
               const struct largest *largest, struct arena *arena)
{
    const str bound = verdict_say(verdict, paths->count, arena);
    const str path = say_path(paths, sums, verdict, largest, arena);
    return str_printf(arena, "%.*s %.*s", (int)bound.len, bound.at, (int)path.len, path.at);
}

static void show_head(const struct paths *paths, struct report *report)
{
    struct section *section = report_section(report, "critical_path", "Critical path");
    int64_t wall_ns = 0, steps = 0;
    const struct path_sums sums = sums_of(paths, &wall_ns, &steps);
    const struct verdict verdict = paths->job.verdict;
    const struct largest largest = largest_of(paths, &sums, wall_ns, report_arena(report));
    if (paths->count > 1)
        section_text(section, paths->job.sentence);
    section_text(section, say(paths, &sums, &verdict, &largest, report_arena(report)));
    if (!any_device(paths))
        section_text(section, S("The trace has no device activity: the path is that of the host alone."));
    if (any_sketched(paths))
        section_text(section,
                     S("Of sketches the stretches of the path are not told: the table `path` is of the traces alone."));
    section_value(section, "wall_ns",
                  paths->count > 1 ? "time of the steps, of all ranks" : "path, the time of the steps", UNIT_NS,
                  cell_int(wall_ns));
    section_value(section, "steps", "steps", UNIT_COUNT, cell_int(steps));
    if (paths->count > 1)
        job_show_late(&paths->job, section);
    if (paths->count > 1)
        ranks_show_doubts(&paths->job.ranks, report);
    section_value(section, "bound", "bound", UNIT_NONE,
                  cell_text(bound_word(verdict_answer(&verdict).bound, verdict.device)));
    section_value(section, "largest", "most of it", UNIT_NONE, cell_text(largest.words));
    section_value(section, "largest_share", "its share", UNIT_RATIO, cell_real(largest.share));
}

static void show_verdict(const struct paths *paths, struct report *report)
{
    if (paths->count > 1)
        job_show_why(&paths->job, report);
    verdict_show(&paths->job.verdict, paths->count, report);
}

static const struct column_spec critical_path_columns[] = {
    {"class", "class", UNIT_NONE, COLUMN_DETAIL, "kind of time on the path"},
    {"title", "part", UNIT_NONE, 0, "the class in words"},
    {"time_ns", "time", UNIT_NS, COLUMN_SUM, "time on the path, over all selected steps"},
    {"per_step_ns", "a step", UNIT_NS, COLUMN_SUM, "time_ns / steps"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "time_ns / wall_ns"},
    {0},
};

static void show_classes(const struct paths *paths, struct report *report)
{
    int64_t wall_ns = 0, steps = 0;
    const struct path_sums sums = sums_of(paths, &wall_ns, &steps);
    struct table *table = section_table(report_section(report, "critical_path", ""), "classes", "What it is made of");
    table_columns(table, critical_path_columns);
    if (paths->job.lined)
        table_json_only(table);
    for (int c = 0; c < PATH_CLASSES; c++) {
        if (!sums.ns[c])
            continue;
        table_row(table);
        table_text(table, str_of(path_class_id((enum path_class)c)));
        table_text(table, str_of(path_class_title((enum path_class)c)));
        table_int(table, sums.ns[c]);
        table_int(table, steps ? sums.ns[c] / steps : 0);
        table_real(table, share_of(sums.ns[c], wall_ns));
    }
    if (!paths->job.lined)
        section_figure(report_section(report, "critical_path", ""), "classes", FIGURE_STACK, "classes", "title",
                       "time_ns");
}

static void show_behinds(const void *const *results, uint32_t count, struct report *report)
{
    const struct behinds **behinds = arena_array(report_arena(report), count, sizeof *behinds);
    for (uint32_t i = 0; i < count; i++)
        behinds[i] = &((const struct taken *)results[i])->behinds;
    behinds_show(behinds, count, report);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    struct paths *paths = arena_alloc(report_arena(report), sizeof *paths);
    *paths = (struct paths){.at = (const struct critical_path *const *)results, .count = count};
    find_job(paths, report_arena(report));
    show_head(paths, report);
    across_show(&paths->job, report);
    delay_show(&paths->job, report);
    ideal_show(&paths->job, report);
    show_verdict(paths, report);
    show_behinds(results, count, report);
    show_classes(paths, report);
    if (count > 1)
        path_ranks_show(paths->at, paths->count, report);
    path_top_show(paths->at, paths->count, report);
    path_steps_show(paths->at, paths->count, report);
    if (count == 1)
        path_ranks_show(paths->at, paths->count, report);
    path_stretches_show(paths->at, paths->count, report);
    if (!compile_log_tell(call, results, offsetof(struct taken, compiled), count, report, err))
        return false;
    const char *overlay = call_text(call, "overlay");
    if (overlay && count != 1)
        return fail(err, STEPTIME_USAGE, "--overlay takes one trace; these are %u", count);
    return !overlay || overlay_write(paths->at[0], overlay, err);
}

static const struct analysis analysis = {
    .size = sizeof(struct taken), .run = run, .run_sketch = run_sketch, .sketch = sketch, .show = show, .check = check};

static const struct option options[] = {
    {"overlay", 0, "FILE", NULL,
     "Also write the trace to FILE with the path marked: a track of its own, and arrows where it changes thread or "
     "stream. It opens in Perfetto and chrome://tracing; it is as large as the unpacked trace ('steptime export' is smaller)."},
    COMPILE_LOG_OPTION,
    {0},
};

const struct command command_critical_path = {
    .name = "critical-path",
    .arguments = "TRACE|SKETCH|DIR...",
    .brief = "the chain of host and device work that decided how long the steps took",
    .about =
        "Follows the trace from its end back to its start, from each piece of work to the one it waited for last: the "
        "kernel before it on the stream, its launch, the event of another stream, the kernel that a synchronisation or "
        "a blocking copy waited for, the thread that handed over. What lies on that chain decided the time; making "
        "anything else faster would have gained nothing.\n\n"
        "Of several ranks the path goes on, where a rank waited in a collective, with the rank that came last: the table "
        "'across' has its parts by rank and cause, 'crossings' where it changes ranks, 'delay_costs' what all waiting is "
        "due to, 'ideal' what the job would save.\n\n"
        "Every nanosecond of the selected steps belongs to one class, and the classes sum to the steps. The table "
        "'path' (--format json, or --table path) lists the chain; of a very long one the 10000 longest stretches.",
    .examples =
        "steptime critical-path trace.json.gz|what the steps are bound by\n"
        "steptime critical-path --steps 3 trace.json.gz|step 3 alone\n"
        "steptime critical-path --overlay marked.json trace.json.gz|the path drawn into the trace, for Perfetto",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE,
    .options = options,
    .analysis = &analysis,
};
