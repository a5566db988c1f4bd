/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "breakdown/summary/summary.h"
#include "breakdown/verdict/behind.h"
#include "cli/program/command.h"
#include "behinds_option.h"
#include "compile_log.h"
#include "parallel/crew.h"
#include "sketch/numbers/kernels_sketch.h"
#include "sketch/numbers/operators_sketch.h"
#include "sketch/numbers/path_sketch.h"
#include "sketch/numbers/summary_sketch.h"

enum { FINDINGS = 3, MOST_FINDINGS = 1000 };

/* A step of a sketch, and what is left in it for parts beside collectives. */
enum { STEP_BYTES = 4096, LEAST_STEP_BYTES = 1024, PARTS_BYTES = 256 };

/* Of one trace. */
struct taken {
    struct summary summary;
    struct compiled_trace compiled; /* with --compile-log */
    struct behinds behinds;         /* with --explain verdict */
};

static bool findings_of(const struct call *call, int64_t *findings)
{
    const char *text = call_text(call, "findings");
    *findings = FINDINGS;
    return !text || (str_int(str_of(text), findings) && *findings >= 0 && *findings <= MOST_FINDINGS);
}

/* Asked for, it is kept at any price. */
static bool room_of(const struct call *call, struct sketch_room *room)
{
    const char *text = call_text(call, "sketch-bytes");
    *room = (struct sketch_room){STEP_BYTES, text != NULL};
    if (text && str_eq(str_of(text), S("any")))
        room->step_bytes = INT64_MAX;
    else if (text && (!str_int(str_of(text), &room->step_bytes) || room->step_bytes < LEAST_STEP_BYTES))
        return false;
    room->step_bytes -= PARTS_BYTES;
    return true;
}

static bool check(const struct call *call, struct steptime_error *err)
{
    int64_t findings;
    if (!findings_of(call, &findings))
        return fail(err, STEPTIME_USAGE, "--findings takes a number from 0 to %d, not '%s'", MOST_FINDINGS,
                    call_text(call, "findings"));
    if (call_text(call, "save") && crew_ours()->count > 1)
        return fail(err, STEPTIME_USAGE, "--save is for one process: use steptime, not steptime-mpi");
    struct sketch_room room;
    if (!room_of(call, &room))
        return fail(err, STEPTIME_USAGE, "--sketch-bytes takes a number from %d, or 'any', not '%s'", LEAST_STEP_BYTES,
                    call_text(call, "sketch-bytes"));
    return compile_log_check(call, err) && behinds_check(call, err);
}

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    struct taken *taken = result;
    const bool of_job = !trace->info.is_alone || call_text(call, "save");
    summary_run(trace, call_selection(call), of_job, arena, &taken->summary);
    compile_log_take(call, trace, arena, &taken->compiled);
    if (behinds_wanted(call_text(call, "explain")))
        behinds_run(trace, call_selection(call), arena, &taken->behinds);
}

static bool run_sketch(const struct call *call, const struct sketch *sketch, int64_t rank, struct arena *arena,
                       void *result, struct steptime_error *err)
{
    struct taken *taken = result;
    return compile_log_of_sketch(call, err) && behinds_of_sketch(call, err) &&
           summary_sketch_read(sketch, rank, arena, &taken->summary, err);
}

/* One that is kept answers `critical-path`, too, and holds what a later comparison needs. */
static void sketch(const struct call *call, const struct sketching *of, struct arena *arena, struct sketch *sketch)
{
    const struct taken *taken = of->result;
    struct sketch_room room;
    room_of(call, &room);
    summary_sketch_write(&taken->summary, of->kept ? &room : NULL, arena, sketch);
    if (!of->kept)
        return;
    struct critical_path path = {0};
    critical_path_run(of->trace, call_selection(call), 0, arena, &path);
    sketch->sections[SKETCH_PATH] = path_sketch_write(&path, false, arena);
    const struct operator_paths operators = operator_paths_of(of->trace, call_selection(call), arena);
    sketch->sections[SKETCH_OPERATORS] = operators_sketch_write(&operators, arena);
    const struct kernel_times kernels =
        kernel_times_of(of->trace, work_classes_new(of->trace, arena), call_selection(call), arena);
    sketch->sections[SKETCH_KERNELS] = kernels_sketch_write(&kernels, arena);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    const struct taken *const *taken = (const struct taken *const *)results;
    const struct summary **summaries = arena_array(report_arena(report), count, sizeof *summaries);
    const struct behinds **behinds = arena_array(report_arena(report), count, sizeof *behinds);
    int64_t findings;
    findings_of(call, &findings);
    for (uint32_t i = 0; i < count; i++) {
        summaries[i] = &taken[i]->summary;
        behinds[i] = &taken[i]->behinds;
    }
    struct log_beside beside;
    const bool good =
        compile_log_open(call, results, offsetof(struct taken, compiled), count, report_arena(report), &beside, err);
    struct again_told again = {.ns = NAN};
    if (beside.asked)
        again = (struct again_told){compiled_again_ns(&beside.compiled),
                                    compiled_again_first(&beside.compiled, report_arena(report))};
    const double most_ns = summary_show(summaries, count, (uint32_t)findings, again, report);
    behinds_show(behinds, count, report);
    if (good)
        compile_log_show(&beside, most_ns, report);
    if (good && beside.asked)
        report_rank_findings(report);
    compile_log_close(&beside);
    return good;
}

static const struct analysis analysis = {
    .size = sizeof(struct taken), .run = run, .run_sketch = run_sketch, .sketch = sketch, .show = show, .check = check};

static const struct option options[] = {
    {"findings", 0, "N", NULL, "Show the N findings that matter most. Default: 3."},
    COMPILE_LOG_OPTION,
    {"save", 0, "DIR", NULL,
     "Write a sketch of each trace to DIR, a few kilobytes, from which 'summary', 'critical-path' and 'ranks' answer as from "
     "the traces. "
     "DIR is made where it is not there."},
    {"sketch-bytes", 0, "N", NULL,
     "With --save: round times of steps with very many collectives until a step takes no more than N bytes, whatever that "
     "does to answers; 'any': round nothing. Without it they are rounded towards 4096 as far as waits and lateness stay "
     "within 1 %."},
    {0},
};

const struct command command_summary = {
    .name = "summary",
    .arguments = "TRACE|SKETCH|DIR...",
    .brief = "what a step costs, where the time goes and what bounds it, on one screen",
    .about =
        "The first look at a trace: the time of a step, how busy the GPU is, what a step is made of, what bounds it and "
        "why, the operators and kernels that take most, and the findings that matter most, each with what it costs a "
        "step.\n\n"
        "A trace without device activity is split on the host, and the screen says so first. The other commands show the "
        "tables behind it: breakdown, kernels, ops, critical-path, ranks.",
    .examples = "steptime summary trace.json.gz|one trace\n"
                "steptime summary traces/|all ranks of a job\n"
                "steptime summary trace.json.gz --compile-log torch_trace/|with the log of the compiler\n"
                "steptime summary --save sketches/ traces/|and a sketch of each rank\n"
                "steptime summary --skip-warmup --format json trace.json.gz|without the first step, as JSON",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE,
    .options = options,
    .analysis = &analysis,
};
