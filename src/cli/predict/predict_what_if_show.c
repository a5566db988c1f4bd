/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a question and of a sweep. */
#include <math.h>

#include "predict_what_if.h"

static struct cell ns_cell(double us)
{
    return cell_int((int64_t)llround(us * 1e3));
}

/* Of no interval nothing. */
static struct cell end_cell(double us)
{
    return us < 0 ? cell_null() : ns_cell(us);
}

static const struct predicted_point *slowest_before(const struct what_if_answer *answers, uint32_t count)
{
    const struct what_if_answer *slowest = answers;
    for (uint32_t i = 1; i < count; i++)
        if (answers[i].before.step_us > slowest->before.step_us)
            slowest = &answers[i];
    return &slowest->before;
}

/* ---- intervals ---- */

static bool has_interval(const struct predicted_point *point)
{
    return point->high_us >= 0;
}

/* From the step down to the lower end, and up to the upper one; what was recorded has none. */
static double below(const struct predicted_point *point)
{
    return has_interval(point) ? point->step_us - point->low_us : 0;
}

static double above(const struct predicted_point *point)
{
    return has_interval(point) ? point->high_us - point->step_us : 0;
}

/*
 * Of a difference, as if both were off by themselves: wider than need be where models are off alike before and after, but
 * nobody has measured how far they are.
 */
static void put_saving(const struct predicted_point *before, const struct predicted_point *after,
                       struct section *section)
{
    const double saving = before->step_us - after->step_us;
    const bool known = has_interval(before) || has_interval(after);
    const double low = saving - hypot(above(after), below(before)), high = saving + hypot(below(after), above(before));
    section_value(section, "saving_ns", saving < 0 ? "shorter (below zero: longer) by" : "shorter by", UNIT_NS,
                  ns_cell(saving));
    section_value(section, "saving_low_ns", "  at least", UNIT_NS, known ? ns_cell(low) : cell_null());
    section_value(section, "saving_high_ns", "  at most", UNIT_NS, known ? ns_cell(high) : cell_null());
}

/* The same of a ratio, by logarithms. */
static double ln_over(double us, double low_us)
{
    return low_us > 0 ? log(us / low_us) : us > 0 ? INFINITY : 0;
}

static void put_speedup(const struct predicted_point *before, const struct predicted_point *after,
                        struct section *section)
{
    const double speedup = after->step_us > 0 ? before->step_us / after->step_us : NAN;
    const bool known = has_interval(before) || has_interval(after);
    const double slower =
        hypot(log(1 + above(after) / after->step_us), ln_over(before->step_us, before->step_us - below(before)));
    const double faster =
        hypot(log(1 + above(before) / before->step_us), ln_over(after->step_us, after->step_us - below(after)));
    section_value(section, "speedup", "times as fast", UNIT_NONE, cell_real(speedup));
    section_value(section, "speedup_low", "  at least", UNIT_NONE,
                  known ? cell_real(speedup * exp(-slower)) : cell_null());
    section_value(section, "speedup_high", "  at most", UNIT_NONE,
                  known ? cell_real(speedup * exp(faster)) : cell_null());
}

static void put_step(struct section *section, const char *const ids[3], const char *title,
                     const struct predicted_point *point)
{
    section_value(section, ids[0], title, UNIT_NS, ns_cell(point->step_us));
    section_value(section, ids[1], "  at least", UNIT_NS, end_cell(point->low_us));
    section_value(section, ids[2], "  at most", UNIT_NS, end_cell(point->high_us));
}

static str basis_of(const struct what_if *w)
{
    if (!what_if_can_replay(w, &w->question))
        return S("the walk");
    return w->together ? S("replay of the recording, ranks together") : S("replay of the recording");
}

static void show_values(const struct what_if *w, struct section *section)
{
    static const char *const before_ids[] = {"before_ns", "before_low_ns", "before_high_ns"};
    static const char *const after_ids[] = {"after_ns", "after_low_ns", "after_high_ns"};
    const struct predicted_point *before = slowest_before(w->answers, w->count);
    const struct predicted_point *after = &what_if_slowest(w->answers, w->count)->after;
    for (uint32_t i = 0; i < w->told.count; i++)
        section_text(section, w->told.lines[i]);
    sweep_tell_interval(has_interval(after), after->unlike, section);
    put_step(section, before_ids, "step as it is", before);
    put_step(section, after_ids, "step then", after);
    put_saving(before, after, section);
    put_speedup(before, after, section);
    section_value(section, "level", "of true times in their intervals", UNIT_RATIO,
                  has_interval(after) ? cell_real(w->base.level) : cell_null());
    section_value(section, "basis", "told by", UNIT_NONE, cell_text(basis_of(w)));
}

static const struct column_spec what_if_ranks_columns[] = {
    {"rank", "rank", UNIT_NONE, 0, "as recorded, else from the file's name, else by order"},
    {"before_ns", "step as it is", UNIT_NS, 0, "predicted step as it is"},
    {"after_ns", "step then", UNIT_NS, 0, "predicted step with the change"},
    {"after_low_ns", "at least", UNIT_NS, 0,
     "lower end of the interval of after_ns; null: nothing of it is an estimate"},
    {"after_high_ns", "at most", UNIT_NS, 0, "upper end of it"},
    {"active_ns", "device at work then", UNIT_NS, 0, "time with any work on the device, with the change"},
    {"host_ns", "host then", UNIT_NS, 0, "time of the host, with the change"},
    {0},
};

static void show_ranks(const struct what_if *w, struct section *section)
{
    const struct what_if_answer *answers = w->answers;
    struct table *table = section_table(section, "what_if_ranks", "");
    table_columns(table, what_if_ranks_columns);
    for (uint32_t i = 0; i < w->count; i++) {
        table_row(table);
        table_int(table, w->inputs[i].source->rank);
        table_cell(table, ns_cell(answers[i].before.step_us));
        table_cell(table, ns_cell(answers[i].after.step_us));
        table_cell(table, end_cell(answers[i].after.low_us));
        table_cell(table, end_cell(answers[i].after.high_us));
        table_cell(table, ns_cell(answers[i].after.active_us));
        table_cell(table, ns_cell(answers[i].after.host_us));
    }
}

/* Where the walk has not told it. */
static void warn_of_doubt(const struct what_if *w, struct report *report)
{
    const str words = w->together ? match_doubt_words(&w->doubt, w->arena) : S("");
    if (words.len)
        report_warning(report, w->inputs[w->doubt.rank].source->path, -1, words);
}

static void show_question(const struct what_if *w, struct report *report)
{
    struct section *section = report_section(report, "what_if", "What if");
    show_values(w, section);
    show_ranks(w, section);
    warn_of_doubt(w, report);
}

static bool predict_point(void *context, const struct question *question, struct predicted_point *point,
                          struct steptime_error *err)
{
    struct what_if *w = context;
    struct what_if_answer *answers = arena_array(w->arena, w->count, sizeof *answers);
    if (!what_if_ask(w, question, answers, err))
        return false;
    *point = what_if_slowest(answers, w->count)->after;
    return true;
}

static bool show_sweep(struct what_if *w, struct report *report, struct steptime_error *err)
{
    struct predicted_point *points = arena_array(w->arena, w->sweep.count, sizeof *points);
    if (!sweep_run(&w->sweep, &w->question, predict_point, w, points, err))
        return false;
    const struct energy_asked asked = {.level = w->base.level, .per_hour = w->base.per_hour};
    sweep_show(&w->sweep, points, &asked, report);
    return true;
}

bool what_if_show(struct what_if *w, struct report *report, struct steptime_error *err)
{
    if (w->answers)
        show_question(w, report);
    return !w->swept || show_sweep(w, report, err);
}
