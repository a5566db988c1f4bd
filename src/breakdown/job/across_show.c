/* SPDX-License-Identifier: Apache-2.0 */
/* The path across ranks as tables. */
#include "across_show.h"

#include "kind_words.h"

static struct cell rank_of(const struct job *job, const struct across_sum *sum)
{
    return sum->rank == NO_RANK ? cell_null() : cell_int(job->ranks.at[sum->rank]->rank);
}

/* So that the path names what the verdict names, not all that may stand in its class. */
static void tell_cause(const struct job *job, struct across_most *most)
{
    int64_t sums[CAUSES] = {0};
    int largest = CAUSE_NONE;
    for (uint32_t i = 0; i < job->across.sum_count; i++) {
        const struct across_sum *sum = &job->across.sums[i];
        const struct line_kind *kind = &job->lines.kinds[sum->kind];
        if (sum->rank != most->rank || kind->class != most->class)
            continue;
        sums[kind->cause] += sum->ns;
        largest = sums[kind->cause] > sums[largest] ? kind->cause : largest;
    }
    if (largest == CAUSE_NONE || sums[largest] < most->ns / 2)
        return;
    most->cause = (uint8_t)largest;
    most->ns = sums[largest];
}

struct across_most across_most(const struct job *job)
{
    struct arena scratch = {0};
    const uint32_t ranks = job->ranks.count, classes = KIND_TRANSFER + 1;
    int64_t *sums = arena_array(&scratch, (size_t)ranks * classes, sizeof *sums), transfer = 0;
    struct across_most most = {NO_RANK, KIND_TRANSFER, CAUSE_NONE, 0};
    for (uint32_t i = 0; i < job->across.sum_count; i++) {
        const struct across_sum *sum = &job->across.sums[i];
        const uint8_t class = job->lines.kinds[sum->kind].class;
        int64_t *into = class == KIND_TRANSFER ? &transfer : &sums[sum->rank * classes + class];
        *into += sum->ns;
        if (*into > most.ns)
            most = (struct across_most){class == KIND_TRANSFER ? NO_RANK : sum->rank, class, CAUSE_NONE, *into};
    }
    tell_cause(job, &most);
    arena_free(&scratch);
    return most;
}

str across_most_words(const struct job *job, const struct across_most *most, struct arena *arena)
{
    if (most->class == KIND_TRANSFER)
        return S("transfer between the ranks");
    const char *what = most->cause == CAUSE_NONE ? path_class_title((enum path_class)most->class)
                                                 : cause_title((enum cause)most->cause);
    return str_printf(arena, "%s of rank %lld", what, (long long)job->ranks.at[most->rank]->rank);
}

static const struct column_spec path_columns[] = {
    {"rank", "rank", UNIT_NONE, COLUMN_PLAIN, "whose time it is; null: of collectives, after the last had come"},
    {"class", "class", UNIT_NONE, COLUMN_DETAIL, "kind of time on the path, as in `classes`; transfer"},
    {"cause", "cause", UNIT_NONE, COLUMN_DETAIL,
     "of the host, where one stands over its calls; see the causes of host time"},
    {"title", "part", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "the cause in words, else the class"},
    {"phase", "phase", UNIT_NONE, COLUMN_PLAIN, "forward, backward, optimizer; empty where it is not known"},
    {"name", "most in", UNIT_NONE, COLUMN_WIDE | COLUMN_ANSWER,
     "of pieces of 1 ms or more the event, or the range around them"},
    {"time_ns", "time", UNIT_NS, COLUMN_SUM, "time on the path"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "time_ns / job_wall_ns"},
    {0},
};

static void put_path(const struct job *job, struct section *section)
{
    const struct across *across = &job->across;
    const double wall = (double)(across->end_ns - across->start_ns);
    struct table *table = section_table(section, "across", "What it is made of");
    table_columns(table, path_columns);
    for (uint32_t i = 0; i < across->sum_count; i++) {
        const struct across_sum *sum = &across->sums[i];
        const struct line_kind *kind = &job->lines.kinds[sum->kind];
        table_row(table);
        table_cell(table, rank_of(job, sum));
        kind_cells(kind, table);
        table_int(table, sum->ns);
        table_real(table, wall > 0 ? (double)sum->ns / wall : 0);
    }
}

static const struct column_spec crossing_columns[] = {
    {"at_ns", "at", UNIT_NS, COLUMN_PLAIN, "from the first start of the job"},
    {"waited", "waited", UNIT_NONE, COLUMN_PLAIN, "rank that was inside and waited"},
    {"last", "for", UNIT_NONE, COLUMN_PLAIN, "rank that came last, whose time the path goes on with, further back"},
    {"collective", "collective", UNIT_NONE, COLUMN_PLAIN, "kind of the collective"},
    {"tie", "tie", UNIT_NONE, COLUMN_DETAIL, "yes where another rank came within tie_ns of the last"},
    {0},
};

static void put_crossings(const struct job *job, struct section *section)
{
    struct table *table = section_table(section, "crossings", "Where it goes from rank to rank");
    table_columns(table, crossing_columns);
    for (uint32_t i = 0; i < job->across.crossing_count; i++) {
        const struct crossing *at = &job->across.crossings[i];
        table_row(table);
        table_int(table, at->at_ns - job->across.start_ns);
        table_int(table, job->ranks.at[at->from]->rank);
        table_int(table, job->ranks.at[at->to]->rank);
        table_text(table, collective_kind_word(job->ranks.meetings[at->meeting].sample->of.kind));
        table_text(table, at->tie ? S("yes") : S("no"));
    }
}

/* Messages of the host of a rank that others came later to, and in which no way of it arrives. */
static uint32_t count_passed(const struct job *job, uint32_t rank, struct arena *scratch)
{
    const struct line *line = &job->lines.at[rank];
    bool *reached = arena_array(scratch, line->strip->way_count, sizeof *reached);
    for (uint32_t i = 0; i < line->strip->stretch_count; i++)
        if (line->strip->stretches[i].before.from == STRIP_COLLECTIVE)
            reached[line->strip->stretches[i].before.index] = true;
    for (uint32_t i = 0; i < line->strip->way_count; i++)
        if (line->strip->ways[i].from == STRIP_COLLECTIVE)
            reached[line->strip->ways[i].index] = true;
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < line->strip->way_count; i++) {
        const struct collective *of = &line->numbers->collectives[i].of;
        const struct line_meeting *met = line_blocking(&job->lines, rank, i);
        count += !reached[i] && of->on_host && of->kind == COLLECTIVE_POINT_TO_POINT && met && met->last_rank != rank;
    }
    return count;
}

static void say_passed(const struct job *job, struct section *section, struct report *report)
{
    struct arena scratch = {0};
    uint32_t passed = 0;
    for (uint32_t r = 0; r < job->lines.count; r++)
        passed += count_passed(job, r, &scratch);
    arena_free(&scratch);
    if (passed)
        section_text(
            section,
            str_printf(report_arena(report),
                       "%u message%s ended while a thread was in no call and had made others since: whether it "
                       "waited is not recorded, so the path does not cross there. with_stack=True records the "
                       "wait.",
                       passed, passed == 1 ? "" : "s"));
}

static void say_unknown(const struct job *job, struct section *section)
{
    uint32_t without = 0;
    for (uint32_t r = 0; r < job->ranks.count; r++)
        without += !job->ranks.at[r]->collective_count;
    if (without)
        section_text(section,
                     S("Of ranks without a collective nothing but their beginning and end is known here: their "
                       "time on the path counts as not recorded."));
}

void across_show(const struct job *job, struct report *report)
{
    if (!job->lined)
        return;
    struct section *section = report_section(report, "across", "Critical path across the ranks");
    say_unknown(job, section);
    say_passed(job, section, report);
    section_value(section, "job_wall_ns", "from the first start to the last end", UNIT_NS,
                  cell_int(job->across.end_ns - job->across.start_ns));
    section_value(section, "crossings", "from rank to rank", UNIT_COUNT, cell_int(job->across.crossing_count));
    put_path(job, section);
    put_crossings(job, section);
}
