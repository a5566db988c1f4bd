/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict in words, and as a table. */
#include <math.h>

#include "base/duration.h"
#include "verdict_private.h"

static int64_t per_step(const struct verdict *verdict, int64_t ns)
{
    return verdict->steps ? ns / verdict->steps : 0;
}

/* ---- in words ---- */

static const char *doubt_id(enum verdict_doubt doubt)
{
    static const char *const ids[] = {
        [DOUBT_FEW] = "few",   [DOUBT_SHORT] = "short", [DOUBT_FIRST] = "first", [DOUBT_LAUNCHES] = "launches",
        [DOUBT_HELD] = "held", [DOUBT_ERROR] = "error", [DOUBT_LOST] = "lost",   [DOUBT_BLANK] = "blank",
    };
    return ids[doubt];
}

static str say_few(const struct verdict *verdict, struct arena *arena)
{
    const char *one = verdict->device ? "piece of device work" : "operator";
    const char *more = verdict->device ? "pieces of device work" : "operators";
    if (verdict->work < 2)
        return str_printf(arena, "%s %s lies in the steps", verdict->work ? "only one" : "no", one);
    return str_printf(arena, "only %llu %s lie in the steps", (unsigned long long)verdict->work, more);
}

static str say_doubt(const struct verdict *verdict, struct arena *arena)
{
    switch (verdict_doubt(verdict)) {
    case DOUBT_FEW:
        return say_few(verdict, arena);
    case DOUBT_SHORT:
        return S("the steps are shorter than 100 us");
    case DOUBT_FIRST:
        return S("the only step is the first of the run, which does what later ones do not");
    case DOUBT_LAUNCHES:
        return str_printf(arena, "%.0f %% of the device work has no launch in the recording",
                          100 * (double)verdict->unlaunched / (double)verdict->work);
    case DOUBT_LOST:
        return str_printf(arena, "%.0f %% of the launches have no device work in the recording",
                          100 * (double)verdict->lost / (double)verdict->launches);
    case DOUBT_HELD:
        return str_printf(arena,
                          "for %.0f %% of the time launched work waits for something that was not recorded (events are "
                          "missing, or earlier work still ran)",
                          100 * verdict_share(verdict, verdict->held_ns));
    case DOUBT_BLANK:
        return str_printf(arena,
                          "for %.0f %% of the time nothing was recorded on the training thread, 1 ms or more at a "
                          "stretch: it may work there, wait or sleep (with_stack=True records what it does)",
                          100 * verdict_share(verdict, verdict->blank_ns));
    default:
        return str_printf(arena, "the recorded dependencies explain only %.0f %% of the time",
                          100 * verdict_share(verdict, verdict->explained_ns));
    }
}

/* The most that an experiment, or taking the resource away, can save, as a share of a step; what is replayed where that is known. */
static double most_saved(const struct verdict *verdict, enum resource resource, bool removed)
{
    const int64_t replayed_ns = removed ? verdict->removed_ns[resource] : verdict->saved_ns[resource];
    const int64_t most_ns = verdict->most_ns[resource] / (!removed && verdict_halves(resource) ? 2 : 1);
    return verdict_share(verdict, verdict->unmatched && most_ns > replayed_ns ? most_ns : replayed_ns);
}

static const double worth_a_range = 0.01;

static bool is_range(const struct verdict *verdict, enum resource resource)
{
    return most_saved(verdict, resource, false) - verdict_share(verdict, verdict->saved_ns[resource]) >= worth_a_range;
}

/* "48 %", "73 to 97 %"; with a sign "-48 %", "-73 to -97 %". */
static str saved_words(const struct verdict *verdict, enum resource resource, const char *sign, struct arena *arena)
{
    const double saved = 100 * verdict_share(verdict, verdict->saved_ns[resource]);
    const char *least_sign = saved < 0.5 ? "" : sign;
    if (is_range(verdict, resource))
        return str_printf(arena, "%s%.0f to %s%.0f %%", least_sign, saved, sign,
                          100 * most_saved(verdict, resource, false));
    return str_printf(arena, "%s%.0f %%", least_sign, saved);
}

/* Where the host does all there is, "host" is no resource beside its operators, but their sum with the rest. */
static const char *does(const struct verdict *verdict, int experiment)
{
    const enum resource resource = verdict_experiments[experiment].resource;
    return resource == RESOURCE_HOST && !verdict_ranks(verdict, resource) ? "all of it twice as fast"
                                                                          : verdict_experiments[experiment].does;
}

/* "device twice as fast -2 %; host twice as fast -41 %", of all but one. */
static str proof(const struct verdict *verdict, enum bound but, struct arena *arena)
{
    str text = S("");
    for (int i = 0; i < VERDICT_EXPERIMENTS; i++) {
        const enum resource resource = verdict_experiments[i].resource;
        if (!verdict->time_ns[resource] || (verdict_experiments[i].bound == but && verdict_ranks(verdict, resource)))
            continue;
        const str saved = saved_words(verdict, resource, "-", arena);
        text = str_printf(arena, "%.*s%s%s %.*s", (int)text.len, text.at, text.len ? "; " : "", does(verdict, i),
                          (int)saved.len, saved.at);
    }
    return text;
}

/* "a step is 48 % shorter with the host twice as fast" */
static str gain(const struct verdict *verdict, enum bound bound, struct arena *arena)
{
    for (int i = 0; i < VERDICT_EXPERIMENTS; i++)
        if (verdict_experiments[i].bound == bound && verdict_ranks(verdict, verdict_experiments[i].resource)) {
            const str saved = saved_words(verdict, verdict_experiments[i].resource, "", arena);
            return str_printf(arena, "a step is %.*s shorter %s", (int)saved.len, saved.at,
                              verdict_experiments[i].with);
        }
    return str_printf(arena, "no resource alone saves %.0f %% of a step", 100 * saves_least);
}

static double pair_share(const struct verdict *verdict)
{
    return verdict->over == VERDICT_OF_RANK ? verdict_share(verdict, verdict->pair_ns)
                                            : part_of(verdict->pair_ns, verdict->pair_of.step_ns);
}

static str together(const struct verdict *verdict, struct arena *arena)
{
    const str alone = verdict->over == VERDICT_OF_RANK
                          ? S("")
                          : str_printf(arena, " on rank %lld, by itself", (long long)verdict->pair_of.rank);
    return str_printf(arena, "; best together%.*s: %s and %s, -%.0f %% without both", (int)alone.len, alone.at,
                      resource_title(verdict->pair[0]), resource_title(verdict->pair[1]), 100 * pair_share(verdict));
}

/* Why a late rank is not told from transfer. */
static const char *alone_words(const struct verdict *verdict, uint32_t ranks)
{
    static const char *const words[] = {
        [UNMET_NONE] = "",
        [UNMET_ALL] = " (communication or a late rank: no collective is known to be the same on several ranks)",
        [UNMET_SOME] = " (communication or a late rank: some of those that meet are not compared)"};
    return ranks == 1 ? " (communication or a late rank: one rank alone cannot say)" : words[verdict->unmet];
}

static str also(const struct verdict *verdict, uint32_t ranks, struct arena *arena)
{
    const struct verdict_answer answer = verdict_answer(verdict);
    const char *alone = answer.bound == BOUND_COMMUNICATION ? alone_words(verdict, ranks) : "";
    if (answer.second != BOUND_UNKNOWN)
        return str_printf(arena, "%s; nearly as much: %s", alone, bound_word(answer.second, verdict->device).at);
    return answer.bound == BOUND_BALANCED && verdict->pair_ns ? together(verdict, arena) : str_of(alone);
}

/* Each rank by itself: the one of which least is explained, where that is a percent less than the mean. */
static str least_explained(const struct verdict *verdict, struct arena *arena)
{
    const double least = verdict_explained(&verdict->least);
    if (verdict->over == VERDICT_OF_RANK || least > 1 - verdict_error(verdict) - 0.01)
        return S("");
    return str_printf(arena, " (of rank %lld %.0f %%)", (long long)verdict->least.rank, 100 * least);
}

/* Why there are ranges. */
static str unmatched(const struct verdict *verdict, struct arena *arena)
{
    bool any = false;
    for (int r = 0; r < RESOURCES; r++)
        any |= verdict->time_ns[r] && is_range(verdict, r);
    if (!any)
        return S("");
    return str_printf(
        arena,
        "; of two figures the first is what the replay finds and the second the most it can be, for ranks "
        "stay as recorded in %u collectives that others of the group have no record of",
        verdict->unmatched);
}

/* Of several ranks what was replayed. */
static str replay_of(const struct verdict *verdict, struct arena *arena)
{
    const double explained = 100 * (1 - verdict_error(verdict)),
                 off = 100 * verdict_share(verdict, verdict->job_error_ns);
    const str least = least_explained(verdict, arena), open = unmatched(verdict, arena);
    const char *alone =
        verdict->over == VERDICT_OF_RANKS ? ", each rank by itself: what one gains those who wait for it do not" : "";
    if (verdict->over == VERDICT_OF_JOB && off >= 0.5)
        return str_printf(arena, "the replay explains %.0f %% of the time%.*s, and as a job is %.0f %% off%.*s",
                          explained, (int)least.len, least.at, off, (int)open.len, open.at);
    return str_printf(arena, "the replay explains %.0f %% of the time%.*s%s%.*s", explained, (int)least.len, least.at,
                      alone, (int)open.len, open.at);
}

/* Where they take more than the steps that were judged, what is said is not of most of the recording. */
static str left_out(const struct verdict *verdict, enum bound bound, struct arena *arena)
{
    const double left_ns = (double)verdict->left_out_ns, all_ns = left_ns + (double)verdict->step_ns;
    if (left_ns <= (double)verdict->step_ns)
        return S("");
    const char *cause = verdict->left_out_cause == CAUSE_NONE ? NULL : cause_title(verdict->left_out_cause);
    return str_printf(arena, "The first and the last step take %.1f %% of the time of all%s%s. The others %s ",
                      100 * left_ns / all_ns, cause ? ", most of it " : "", cause ? cause : "",
                      bound == BOUND_LATE    ? "have a"
                      : bound == BOUND_START ? "hold"
                                             : "are");
}

static bool is_sampled(const struct verdict *verdict, uint32_t ranks)
{
    return verdict->over != VERDICT_OF_JOB && verdict->among > verdict->steps + 2 * ranks;
}

/* " (20 of 180 steps replayed)" */
static str sampled(const struct verdict *verdict, uint32_t ranks, struct arena *arena)
{
    if (!is_sampled(verdict, ranks))
        return S("");
    return str_printf(arena, " (%u of %u steps replayed, which are like all)", verdict->steps, verdict->among);
}

/* Where the first and the last step make the mean step of the other sections another by a twentieth, which steps these are. */
static str judged(const struct verdict *verdict, uint32_t ranks, struct arena *arena)
{
    const double one = (double)per_step(verdict, verdict->step_ns),
                 mean = verdict->among
                            ? ((double)verdict->step_ns + (double)verdict->left_out_ns) / (double)verdict->among
                            : 0;
    if (verdict->among <= verdict->steps || is_sampled(verdict, ranks) || fabs(one - mean) < 0.05 * mean)
        return S("");
    const str words = duration_words(arena, one);
    return str_printf(arena, "; %u of %u steps, without the first and the last, in which a step takes %.*s",
                      verdict->steps, verdict->among, (int)words.len, words.at);
}

/* What the recorder added is in none of the times that are compared. */
static str without_recorder(const struct verdict *verdict, struct arena *arena)
{
    if (!(verdict->bare_share > 0 && verdict->bare_share < 1))
        return S("");
    return str_printf(arena, "; all without the recorder, which leaves %.0f %% of the host's recorded time",
                      100 * verdict->bare_share);
}

str verdict_say(const struct verdict *verdict, uint32_t ranks, struct arena *arena)
{
    const struct verdict_answer answer = verdict_answer(verdict);
    if (answer.bound == BOUND_UNKNOWN) {
        const str doubt = say_doubt(verdict, arena);
        const str sample = sampled(verdict, ranks, arena);
        return str_printf(arena, "What bounds a step cannot be told: %.*s%.*s.", (int)doubt.len, doubt.at,
                          (int)sample.len, sample.at);
    }
    const str word = bound_word(answer.bound, verdict->device), gained = gain(verdict, answer.bound, arena);
    const str more = also(verdict, ranks, arena), others = proof(verdict, answer.bound, arena);
    const str left = left_out(verdict, answer.bound, arena), sample = sampled(verdict, ranks, arena);
    const str replayed = replay_of(verdict, arena), bare = without_recorder(verdict, arena);
    const str which = judged(verdict, ranks, arena);
    return str_printf(arena, "%.*s%.*s: %.*s%.*s. Replayed too: %.*s%s%.*s%.*s%.*s%.*s.", (int)left.len, left.at,
                      (int)word.len, word.at, (int)gained.len, gained.at, (int)more.len, more.at, (int)others.len,
                      others.at, others.len ? "; " : "", (int)replayed.len, replayed.at, (int)sample.len, sample.at,
                      (int)which.len, which.at, (int)bare.len, bare.at);
}

/* ---- as a table ---- */

static const struct column_spec columns[] = {
    {"resource", "resource", UNIT_NONE, COLUMN_DETAIL, "whose time is changed"},
    {"experiment", "if", UNIT_NONE, COLUMN_WIDE, "what the steps are replayed with"},
    {"saved_ns", "a step is shorter by", UNIT_NS, COLUMN_PLAIN, "step_ns - the replayed step, mean"},
    {"saved", "share", UNIT_RATIO, COLUMN_BAR, "saved_ns / step_ns"},
    {"removed_ns", "without it", UNIT_NS, COLUMN_DETAIL, "the same where the resource takes no time at all"},
    {"removed", "share without it", UNIT_RATIO, COLUMN_PLAIN, "removed_ns / step_ns: resources are compared by this"},
    {"time_ns", "its time", UNIT_NS, COLUMN_DETAIL, "summed time of its work in a step, hidden or not"},
    {"beside_late", "once nobody is late", UNIT_RATIO, COLUMN_DETAIL,
     "of a job with a late rank: what a step is shorter by without it where that rank comes with the last but one; "
     "resources are compared by this then"},
    {"saved_most", "at most", UNIT_RATIO, COLUMN_DETAIL,
     "of a job with collectives that were not matched, in which ranks stay as recorded: the most that `saved` can be; null: it is "
     "known"},
    {"removed_most", "at most without it", UNIT_RATIO, COLUMN_DETAIL, "the same of `removed`"},
    {0},
};

/* The others only where they take time. */
static bool always_shown(const struct verdict *verdict, enum resource resource)
{
    return resource == RESOURCE_HOST || resource == RESOURCE_COMMUNICATION || resource == RESOURCE_DATA ||
           resource == RESOURCE_COPIES || (resource == RESOURCE_DEVICE && verdict->device);
}

static void put_experiments(const struct verdict *verdict, struct section *section)
{
    struct table *table = section_table(section, "experiments", "");
    table_columns(table, columns);
    if (!verdict->device) /* they are many, and the sentence has them */
        table_json_only(table);
    for (int i = 0; i < VERDICT_EXPERIMENTS; i++) {
        const enum resource resource = verdict_experiments[i].resource;
        if (!always_shown(verdict, resource) && !verdict->time_ns[resource])
            continue;
        table_row(table);
        table_text(table, str_of(resource_id(resource)));
        table_text(table, str_of(verdict_experiments[i].does));
        table_int(table, per_step(verdict, verdict->saved_ns[resource]));
        table_real(table, verdict_share(verdict, verdict->saved_ns[resource]));
        table_int(table, per_step(verdict, verdict->removed_ns[resource]));
        table_real(table, verdict_share(verdict, verdict->removed_ns[resource]));
        table_int(table, per_step(verdict, verdict->time_ns[resource]));
        table_real(table, verdict->beside_late ? verdict_share(verdict, verdict_compared_ns(verdict, resource)) : NAN);
        table_real(table, verdict->unmatched ? most_saved(verdict, resource, false) : NAN);
        table_real(table, verdict->unmatched ? most_saved(verdict, resource, true) : NAN);
    }
}

static struct cell bound_cell(const struct verdict *verdict, enum bound bound)
{
    return bound == BOUND_UNKNOWN ? cell_null() : cell_text(bound_word(bound, verdict->device));
}

static void put_answer(const struct verdict *verdict, uint32_t ranks, struct section *section, struct arena *arena)
{
    const enum verdict_doubt doubt = verdict_doubt(verdict);
    section_detail(section, "verdict", "verdict", UNIT_NONE, cell_text(verdict_say(verdict, ranks, arena)));
    section_detail(section, "verdict_bound", "bound", UNIT_NONE, bound_cell(verdict, verdict_answer(verdict).bound));
    section_detail(section, "verdict_second", "nearly as much", UNIT_NONE,
                   bound_cell(verdict, verdict_answer(verdict).second));
    section_detail(section, "verdict_doubt", "why none is named", UNIT_NONE,
                   doubt == DOUBT_NONE ? cell_null() : cell_text(str_of(doubt_id(doubt))));
}

static const char *over_id(enum verdict_over over)
{
    static const char *const ids[] = {
        [VERDICT_OF_RANK] = "rank", [VERDICT_OF_RANKS] = "ranks", [VERDICT_OF_JOB] = "job"};
    return ids[over];
}

/* Of several ranks what is known of one by itself. */
static void put_ranks(const struct verdict *verdict, struct section *section, struct arena *arena)
{
    const bool pair = verdict->pair_ns > 0, several = verdict->over != VERDICT_OF_RANK;
    section_detail(
        section, "verdict_pair", "best together", UNIT_NONE,
        pair ? cell_text(str_printf(arena, "%s, %s", resource_id(verdict->pair[0]), resource_id(verdict->pair[1])))
             : cell_null());
    section_detail(section, "verdict_pair_saved", "without both", UNIT_RATIO,
                   pair ? cell_real(pair_share(verdict)) : cell_null());
    section_detail(section, "verdict_pair_rank", "on rank", UNIT_NONE,
                   pair && several ? cell_int(verdict->pair_of.rank) : cell_null());
    section_detail(section, "verdict_most_error", "most not explained, of one rank", UNIT_RATIO,
                   several ? cell_real(1 - verdict_explained(&verdict->least)) : cell_null());
    section_detail(section, "verdict_most_error_rank", "which", UNIT_NONE,
                   several ? cell_int(verdict->least.rank) : cell_null());
}

void verdict_show(const struct verdict *verdict, uint32_t ranks, struct report *report)
{
    struct section *section = report_section(report, "verdict", "What would make a step shorter");
    put_answer(verdict, ranks, section, report_arena(report));
    section_detail(section, "verdict_steps", "steps replayed", UNIT_COUNT, cell_int(verdict->steps));
    section_detail(section, "verdict_among", "steps that these stand for", UNIT_COUNT, cell_int(verdict->among));
    section_detail(section, "verdict_step_ns", "a step of these", UNIT_NS,
                   cell_int(per_step(verdict, verdict->step_ns)));
    section_detail(section, "verdict_left_out_ns", "the first and the last step, left out", UNIT_NS,
                   cell_int(verdict->left_out_ns));
    section_detail(section, "verdict_error", "not explained by the replay", UNIT_RATIO,
                   cell_real(verdict_error(verdict)));
    section_detail(section, "verdict_host_share", "of the host's time, without the recorder", UNIT_RATIO,
                   verdict->bare_share > 0 && verdict->bare_share < 1 ? cell_real(verdict->bare_share) : cell_null());
    put_ranks(verdict, section, report_arena(report));
    section_detail(section, "verdict_replayed", "what was replayed", UNIT_NONE,
                   cell_text(str_of(over_id(verdict->over))));
    section_detail(section, "verdict_job_error", "replay of the job off", UNIT_RATIO,
                   verdict->over == VERDICT_OF_JOB ? cell_real(verdict_share(verdict, verdict->job_error_ns))
                                                   : cell_null());
    put_experiments(verdict, section);
}
