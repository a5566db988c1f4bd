/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"

#include <math.h>

#include "base/duration.h"
#include "permutation.h"
#include "why.h"

/* ---- the first sentence ---- */

static str p_words(double p, struct arena *arena)
{
    return p < 0.001 ? str_copy(arena, S("p < 0.001")) : str_printf(arena, "p = %.2g", p);
}

static str counts_words(const struct diff *diff, struct arena *arena)
{
    const uint32_t before = diff->before->count, after = diff->after->count;
    return before == after ? str_printf(arena, "%u step%s a side: no test", before, before == 1 ? "" : "s")
                           : str_printf(arena, "%u and %u steps: no test", before, after);
}

/* ", 12 steps a side would do", for a change as large as this one. */
static str enough_words(const struct diff *diff, struct arena *arena)
{
    const uint32_t steps = diff_steps_for(diff, diff->share);
    return steps > diff->before->count || steps > diff->after->count
               ? str_printf(arena, ", %u steps a side would do", steps)
               : S("");
}

/* What the step's own numbers prove. */
static str proof_words(const struct diff *diff, struct arena *arena)
{
    const double p = fmax(diff->p_mean, diff->p_rank);
    const str enough = enough_words(diff, arena);
    if (isnan(p)) {
        const str counts = counts_words(diff, arena);
        return str_printf(arena, "%.*s%.*s", (int)counts.len, counts.at, (int)enough.len, enough.at);
    }
    if (p <= DIFF_LEVEL && diff->disturbed && diff->answer != DIFF_PROVEN)
        return str_printf(arena, "not proven: its stretches at their quickest take %+.1f %%",
                          100 * diff->quickest_share);
    const str words = p_words(p, arena);
    if (diff->answer == DIFF_PROVEN)
        return words;
    if (p <= DIFF_LEVEL)
        return str_printf(arena, "no more than steps differ by, %.*s", (int)words.len, words.at);
    return str_printf(arena, "not proven, %.*s%.*s", (int)words.len, words.at,
                      diff->answer == DIFF_UNPROVEN ? (int)enough.len : 0, enough.at);
}

/* "step +12.3 % (46.10 to 51.77 ms, p = 0.002)" */
static str step_words(const struct diff *diff, struct arena *arena)
{
    const str from = duration_words(arena, diff->before->mean.wall_ns);
    const str to = duration_words(arena, diff->after->mean.wall_ns);
    const str proof = proof_words(diff, arena);
    return str_printf(arena, "step %+.1f %% (%.*s to %.*s, %.*s)", 100 * diff->share, (int)from.len, from.at,
                      (int)to.len, to.at, (int)proof.len, proof.at);
}

/* Of the kind by itself, where that is another answer than the step's. */
static str kind_proof(const struct diff *diff, struct arena *arena)
{
    const double p = diff->kinds[diff->cause].p;
    if (diff->answer == DIFF_PART)
        return str_printf(arena, " (%s)", p_words(p, arena).at);
    return diff->answer == DIFF_PROVEN && p > DIFF_LEVEL
               ? str_printf(arena, " (not proven by itself, %s)", p_words(p, arena).at)
               : S("");
}

/* "data loading -43.20 ms: it left the training loop for worker processes" */
static str cause_words(const struct diff *diff, const struct diff_operators *operators, struct arena *arena)
{
    const struct diff_change *change = &diff->kinds[diff->cause];
    const str span = duration_change_words(arena, change->after_ns - change->before_ns);
    const str why = diff_why(diff, operators, diff->cause, arena), proof = kind_proof(diff, arena);
    return str_printf(arena, "%s %.*s%.*s%s%.*s", diff_kind_title(diff->cause), (int)span.len, span.at, (int)proof.len,
                      proof.at, why.len ? ": " : "", (int)why.len, why.at);
}

/* What would have been seen: without it "no change" says nothing. */
static str shows_words(const struct diff *diff, struct arena *arena)
{
    const uint32_t steps = diff_steps_for(diff, 0.05);
    if (isnan(diff->p_mean))
        return steps ? str_printf(arena, "too few steps for any test, %u a side would show 5 %%", steps)
                     : str_copy(arena, S("too few steps for any test"));
    return str_printf(arena, "%.*f %% or more would have shown", diff->shows_share < 0.1, 100 * diff->shows_share);
}

static str silent_words(const struct diff *diff, struct arena *arena)
{
    const str from = duration_words(arena, diff->before->mean.wall_ns);
    const str to = duration_words(arena, diff->after->mean.wall_ns);
    const str shows = shows_words(diff, arena);
    if (diff_is_quickest_alone(diff))
        return str_printf(
            arena,
            "no change of its own: at their quickest its stretches take as long as before (%+.1f %%), though "
            "a step took %.*s and %.*s; of its own %.*s",
            100 * diff->quickest_share, (int)from.len, from.at, (int)to.len, to.at, (int)shows.len, shows.at);
    return str_printf(arena, "no change: %.*s and %.*s a step, %s; %.*s", (int)from.len, from.at, (int)to.len, to.at,
                      fabs(diff->share) < 0.01 ? "less than 1 % apart" : "within what steps differ by anyway",
                      (int)shows.len, shows.at);
}

/* "the first file breaks off" */
static str cut_words(const struct diff *diff, struct arena *arena)
{
    const struct diff_side *before = diff->before, *after = diff->after;
    const bool alone = (!before->cut || before->rank_count == 1) && (!after->cut || after->rank_count == 1);
    if (before->cut && after->cut)
        return alone ? S("both files break off") : S("files of both sides break off");
    return str_printf(arena, "%s%s breaks off", alone ? "the " : "a file of the ",
                      before->cut ? alone ? "first file" : "first side"
                      : alone     ? "second file"
                                  : "second side");
}

/* No word of change: what is missing may be all of it. */
static str part_words(const struct diff *diff, struct arena *arena)
{
    const str cut = cut_words(diff, arena);
    const str from = duration_words(arena, diff->before->mean.wall_ns);
    const str to = duration_words(arena, diff->after->mean.wall_ns);
    return str_printf(arena, "%.*s: what is compared is a part (a step of %.*s, then of %.*s), and proves nothing",
                      (int)cut.len, cut.at, (int)from.len, from.at, (int)to.len, to.at);
}

static str sentence(const struct diff *diff, const struct diff_operators *operators, struct arena *arena)
{
    if (diff->before->cut || diff->after->cut)
        return part_words(diff, arena);
    if (diff->answer == DIFF_APART)
        return str_printf(arena,
                          "not compared: the %s side marks no steps, and a whole recording says nothing of a step",
                          diff->before->marked ? "second" : "first");
    if (diff->answer == DIFF_SILENT)
        return silent_words(diff, arena);
    const str step = step_words(diff, arena);
    if (diff->cause == DIFF_KINDS)
        return step;
    const str cause = cause_words(diff, operators, arena);
    return str_printf(arena, "%.*s: %.*s", (int)step.len, step.at, (int)cause.len, cause.at);
}

/* ---- the tables ---- */

static const struct column_spec kind_columns[] = {
    {"kind", "kind", UNIT_NONE, COLUMN_DETAIL, "a kind of time, as `cause` names it; they sum to the step"},
    {"title", "time", UNIT_NONE, COLUMN_PLAIN, "the same for people"},
    {"before_ns", "before", UNIT_NS, COLUMN_PLAIN, "a mean step of the first side"},
    {"after_ns", "after", UNIT_NS, COLUMN_ALIKE, "a mean step of the second side"},
    {"change_ns", "change", UNIT_NS, COLUMN_ALIKE, "after_ns - before_ns"},
    {"change_share", "of the step", UNIT_RATIO, COLUMN_PLAIN, "change_ns / step_before_ns"},
    {"p", "p", UNIT_NONE, COLUMN_PLAIN,
     "permutation test of the means over steps, after Holm's correction; of fewer than four steps a side none"},
    {0},
};

static void show_kinds(const struct diff *diff, struct section *section)
{
    struct table *table = section_table(section, "kinds", "Where the change is");
    table_columns(table, kind_columns);
    if (diff->answer == DIFF_SILENT || diff->answer == DIFF_APART)
        table_json_only(table);
    for (int kind = 0; kind < DIFF_KINDS; kind++) {
        const struct diff_change *change = &diff->kinds[kind];
        if (change->before_ns <= 0 && change->after_ns <= 0)
            continue;
        table_row(table);
        table_text(table, str_of(diff_kind_id(kind)));
        table_text(table, str_of(diff_kind_title(kind)));
        table_cell(table, cell_rounded(change->before_ns));
        table_cell(table, cell_rounded(change->after_ns));
        table_cell(table, cell_rounded(change->after_ns - change->before_ns));
        table_cell(table, cell_ratio(change->after_ns - change->before_ns, diff->before->mean.wall_ns));
        table_real(table, change->p);
    }
}

static const struct column_spec operator_columns[] = {
    {"path", "operator", UNIT_NONE, COLUMN_WIDE, "the operator, behind those that it was called in"},
    {"state", "", UNIT_NONE, COLUMN_PLAIN, "new: only the second side calls it; gone: only the first"},
    {"before_ns", "before", UNIT_NS, COLUMN_SUM,
     "work that it launched itself, a mean step of the first side; without a device its own time on the host"},
    {"after_ns", "after", UNIT_NS, COLUMN_ALIKE | COLUMN_SUM, "the same of the second"},
    {"change_ns", "change", UNIT_NS, COLUMN_ALIKE | COLUMN_PART, "after_ns - before_ns"},
    {"before_calls", "calls before", UNIT_NONE, COLUMN_SUM, "calls a mean step of the first side"},
    {"after_calls", "calls after", UNIT_NONE, COLUMN_ALIKE | COLUMN_SUM, "the same of the second"},
    {0},
};

static str state_of(const struct diff_operator *of)
{
    return of->before_calls > 0 ? of->after_calls > 0 ? S("") : S("gone") : S("new");
}

static void show_operators(const struct diff *diff, const struct diff_operators *operators, struct section *section,
                           struct arena *arena)
{
    struct table *table = section_table(section, "operators", "Operators that changed most");
    table_columns(table, operator_columns);
    table_whole(table, fabs(diff->after->mean.wall_ns - diff->before->mean.wall_ns), S("the step's change"));
    if (diff->answer == DIFF_SILENT || diff->answer == DIFF_APART)
        table_json_only(table);
    for (uint32_t i = 0; i < operators->count; i++) {
        const uint32_t at = operators->by_change[i];
        const struct diff_operator *of = &operators->at[at];
        if (of->before_ns == of->after_ns && of->before_calls == of->after_calls)
            continue;
        table_row(table);
        table_text(table, diff_operator_path(operators, at, arena));
        table_text(table, state_of(of));
        table_cell(table, cell_rounded(of->before_ns));
        table_cell(table, cell_rounded(of->after_ns));
        table_cell(table, cell_rounded(of->after_ns - of->before_ns));
        table_real(table, of->before_calls);
        table_real(table, of->after_calls);
    }
}

static bool differs(const struct diff_setting *setting)
{
    return setting->before.len && setting->after.len && !str_eq(setting->before, setting->after);
}

static void show_settings(const struct diff_setting *settings, uint32_t count, struct section *section)
{
    uint32_t different = 0;
    for (uint32_t i = 0; i < count; i++)
        different += differs(&settings[i]);
    struct table *table = section_table(section, "settings", "Settings that differ");
    table_column(table, (struct column_spec){"setting", "setting", UNIT_NONE, COLUMN_PLAIN,
                                             "what the traces record of how and with what they were made"});
    table_column(table, (struct column_spec){"before", "before", UNIT_NONE, COLUMN_WIDE, "of the first side"});
    table_column(table, (struct column_spec){"after", "after", UNIT_NONE, COLUMN_WIDE, "of the second side"});
    if (!different)
        table_json_only(table);
    for (uint32_t i = 0; i < count; i++) {
        if (!differs(&settings[i]))
            continue;
        table_row(table);
        table_text(table, str_of(settings[i].id));
        table_text(table, settings[i].before);
        table_text(table, settings[i].after);
    }
}

/* ---- the whole ---- */

static const char *answer_id(enum diff_answer answer)
{
    static const char *const ids[] = {
        [DIFF_SILENT] = "unchanged",  [DIFF_PROVEN] = "changed",    [DIFF_PART] = "part_changed",
        [DIFF_UNPROVEN] = "unproven", [DIFF_UNTESTED] = "untested", [DIFF_APART] = "not_compared"};
    return ids[answer];
}

static const char *const sides[] = {"first", "second"};

static void doubt_side(const struct diff_side *side, const char *which, struct section *section, struct arena *arena)
{
    if (side->cut)
        section_text(section,
                     str_printf(arena,
                                "A file of the %s side breaks off: its kinds of time and operators are not those "
                                "of whole steps.",
                                which));
    if (!side->operators)
        section_text(section, str_printf(arena, "The %s side records no operators.", which));
}

static void doubt_settings(const struct diff_setting *settings, uint32_t count, struct section *section,
                           struct arena *arena)
{
    str list = S("");
    for (uint32_t i = 0; i < count; i++)
        if (settings[i].of_recorder && differs(&settings[i]))
            list = str_printf(arena, "%.*s%s%s %.*s, then %.*s", (int)list.len, list.at, list.len ? "; " : "",
                              settings[i].id, (int)settings[i].before.len, settings[i].before.at,
                              (int)settings[i].after.len, settings[i].after.at);
    if (list.len)
        section_text(section,
                     str_printf(arena,
                                "The recorder's options differ (%.*s): a part of the change may be the recording.",
                                (int)list.len, list.at));
}

static void doubt_operators(const struct diff_operators *operators, struct section *section, struct arena *arena)
{
    if (operators->shared < 0.5)
        section_text(section,
                     str_printf(arena,
                                "Only %.0f %% of the operators' time is in operators that both sides call: these "
                                "may be two programs.",
                                100 * operators->shared));
    if (operators->largest_only)
        section_text(section, S("Sketches hold the largest operators: small ones may look new or gone."));
}

static void show_doubts(const struct diff *diff, struct section *section, struct arena *arena)
{
    const uint32_t left_out = diff->before->compiling + diff->after->compiling;
    if (left_out)
        section_text(section, str_printf(arena, "%u step%s in which something was compiled %s left out.", left_out,
                                         left_out == 1 ? "" : "s", left_out == 1 ? "is" : "are"));
    if (!diff->before->marked && !diff->after->marked)
        section_text(section, S("Neither side marks steps: whole recordings are compared, however long they went on."));
    if (diff->before->facts.device != diff->after->facts.device)
        section_text(section, S("Only one side has device activity: their kinds of time are not the same."));
    if (diff->disturbed && (diff->answer == DIFF_UNPROVEN || diff_is_quickest_alone(diff)))
        section_text(section,
                     S("Most of the change is not in the step at its quickest: other programs on these processors may "
                       "have made it."));
    doubt_side(diff->before, sides[0], section, arena);
    doubt_side(diff->after, sides[1], section, arena);
}

static struct cell quickest_cell(const struct quickest *quickest)
{
    return quickest->steps ? cell_rounded(quickest->ns) : cell_null();
}

void diff_show_answer(const struct diff *diff, const struct diff_operators *operators, struct report *report)
{
    section_text(report_section(report, "diff", "What changed"), sentence(diff, operators, report_arena(report)));
}

void diff_show(const struct diff *diff, const struct diff_operators *operators, const struct diff_setting *settings,
               uint32_t setting_count, struct report *report)
{
    struct arena *arena = report_arena(report);
    struct section *section = report_section(report, "diff", "What changed");
    show_doubts(diff, section, arena);
    doubt_operators(operators, section, arena);
    doubt_settings(settings, setting_count, section, arena);
    section_detail(section, "answer", "answer", UNIT_NONE, cell_text(str_of(answer_id(diff->answer))));
    section_detail(section, "cause", "cause", UNIT_NONE,
                   diff->cause == DIFF_KINDS ? cell_null() : cell_text(str_of(diff_kind_id(diff->cause))));
    section_value(section, "step_before_ns", "step before", UNIT_NS, cell_rounded(diff->before->mean.wall_ns));
    section_value(section, "step_after_ns", "step after", UNIT_NS, cell_rounded(diff->after->mean.wall_ns));
    section_detail(section, "change_share", "change", UNIT_RATIO, cell_real(diff->share));
    section_value(section, "median_before_ns", "median before", UNIT_NS, cell_rounded(diff->before->median_ns));
    section_value(section, "median_after_ns", "median after", UNIT_NS, cell_rounded(diff->after->median_ns));
    section_detail(section, "quickest_before_ns", "quickest before", UNIT_NS, quickest_cell(&diff->before->quickest));
    section_detail(section, "quickest_after_ns", "quickest after", UNIT_NS, quickest_cell(&diff->after->quickest));
    section_detail(section, "quickest_share", "change of the quickest", UNIT_RATIO, cell_real(diff->quickest_share));
    section_value(section, "p_mean", "p by the mean", UNIT_NONE, cell_real(diff->p_mean));
    section_value(section, "p_rank", "p by rank", UNIT_NONE, cell_real(diff->p_rank));
    section_value(section, "shows_share", "smallest change shown", UNIT_RATIO, cell_real(diff->shows_share));
    section_value(section, "steps_before", "steps before", UNIT_COUNT, cell_int(diff->before->count));
    section_value(section, "steps_after", "steps after", UNIT_COUNT, cell_int(diff->after->count));
    show_kinds(diff, section);
    show_operators(diff, operators, section, arena);
    show_settings(settings, setting_count, section);
}
