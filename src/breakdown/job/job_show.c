/* SPDX-License-Identifier: Apache-2.0 */
/* The late rank of a job in words, values and the table of its causes. */
#include "base/duration.h"
#include "base/sum.h"
#include "breakdown/ranks/ranks_stages.h"
#include "lateness.h"

/* "forward / embedding lookup (a long pause in Python)" */
static str place(const struct late_cause *cause, struct arena *arena)
{
    const str where = cause->what.len ? cause->what : cause->inside.len ? cause->inside : cause->line;
    const char *phase = cause->phase, *slash = *phase && where.len ? " / " : "";
    if (!*phase && !where.len)
        return cause->title;
    return str_printf(arena, "%s%s%.*s (%.*s)", phase, slash, (int)where.len, where.len ? where.at : "",
                      (int)cause->title.len, cause->title.at);
}

static str reason(const struct job *job, struct arena *arena)
{
    if (!job->cause_count)
        return S("what it did longer is not recorded");
    const struct late_cause *cause = &job->causes[0];
    const str where = place(cause, arena), longer = duration_words(arena, cause->per_step_ns);
    if (cause->per_step_ns >= 0.9 * job_late_per_step_ns(job))
        return where;
    return str_printf(arena, "%.*s takes %.*s of it", (int)where.len, where.at, (int)longer.len, longer.at);
}

/* Where collectives are missing, ranks that waited in them are not seen to. */
static str unseen(const struct job *job, struct arena *arena)
{
    const struct rank_account *account = &job->ranks.accounts[job->late];
    const struct late_cause *cause = job->cause_count ? &job->causes[0] : NULL;
    if (!cause || cause->habit != HABIT_EACH || account->late_steps == account->compared ||
        cause->per_step_ns < 1.25 * job_late_per_step_ns(job))
        return S("");
    const str longer = duration_words(arena, cause->per_step_ns);
    return str_printf(
        arena,
        " That takes %.*s in every step: in the others the collective in which the ranks waited for it is "
        "not recorded, so it is late by up to as much.",
        (int)longer.len, longer.at);
}

str lateness_say(const struct job *job, struct arena *arena)
{
    if (job->cause_count && job->causes[0].kind == LATE_STAGE)
        return ranks_say_stage(&job->ranks, arena);
    const struct rank_numbers *rank = job->ranks.at[job->late];
    const double step_ns = rank->steps ? (double)rank->step_ns / rank->steps : 0;
    const str late = duration_words(arena, job_late_per_step_ns(job)), step = duration_words(arena, step_ns),
              why = reason(job, arena);
    const struct rank_account *account = &job->ranks.accounts[job->late];
    const str left =
        account->compared == rank->steps ? S("") : str_printf(arena, " that could be compared, of %u", rank->steps);
    const str missed = unseen(job, arena);
    const str when = rank->steps == 1 ? S("in the one step")
                                      : str_printf(arena, "in %u of %u steps%.*s", account->late_steps,
                                                   account->compared, (int)left.len, left.at);
    return str_printf(arena, "Rank %lld is late by %.*s of a step of %.*s: %.*s, %.*s.%.*s", (long long)rank->rank,
                      (int)late.len, late.at, (int)step.len, step.at, (int)why.len, why.at, (int)when.len, when.at,
                      (int)missed.len, missed.at);
}

/* ---- values ---- */

static struct cell text_or_null(const char *text)
{
    return *text ? cell_text(str_of(text)) : cell_null();
}

void job_show_late(const struct job *job, struct section *section)
{
    const bool found = job->late != RANK_NONE_LATE;
    section_value(section, "late_rank", "late rank", UNIT_NONE,
                  found ? cell_int(job->ranks.at[job->late]->rank) : cell_null());
    section_value(section, "late_per_step_ns", "late, a step", UNIT_NS,
                  found ? cell_real(job_late_per_step_ns(job)) : cell_null());
    job_show_reason(job, section);
}

void job_show_reason(const struct job *job, struct section *section)
{
    const struct late_cause *cause = job->cause_count ? &job->causes[0] : NULL;
    const bool found = job->late != RANK_NONE_LATE;
    section_detail(section, "late", "who is late", UNIT_NONE, cell_text(job->sentence));
    section_detail(section, "late_phase", "late in", UNIT_NONE, cause ? text_or_null(cause->phase) : cell_null());
    section_detail(section, "late_kind", "class of the cause", UNIT_NONE,
                   cause ? text_or_null(late_kind_id(cause->kind)) : cell_null());
    section_detail(section, "late_cause", "cause", UNIT_NONE, cause ? text_or_null(cause->id) : cell_null());
    section_detail(section, "late_steps", "steps that it is late in", UNIT_COUNT,
                   found ? cell_int(job->ranks.accounts[job->late].late_steps) : cell_null());
}

static const struct column_spec columns[] = {
    {"cause", "cause", UNIT_NONE, COLUMN_DETAIL, "what the late rank did longer, see the causes of host time"},
    {"title", "what it did longer", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "the cause in words"},
    {"per_step_ns", "longer, a step", UNIT_NS, COLUMN_PLAIN,
     "its time a step less the lower median of the other ranks; not more than a replay without it saves"},
    {"share_of_late", "of its late time", UNIT_RATIO, COLUMN_BAR, "per_step_ns / late_per_step_ns"},
    {"cost_ns", "others waited", UNIT_NS, COLUMN_PLAIN, "its delay costs: what all ranks together waited for it"},
    {"when", "when", UNIT_NONE, COLUMN_WORDS,
     "each: in all steps but one at most; warm_up: only in the first two; periodic: every k-th; once: in one or two; some; "
     "one_step: there is one step, so it cannot be told; unknown"},
    {"what", "most in", UNIT_NONE, COLUMN_WIDE | COLUMN_ANSWER,
     "the event of the longest stretch; of a loaded module its kernel"},
    {"inside", "inside", UNIT_NONE, COLUMN_WIDE, "the operator around it, else the range"},
    {"line", "line", UNIT_NONE, COLUMN_WIDE, "the user's line of Python it comes from, where stacks are recorded"},
    {"phase", "phase", UNIT_NONE, COLUMN_DETAIL, "forward, backward, optimizer, loader; empty where it is not known"},
    {0},
};

static void put_causes(const struct job *job, struct section *section)
{
    struct table *table = section_table(section, "causes", "");
    table_columns(table, columns);
    for (uint32_t i = 0; i < job->cause_count; i++) {
        const struct late_cause *cause = &job->causes[i];
        table_row(table);
        table_text(table, str_of(cause->id));
        table_text(table, cause->title);
        table_int(table, sum_rounded(cause->per_step_ns));
        table_cell(table, job->late == RANK_NONE_LATE ? cell_null()
                                                      : cell_real(cause->per_step_ns / job_late_per_step_ns(job)));
        table_int(table, cause->cost_ns);
        table_text(table, str_of(habit_id(cause->habit)));
        table_text(table, cause->what);
        table_text(table, cause->inside);
        table_text(table, cause->line);
        table_text(table, str_of(cause->phase));
    }
}

/* Times are against the other ranks one by one, lateness is what is left of them. */
static bool is_more_than_late(const struct job *job)
{
    bool more = false;
    for (uint32_t i = 0; i < job->cause_count && job->late != RANK_NONE_LATE; i++)
        more |= sum_rounded(job->causes[i].per_step_ns) > job_late_per_step_ns(job);
    return more;
}

void job_show_why(const struct job *job, struct report *report)
{
    if (!job->cause_count)
        return;
    struct section *section = report_section(
        report, "late", job->late == RANK_NONE_LATE ? "What all ranks wait for" : "Why the late rank is late");
    if (is_more_than_late(job))
        section_text(section, S("What it did longer is more than it is late by: it is quicker in other things, or the "
                                "others were seen to wait for it in some of its steps only."));
    put_causes(job, section);
}
