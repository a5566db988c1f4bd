/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sum.h"
#include "holdup.h"

static const struct column_spec columns[] = {
    {"cause", "cause", UNIT_NONE, COLUMN_DETAIL, "why the host was held up, see the causes of host time"},
    {"title", "the host in", UNIT_NONE, COLUMN_PLAIN, "the cause in words; long: single stretches of 1 ms or more"},
    {"per_step_ns", "a step saves", UNIT_NS, COLUMN_ANSWER,
     "what the replayed steps are shorter by without it alone / steps"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR, "per_step_ns / the mean step"},
    {"when", "when", UNIT_NONE, COLUMN_WORDS,
     "each: in all steps but one at most; warm_up: only in the first two; periodic: every k-th; once: in one or two; some; "
     "one_step: there is one step, so it cannot be told; unknown: no steps are marked"},
    {"times", "times", UNIT_COUNT, COLUMN_PLAIN, "stretches in the replayed steps"},
    {"longest_ns", "longest", UNIT_NS, COLUMN_PLAIN, "the longest stretch"},
    {"what", "most in", UNIT_NONE, COLUMN_WIDE | COLUMN_ANSWER,
     "the event of the longest stretch; of a loaded module its kernel"},
    {"inside", "inside", UNIT_NONE, COLUMN_WIDE,
     "of what is compiled or loaded the kernel that is launched next; else the operator around it, the caller of a frame, or the range"},
    {"line", "line", UNIT_NONE, COLUMN_WIDE, "the user's line of Python it comes from, where stacks are recorded"},
    {"phase", "phase", UNIT_NONE, COLUMN_DETAIL,
     "forward, backward, optimizer, loader; empty where it is in no operator"},
    {"steps", "steps", UNIT_COUNT, COLUMN_DETAIL, "replayed steps that have it"},
    {"time_ns", "its time", UNIT_NS, COLUMN_DETAIL,
     "of the host in it and waiting there, a step, whether anybody waits for it or not"},
    {"event", "event", UNIT_NONE, COLUMN_DETAIL,
     "row number of the longest stretch's event; of a pause in none that of the call behind it"},
    {0},
};

static double share(const struct holdups *holdups, int64_t ns)
{
    return holdups->step_ns > 0 ? (double)ns / (double)holdups->step_ns : 0;
}

static void row(const struct holdups *holdups, const struct holdup *holdup, struct table *table)
{
    const int64_t steps = holdups->steps ? holdups->steps : 1;
    table_row(table);
    table_text(table, str_of(cause_id(holdup->cause)));
    table_text(table, str_of(holdup->is_long ? cause_long_title(holdup->cause) : cause_title(holdup->cause)));
    table_int(table, holdup->saved_ns / steps);
    table_real(table, share(holdups, holdup->saved_ns));
    table_text(table, str_of(habit_id(holdup->habit)));
    table_int(table, holdup->times);
    table_int(table, holdup->longest_ns);
    table_text(table, holdup->title);
    table_text(table, holdup->inside);
    table_text(table, holdup->line);
    table_text(table, str_of(holdup->phase));
    table_int(table, holdup->steps);
    table_int(table, holdup->time_ns / steps);
    table_int(table, holdup->row);
}

/* Each is a saving alone: without one, others may save nothing. */
static void row_of_all(const struct holdups *holdups, struct table *table)
{
    const int64_t steps = holdups->steps ? holdups->steps : 1;
    table_row(table);
    table_text(table, S("together"));
    table_text(table, S("all of these together"));
    table_int(table, holdups->together_ns / steps);
    table_real(table, share(holdups, holdups->together_ns));
    for (const struct column_spec *spec = &columns[4]; spec->id; spec++)
        table_null(table);
}

/* What nobody waits for saves nothing, and is no answer. */
void holdups_show(const struct holdups *holdups, struct section *section)
{
    struct table *table = section_table(section, "causes",
                                        holdups->bare_share > 0 && holdups->bare_share < 1
                                            ? "What held the host up; savings without the recorder"
                                            : "What held the host up");
    table_columns(table, columns);
    for (uint32_t i = 0; i < holdups->count; i++)
        if (holdup_is_shown(holdups, &holdups->at[i]))
            row(holdups, &holdups->at[i], table);
    if (holdups->together_ns > 0)
        row_of_all(holdups, table);
}
