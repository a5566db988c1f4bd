/* SPDX-License-Identifier: Apache-2.0 */
/* What changed in a step between two recordings, and why. */
#include <math.h>

#include "base/error.h"
#include "base/real.h"
#include "cli/program/command.h"
#include "cli/program/output.h"
#include "cli/program/reading.h"
#include "diff/gate.h"
#include "diff/show.h"
#include "inputs/range.h"
#include "sketch/numbers/operators_sketch.h"
#include "sketch/numbers/summary_sketch.h"

struct reading_side {
    const struct call *call;
    struct selection steps;
    struct inputs inputs;
    struct inputs_asked asked;
    const char *path;
    struct diff_side side;
};

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    const struct reading_side *reading = context;
    struct diff_rank *rank = arena_alloc(&file->arena, sizeof *rank);
    file->result = rank;
    if (!file->trace)
        return summary_sketch_read(file->sketch, file->rank, &file->arena, &rank->summary, err) &&
               operators_sketch_read(file->sketch, &file->arena, &rank->paths, err);
    const struct selection *steps = &reading->steps;
    summary_run(file->trace, steps, !file->trace->info.is_alone, &file->arena, &rank->summary);
    rank->paths = operator_paths_of(file->trace, steps, &file->arena);
    rank->loaders = diff_loaders_of(file->trace);
    rank->quickest = quickest_of(file->trace, steps);
    return true;
}

static bool read_side(struct reading_side *reading, struct arena *arena, struct steptime_error *err)
{
    reading->asked = (struct inputs_asked){.paths = &reading->path,
                                           .count = 1,
                                           .steps = &reading->steps,
                                           .context = reading,
                                           .take = take,
                                           .sketches = true};
    if (!call_inputs(reading->call, &reading->asked, &reading->inputs, err))
        return false;
    const struct diff_rank **ranks = arena_array(arena, reading->inputs.taken, sizeof *ranks);
    for (uint32_t i = 0; i < reading->inputs.taken; i++)
        ranks[i] = reading->inputs.at[i]->result;
    diff_side_of(ranks, reading->inputs.taken, arena, &reading->side);
    for (uint32_t i = 0; i < reading->inputs.taken; i++)
        reading->side.cut |= reading->inputs.at[i]->trust.cut;
    return reading->side.count ||
           fail_at(err, STEPTIME_INPUT, str_of(reading->path), -1, "has no step that could be compared");
}

/* ---- settings ---- */

enum { SETTINGS_BESIDE = 3 };

static void settings_of_side(const struct reading_side *reading, bool after, struct diff_setting *out,
                             struct arena *arena)
{
    const struct job_member *member = &reading->inputs.at[0]->member;
    const str ranks = str_printf(arena, "%u", reading->inputs.taken);
    const str beside[SETTINGS_BESIDE] = {member->device, member->torch_version, ranks};
    static const char *const ids[SETTINGS_BESIDE] = {"device", "torch_version", "ranks"};
    for (int i = 0; i < SETTINGS_BESIDE + SETTINGS; i++) {
        out[i].id = i < SETTINGS_BESIDE ? ids[i] : setting_id(i - SETTINGS_BESIDE);
        const str value = i < SETTINGS_BESIDE ? beside[i]
                          : member->settings  ? member->settings->of[i - SETTINGS_BESIDE]
                                              : S("");
        out[i].of_recorder = i >= SETTINGS_BESIDE + SETTING_SHAPES;
        *(after ? &out[i].after : &out[i].before) = value;
    }
}

/* ---- the gate ---- */

/* "5%" or "5": a share of 0.05; NAN: not asked for. */
static bool most_slower(const struct call *call, double *share, struct steptime_error *err)
{
    const char *text = call_text(call, "fail-over");
    *share = NAN;
    if (!text && call_flag(call, "fail-unsure"))
        return fail(err, STEPTIME_USAGE,
                    "--fail-unsure says what becomes of a gate that cannot tell: --fail-over 5%% is one");
    if (!text)
        return true;
    str number = str_of(text);
    if (str_ends(number, S("%")))
        number.len--;
    if (!real_read(number, share) || !(*share >= 0 && *share <= 1000))
        return fail(err, STEPTIME_USAGE, "--fail-over takes a percentage, 5%% or 2.5, not '%s'", text);
    *share /= 100;
    return true;
}

static void say_gate(const struct diff *diff, double share, struct report *report)
{
    struct arena *arena = report_arena(report);
    struct section *section = report_section(report, "diff", "What changed");
    if (isnan(share))
        return;
    const enum gate gate = gate_of(diff, share);
    section_detail(section, "gate", "gate", UNIT_NONE, cell_text(str_of(gate_id(gate))));
    section_detail(section, "fails", "fails", UNIT_NONE, cell_text(gate == GATE_FAILS ? S("yes") : S("no")));
    section_text(section, gate_words(diff, share, arena));
}

/* ---- the command ---- */

/* What a file says of its job is said of its side. */
static void add_trust(const struct inputs *inputs, const char *side, struct trust *trust)
{
    const uint32_t before = trust->job.count;
    inputs_trust(inputs, trust);
    for (uint32_t i = before; i < trust->job.count; i++)
        trust->job.at[i].what =
            str_printf(trust->job.arena, "%s: %.*s", side, (int)trust->job.at[i].what.len, trust->job.at[i].what.at);
}

static bool compare(const struct call *call, struct reading_side sides[2], double share, struct arena *arena,
                    enum gate *gate, struct steptime_error *err)
{
    struct report *report = report_new(arena, S("diff"));
    const struct diff diff = diff_of(&sides[0].side, &sides[1].side);
    const struct diff_operators operators = diff_operators_of(&sides[0].side, &sides[1].side, arena);
    struct diff_setting settings[SETTINGS_BESIDE + SETTINGS];
    for (int i = 0; i < 2; i++) {
        settings_of_side(&sides[i], i == 1, settings, arena);
        inputs_tell(&sides[i].inputs, report);
    }
    diff_show_answer(&diff, &operators, report);
    say_gate(&diff, share, report);
    diff_show(&diff, &operators, settings, SETTINGS_BESIDE + SETTINGS, report);
    struct trust trust = {.job.arena = arena};
    for (int i = 0; i < 2; i++)
        add_trust(&sides[i].inputs, i ? "second side" : "first side", &trust);
    trust_show(&trust, report);
    *gate = isnan(share) ? GATE_HOLDS : gate_of(&diff, share);
    return output_report(call, report, err) && inputs_whole(&sides[0].inputs, err) &&
           inputs_whole(&sides[1].inputs, err);
}

/* --steps is of both sides, --steps-after of the second. */
static bool steps_of_sides(const struct call *call, struct reading_side sides[2], struct steptime_error *err)
{
    const char *after = call_text(call, "steps-after");
    sides[0].steps = sides[1].steps = *call_selection(call);
    if (!after)
        return true;
    sides[1].steps.limited = true;
    return range_read(str_of(after), &sides[1].steps.first, &sides[1].steps.last) ||
           fail(err, STEPTIME_USAGE, "--steps-after takes steps as --steps does: 2..5, 2.., ..5 or 3, not '%s'", after);
}

static bool check(const struct call *call, double *share, struct steptime_error *err)
{
    if (call_argument_count(call) != 2)
        return fail(
            err, STEPTIME_USAGE,
            "diff compares two sides, each a trace, a sketch or a folder of ranks: the one before, then the one "
            "after");
    return most_slower(call, share, err) && output_check(call, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct reading_side sides[2] = {{.call = call}, {.call = call}};
    double share;
    enum gate gate = GATE_HOLDS;
    bool good = check(call, &share, err) && steps_of_sides(call, sides, err);
    for (int i = 0; i < 2 && good; i++) {
        sides[i].path = call_argument(call, (uint32_t)i);
        good = read_side(&sides[i], &arena, err);
    }
    good = good && compare(call, sides, share, &arena, &gate, err);
    for (int i = 0; i < 2; i++)
        inputs_close(&sides[i].inputs);
    arena_free(&arena);
    const bool no = gate == GATE_FAILS || (gate == GATE_CANNOT_TELL && call_flag(call, "fail-unsure"));
    return !good ? err->code : no ? STEPTIME_JUDGED : STEPTIME_OK;
}

static const struct option options[] = {
    {"fail-over", 0, "PERCENT", NULL,
     "A gate: exit with 1 where the step is proven to be more than this slower: 5%. Exit with 0 where it holds: it is not, and "
     "had it been, these steps would have proven it. Where the gate cannot tell (too few steps, or such as differ by too much) "
     "it says so, with how many steps would do, and exits with 0."},
    {"fail-unsure", 0, NULL, NULL, "With --fail-over: exit with 1 where the gate cannot tell, too."},
    {"steps-after", 0, "A..B", NULL,
     "Of the second side look at these steps, as --steps; then --steps is of the first alone. With one trace as both sides: "
     "its early steps against its late ones."},
    {0},
};

const struct command command_diff = {
    .name = "diff",
    .arguments = "BEFORE AFTER",
    .brief = "what changed in a step between two recordings, and why",
    .about =
        "Compares a mean step of two sides, each a trace, a sketch or a folder with the ranks of a job: whether it changed "
        "by more than its steps differ anyway, which kind of its time did, and why, as far as the traces show it: batches "
        "that left the training loop, copies through pageable memory, kernels of fewer bits, a rank that is no longer "
        "late, the operators that changed most.\n\n"
        "A permutation test over the steps tells change from chance: it needs four steps a side, better ten. Where nothing "
        "changed, or no more than steps differ by anyway, the screen says so, and how large a change would have shown. Sketches ('summary --save') are kilobytes, so that a repository can keep "
        "the baseline that its merges are measured against.",
    .examples = "steptime diff before.json.gz after.json.gz|two traces\n"
                "steptime diff baseline/ traces/|two jobs, all ranks of each\n"
                "steptime diff --fail-over 5% baseline.sketch trace.json.gz|as a gate: exit 1 where it is slower",
    .shared = SHARED_OUTPUT_NO_FINDINGS | SHARED_EXPLAIN | SHARED_TRACE,
    .options = options,
    .run = run,
};
