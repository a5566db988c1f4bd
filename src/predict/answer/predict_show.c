/* SPDX-License-Identifier: Apache-2.0 */
#include "energy_show.h"
#include "predict_show.h"

#include "measure.h"
#include "predict_private.h"

#include <math.h>

/* Times are told in whole nanoseconds, as everywhere; -1 is unknown. */
static struct cell ns_cell(double us)
{
    return us < 0 ? cell_null() : cell_rounded(us * 1e3);
}

static struct cell ratio_cell(double part, double whole)
{
    return whole > 0 && part >= 0 ? cell_real(part / whole) : cell_null();
}

/* ---- all ranks together ---- */

const struct prediction *predict_slowest(const struct prediction *predictions, uint32_t count)
{
    const struct prediction *most = predictions;
    for (uint32_t i = 1; i < count; i++)
        if (predictions[i].walked.step_us > most->walked.step_us)
            most = &predictions[i];
    return most;
}

static double device_us(const struct prediction *p)
{
    return p->recorded_us + p->modelled_us + p->guessed_us;
}

/* The error bar: what steps predicted from the step beside them were off, else what the models are off. */
static double error_of(const struct prediction *p)
{
    return p->tests ? p->error : 0;
}

static const double TOLD = 0.005; /* of the measured step; less is not worth a word */

/* In the unit that people would say it in. */
static str said(double us, struct arena *arena)
{
    if (us < 1e3)
        return str_printf(arena, "%.2f us", us);
    return us < 1e6 ? str_printf(arena, "%.2f ms", us / 1e3) : str_printf(arena, "%.3f s", us / 1e6);
}

/* Why a measured step is set beside the prediction with another time than its own. */
static str beside_words(const struct prediction *p, struct arena *arena)
{
    const str finished = said(p->finished_us, arena), held = said(p->held_us, arena);
    if (fabs(p->measured_us - p->finished_us) < TOLD * p->measured_us)
        return S("");
    if (p->held_us >= TOLD * p->measured_us)
        return str_printf(arena, ", %.*s of them waiting or loading as only a first step does: %.*s to compare with",
                          (int)held.len, held.at, (int)finished.len, finished.at);
    return str_printf(arena, ", %.*s from the end of all work before to the end of its own", (int)finished.len,
                      finished.at);
}

static str bar_of(const struct prediction *p, struct arena *arena)
{
    if (!p->tests)
        return S("");
    return range_too_unlike(error_of(p)) ? S(" (the recorded steps are too unlike for an error bar or an interval)")
                                         : str_printf(arena, " +- %.1f %%", 100 * error_of(p));
}

/* ", with 90 % between 11.2 ms and 13.4 ms". */
static str between(const struct prediction *p, struct arena *arena)
{
    if (p->range.high_us < 0)
        return S("");
    const str low = said(p->range.low_us, arena), high = said(p->range.high_us, arena);
    return str_printf(arena, " (%.*s to %.*s at %.3g %%)", (int)low.len, low.at, (int)high.len, high.at,
                      100 * p->level);
}

/* The measured step is of the same steps; what is asked nobody has measured, so it has no error of its own. */
static str replayed_sentence(const struct prediction *p, struct arena *arena)
{
    const str step = said(p->walked.step_us, arena), measured = said(p->measured_us, arena);
    const str range = between(p, arena);
    return str_printf(arena, "A step takes %.*s then%.*s; %.*s as recorded (%+.1f %%).", (int)step.len, step.at,
                      (int)range.len, range.at, (int)measured.len, measured.at,
                      p->measured_us > 0 ? 100 * (p->walked.step_us / p->measured_us - 1) : 0);
}

static const char *no_interval(const struct prediction *p)
{
    if (p->range.high_us >= 0)
        return "";
    return range_too_unlike(p->steps_error) ? " The recorded steps are too unlike for an interval."
                                            : " Nothing of the answer is an estimate, so it has no interval.";
}

static str replayed_how(const struct prediction *p, struct arena *arena)
{
    const double explains = 100 * p->replay_explains;
    return str_printf(arena,
                      "The recording is replayed with what the question changes, and all else keeps its recorded time. "
                      "The recorded dependencies explain %.0f %% of it%s.%s",
                      explains, explains < 90 ? ", so the answer may be far off" : "", no_interval(p));
}

/* What was measured answers no question, so there the difference is no error. */
static str sentence(const struct prediction *p, const struct predict_asked *asked, struct arena *arena)
{
    if (p->replayed)
        return replayed_sentence(p, arena);
    const str step = said(p->walked.step_us, arena), measured = said(p->measured_us, arena);
    const str known = bar_of(p, arena), range = between(p, arena);
    const str bar = str_printf(arena, "%.*s%.*s", (int)known.len, known.at, (int)range.len, range.at);
    const str then = asked->change && p->measured_us > 0 ? S(" then") : S("");
    if (p->measured_us <= 0 || p->finished_us <= 0)
        return str_printf(arena, "A step takes %.*s%.*s.", (int)step.len, step.at, (int)bar.len, bar.at);
    const str beside = beside_words(p, arena);
    return str_printf(arena, "A step takes %.*s%.*s%.*s; %.*s were measured%s%.*s (%+.1f %%).", (int)step.len, step.at,
                      (int)then.len, then.at, (int)bar.len, bar.at, (int)measured.len, measured.at,
                      then.len ? " as it is" : "", (int)beside.len, beside.at,
                      100 * (p->walked.step_us / p->finished_us - 1));
}

/* Measuring kernels would not narrow that. */
static str unlike_steps(const struct prediction *p, struct arena *arena)
{
    if (range_width_of(p) != RANGE_WIDE_BY_STEPS)
        return S("");
    if (!p->replayed && !p->tests)
        return str_printf(arena, " The interval is wide because the one recorded step is predicted %.0f %% off.",
                          100 * p->steps_error);
    return str_printf(arena,
                      p->replayed
                          ? " The interval is wide because the recorded steps differ: the mean of as many others "
                            "may be %.0f %% off."
                          : " The interval is wide because the recorded steps differ: predicted from the step "
                            "beside them they are %.0f %% off.",
                      100 * p->steps_error);
}

static str how_found(const struct prediction *p, const struct predict_asked *asked, struct arena *arena)
{
    if (p->replayed)
        return replayed_how(p, arena);
    if (!p->launches && p->measured_active_us > 0)
        return S("The device work that is recorded has no launch in the steps: the host alone is predicted.");
    if (!p->launches)
        return S("No device work is recorded and none is modelled: this is the host alone.");
    if (asked->plan.replay)
        return p->modelled_us > 0 ? S("Device work as recorded, carried over by models where the question changes it.")
                                  : S("Device work takes the time it was recorded with; the host's is made of "
                                      "overheads.");
    if (p->recorded_us >= TOLD * device_us(p))
        return str_printf(arena,
                          "Device work takes what the kernel models say, but %.0f %% of it, of which shapes or kernels "
                          "are not known, what was recorded; the host's time is made of overheads.",
                          100 * p->recorded_us / device_us(p));
    return S("Device work takes what the kernel models say; the host's time is made of overheads.");
}

static str how(const struct prediction *p, const struct predict_asked *asked, struct arena *arena)
{
    const str found = how_found(p, asked, arena), unlike = unlike_steps(p, arena);
    return str_printf(arena, "%.*s%.*s", (int)found.len, found.at, (int)unlike.len, unlike.at);
}

/* The recorder slowed the steps that the prediction stands on. "": it did not, or little. */
static str without_recorder(const struct prediction *p, struct arena *arena)
{
    if (!(p->slowed > 0))
        return S("");
    if (!(p->host_share > 0))
        return str_printf(
            arena,
            "All this holds the recorder, which made a step %.2f times as long: what the host takes is less "
            "without it, and more is up to the device.",
            p->slowed);
    const str step = said(p->unprofiled_us, arena);
    return str_printf(arena,
                      "Without the recorder, which made a step %.2f times as long, it takes %.*s: what the host does "
                      "then takes %.2f of the time.",
                      p->slowed, (int)step.len, step.at, p->host_share);
}

/* For people only where it says something; programs find it always. */
static void put(struct section *section, const char *id, const char *title, enum unit unit, struct cell cell,
                bool tells)
{
    (tells && cell.kind != CELL_NULL ? section_value : section_detail)(section, id, title, unit, cell);
}

static void put_ns(struct section *section, const char *id, const char *title, double us)
{
    put(section, id, title, UNIT_NS, ns_cell(us), true);
}

static void show_steps_beside(struct section *section, const struct prediction *p)
{
    put_ns(section, "step_ns", "predicted step", p->walked.step_us);
    put_ns(section, "step_low_ns", "at least", p->range.low_us);
    put_ns(section, "step_high_ns", "at most", p->range.high_us);
    put(section, "level", "of the interval", UNIT_RATIO, p->range.high_us < 0 ? cell_null() : cell_real(p->level),
        true);
    put_ns(section, "measured_step_ns", "measured", p->measured_us);
    put(section, "held_ns", "of it, as only a first step does", UNIT_NS,
        p->measured_us < 0 ? cell_null() : ns_cell(p->held_us), p->held_us > 0);
    put(section, "finished_ns", "measured, from end to end", UNIT_NS, ns_cell(p->finished_us),
        p->finished_us != p->measured_us);
    put(section, "error", "error bar (step from the step beside it)", UNIT_RATIO,
        p->tests ? cell_real(p->error) : cell_null(), true);
    put(section, "bias", "of it, signed", UNIT_RATIO, p->tests ? cell_real(p->bias) : cell_null(), true);
}

static void show_device_beside(struct section *section, const struct prediction *p)
{
    const bool both = p->measured_us >= 0 && p->measured_active_us >= 0;
    put_ns(section, "active_ns", "predicted device active", p->walked.active_us);
    put_ns(section, "measured_active_ns", "measured", p->measured_active_us);
    put_ns(section, "idle_ns", "predicted device idle", p->walked.idle_us);
    put_ns(section, "measured_idle_ns", "measured", both ? fmax(p->measured_us - p->measured_active_us, 0) : -1);
}

static void show_beside(struct section *section, const struct prediction *p)
{
    const bool communicates = p->walked.communication_us > 0;
    show_steps_beside(section, p);
    show_device_beside(section, p);
    put_ns(section, "host_ns", "host", p->walked.host_us);
    put_ns(section, "wait_ns", "waiting for the device, all threads", p->walked.wait_us);
    put(section, "communication_ns", "communication", UNIT_NS, ns_cell(p->walked.communication_us), communicates);
    put(section, "exposed_communication_ns", "of it, exposed", UNIT_NS, ns_cell(p->walked.exposed_communication_us),
        communicates);
    put(section, "unprofiled_step_ns", "without the profiler", UNIT_NS, ns_cell(p->unprofiled_us),
        p->profiler_us > 0 || p->host_share > 0);
    put(section, "host_share", "of the host's time, then", UNIT_RATIO,
        p->host_share > 0 ? cell_real(p->host_share) : cell_null(), true);
    put(section, "profiler_event_ns", "which costs an event", UNIT_NS, ns_cell(p->profiler_us), p->profiler_us > 0);
}

static void show_basis(struct section *section, const struct prediction *p)
{
    put(section, "recorded_share", "device time as recorded", UNIT_RATIO, ratio_cell(p->recorded_us, device_us(p)),
        p->recorded_us > 0);
    put(section, "modelled_share", "in modelled kernels", UNIT_RATIO, ratio_cell(p->modelled_us, device_us(p)),
        p->modelled_us > 0);
    put(section, "guessed_share", "guessed from bytes", UNIT_RATIO, ratio_cell(p->guessed_us, device_us(p)),
        p->guessed > 0);
    put(section, "guessed_launches", "launches guessed", UNIT_COUNT, cell_int((int64_t)p->guessed), p->guessed > 0);
    put(section, "model_error", "error of those models", UNIT_RATIO,
        isnan(p->model_error) ? cell_null() : cell_real(p->model_error), true);
    put(section, "unmeasured_share", "by models without measurements", UNIT_RATIO,
        ratio_cell(p->unmeasured_us, device_us(p)), p->unmeasured_us > 0);
    put(section, "shared_doubt", "all kernels off together by about", UNIT_RATIO, cell_real(p->shared), p->shared > 0);
    put(section, "own_doubt", "each by itself by about", UNIT_RATIO, cell_real(p->own), p->own > 0);
    put(section, "host_doubt", "means of the host off by about", UNIT_RATIO, cell_real(p->host_doubt),
        p->host_doubt > 0);
    section_value(section, "source", "program from", UNIT_NONE, cell_text(program_source_word(p->source)));
    put(section, "device", "device", UNIT_NONE, cell_text_or_null(p->device), true);
    section_value(section, "operators", "operators at the top", UNIT_COUNT, cell_int((int64_t)p->operators));
    section_value(section, "launches", "launches", UNIT_COUNT, cell_int((int64_t)p->launches));
    put(section, "without_shapes", "operators that lack shapes", UNIT_COUNT, cell_int((int64_t)p->without_shapes),
        p->without_shapes > 0);
    put(section, "unusable_sizes", "operators with impossible sizes", UNIT_COUNT, cell_int((int64_t)p->unusable_sizes),
        p->unusable_sizes > 0);
}

/* What would make known what is not. "": nothing is missing that anything could tell. */
static str missing(const struct prediction *p)
{
    if (p->source == PROGRAM_EXECUTION)
        return S(
            "Nothing was measured: the trace recorded with the execution trace, given beside it, tells what a step "
            "took there and what its operators cost the host.");
    if (p->measured_us < 0)
        return S("Nothing was measured: how far off it is only a trace of such a run tells. --overheads takes what "
                 "operators cost the host there.");
    if (!p->replayed && !p->tests && p->step_count < 2 && !p->together)
        return S("There is no error bar: it takes a second recorded step.");
    return S("");
}

static void show_head(const struct prediction *predictions, uint32_t count, const struct predict_asked *asked,
                      struct report *report)
{
    const struct prediction *p = predict_slowest(predictions, count);
    struct section *section = report_section(report, "prediction", "Prediction");
    section_text(section, sentence(p, asked, report_arena(report)));
    section_text(section, how(p, asked, report_arena(report)));
    const str left_out = without_recorder(p, report_arena(report));
    if (left_out.len)
        section_text(section, left_out);
    if (count > 1)
        section_text(section,
                     str_printf(report_arena(report), "Rank %lld, the slowest of %u.", (long long)p->rank, count));
    if (p->together)
        section_text(section,
                     p->replayed
                         ? S("A collective begins when the last of the ranks has come, and takes the least "
                             "that any of them recorded.")
                         : S("The ranks are walked together: a collective begins when the last of them has come, and "
                             "takes the least that any of them would."));
    const str lacks = missing(p);
    if (lacks.len)
        section_text(section, lacks);
    show_beside(section, p);
    show_basis(section, p);
    energy_show(section, p, asked->per_hour, report_arena(report));
}

/* ---- tables ---- */

static const struct column_spec operators_columns[] = {
    {"name", "operator", UNIT_NONE, COLUMN_WIDE, "operators at the top of this name"},
    {"calls", "calls", UNIT_COUNT, 0, "how many in a step"},
    {"launches", "launches", UNIT_COUNT, 0, "pieces of device work that they launch in a step"},
    {"host_ns", "host", UNIT_NS, 0, "from their starts to their ends on the host, waits included"},
    {"device_ns", "device", UNIT_NS, 0, "their device work"},
    {"device_low_ns", "at least", UNIT_NS, 0, "the lower end of the interval of device_ns; device_ns where recorded"},
    {"device_high_ns", "at most", UNIT_NS, 0, "the upper end of the interval of device_ns; device_ns where recorded"},
    {"without_ns", "a step is shorter without", UNIT_NS, COLUMN_ANSWER,
     "by so much a step is shorter when it is walked without them"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR, "without_ns / step_ns, 0 where negative"},
    {"basis", "basis", UNIT_NONE, 0,
     "of device work that is not recorded, the least sure: measured, carried, analytic, bytes; recorded: all of it "
     "is; null where there is none"},
    {"from", "from", UNIT_NONE, COLUMN_WIDE,
     "whose coefficients the longest of that has: a device, a vendor, all; null where none were fitted"},
    {0},
};

static str basis_of(const struct predicted_operator *op)
{
    return op->model.len ? estimate_basis_word(op->basis) : op->launches ? S("recorded") : S("");
}

static void show_top(const struct prediction *p, struct report *report)
{
    struct section *section = report_section(report, "operators", "Operators that contribute most");
    struct table *table = section_table(section, "operators", "");
    table_columns(table, operators_columns);
    for (uint32_t i = 0; i < p->top_count; i++) {
        const struct predicted_operator *op = &p->top[i];
        table_row(table);
        table_text(table, op->name);
        table_int(table, (int64_t)op->calls);
        table_int(table, (int64_t)op->launches);
        table_cell(table, ns_cell(op->host_us));
        table_cell(table, ns_cell(op->device_us));
        table_cell(table, ns_cell(op->device.low_us));
        table_cell(table, ns_cell(op->device.high_us));
        table_cell(table, cell_rounded(op->without_us * 1e3));
        table_cell(table, ratio_cell(fmax(op->without_us, 0), p->walked.step_us));
        table_cell(table, cell_text_or_null(basis_of(op)));
        table_cell(table, cell_text_or_null(op->from));
    }
}

static const struct column_spec steps_columns[] = {
    {"step", "step", UNIT_NONE, 0, "number of the step"},
    {"step_ns", "predicted", UNIT_NS, 0, "predicted time of a step"},
    {"step_low_ns", "at least", UNIT_NS, 0, "the lower end of the interval of step_ns"},
    {"step_high_ns", "at most", UNIT_NS, 0, "the upper end of the interval of step_ns"},
    {"measured_step_ns", "measured", UNIT_NS, 0, "recorded time of a step; null where none was recorded"},
    {"finished_ns", "from end to end", UNIT_NS, 0, "the recorded step from end to end, less what it was held"},
    {"from_beside_ns", "from the step beside it", UNIT_NS, 0, "predicted from the step beside it"},
    {"active_ns", "device active", UNIT_NS, 0, "predicted time with any work on the device"},
    {"measured_active_ns", "measured", UNIT_NS, 0, "recorded time with any work on the device"},
    {0},
};

static void show_steps(const struct prediction *predictions, uint32_t count, struct report *report)
{
    struct table *table = section_table(report_section(report, "steps", "Steps"), "steps", "");
    table_column(table, (struct column_spec){"rank", "rank", UNIT_NONE, count > 1 ? COLUMN_PLAIN : COLUMN_DETAIL,
                                             "as recorded, else from the file's name, else by order"});
    table_columns(table, steps_columns);
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t i = 0; i < predictions[r].step_count; i++) {
            const struct predicted_step *step = &predictions[r].steps[i];
            table_row(table);
            table_int(table, predictions[r].rank);
            table_cell(table, cell_int_or_null(step->number));
            table_cell(table, ns_cell(step->step_us));
            table_cell(table, ns_cell(step->range.low_us));
            table_cell(table, ns_cell(step->range.high_us));
            table_cell(table, ns_cell(step->measured_us));
            table_cell(table, ns_cell(step->finished_us));
            table_cell(table, ns_cell(step->from_beside_us));
            table_cell(table, ns_cell(step->active_us));
            table_cell(table, ns_cell(step->measured_active_us));
        }
}

static const struct column_spec ranks_columns[] = {
    {"rank", "rank", UNIT_NONE, 0, "as recorded, else from the file's name, else by order"},
    {"file", "file", UNIT_NONE, COLUMN_WIDE, "path of the file"},
    {"step_ns", "predicted", UNIT_NS, 0, "predicted time of a step"},
    {"step_low_ns", "at least", UNIT_NS, 0, "the lower end of the interval of step_ns"},
    {"step_high_ns", "at most", UNIT_NS, 0, "the upper end of the interval of step_ns"},
    {"alone_ns", "alone, waiting as recorded", UNIT_NS, 0,
     "the step of the rank alone, its waiting for others as recorded; null where the ranks are not walked together"},
    {"measured_step_ns", "measured", UNIT_NS, 0, "recorded time of a step; null where none was recorded"},
    {"error", "step from step", UNIT_RATIO, 0,
     "mean absolute error of the steps, each predicted from the step beside it alone"},
    {"rank_error", "off with the overheads of the others", UNIT_RATIO, 0,
     "signed error, from end to end, of the rank predicted with its own program and kernel times, and with the overheads of the other ranks"},
    {"active_ns", "device active", UNIT_NS, 0, "predicted time with any work on the device"},
    {"measured_active_ns", "measured", UNIT_NS, 0, "recorded time with any work on the device"},
    {"joules", "energy (J)", UNIT_NONE, COLUMN_DETAIL,
     "of a step on the rank's GPU; null where its power is not known"},
    {"joules_low", "at least", UNIT_NONE, COLUMN_DETAIL, "the lower end of the interval of joules"},
    {"joules_high", "at most", UNIT_NONE, COLUMN_DETAIL, "the upper end of the interval of joules"},
    {0},
};

static void show_joules(struct table *table, const struct prediction *p)
{
    const struct joules joules = predict_joules(p);
    const double ends[] = {joules.joules, joules.low, joules.high};
    for (int i = 0; i < 3; i++)
        table_cell(table, isnan(ends[i]) ? cell_null() : cell_real(ends[i]));
}

static void show_ranks(const struct prediction *predictions, uint32_t count, struct report *report)
{
    struct table *table = section_table(report_section(report, "ranks", "Ranks"), "ranks", "");
    table_columns(table, ranks_columns);
    if (count == 1)
        table_json_only(table);
    for (uint32_t i = 0; i < count; i++) {
        const struct prediction *p = &predictions[i];
        table_row(table);
        table_int(table, p->rank);
        table_text(table, p->path);
        table_cell(table, ns_cell(p->walked.step_us));
        table_cell(table, ns_cell(p->range.low_us));
        table_cell(table, ns_cell(p->range.high_us));
        table_cell(table, ns_cell(p->alone_us));
        table_cell(table, ns_cell(p->measured_us));
        table_cell(table, p->tests ? cell_real(p->error) : cell_null());
        table_cell(table, cell_real(p->rank_error));
        table_cell(table, ns_cell(p->walked.active_us));
        table_cell(table, ns_cell(p->measured_active_us));
        show_joules(table, p);
    }
}

void predict_show(const struct prediction *predictions, uint32_t count, const struct predict_asked *asked,
                  struct report *report)
{
    show_head(predictions, count, asked, report);
    show_top(predict_slowest(predictions, count), report);
    show_steps(predictions, count, report);
    show_ranks(predictions, count, report);
    measure_show(predict_slowest(predictions, count), report);
}
