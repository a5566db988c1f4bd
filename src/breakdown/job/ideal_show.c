/* SPDX-License-Identifier: Apache-2.0 */
#include "ideal_show.h"

#include <stdlib.h>

#include "breakdown/ranks/ranks_link.h"
#include "ideal.h"
#include "kind_words.h"

/* Ranks and kinds that are tried: those with most delay cost. Fewer where there are so many stretches that it would take long. */
enum { RANKS_MOST = 16, KINDS_MOST = 8, TRIES_LEAST = 2, STRETCHES_MOST = 40 * 1000 * 1000 };

struct showing {
    const struct job *job;
    struct ideal *ideal;
    struct table *table;
    struct arena *arena;
    uint32_t ranks_left, kinds_left; /* with delay cost, but not tried */
};

static const struct column_spec columns[] = {
    {"what", "what is ideal", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP,
     "a rank in all it does; the longest stage of a pipeline; a kind of time on all ranks, or on the rank with most delay "
     "cost; a slow link; the transfers; everything"},
    {"rank", "rank", UNIT_NONE, COLUMN_DETAIL, "of one rank: which"},
    {"kind", "kind", UNIT_NONE, COLUMN_DETAIL, "of one kind of time: its cause, else its class"},
    {"phase", "phase", UNIT_NONE, COLUMN_DETAIL, "of one kind of time: forward, backward, optimizer, loader"},
    {"saves_ns", "the job saves", UNIT_NS, COLUMN_PLAIN,
     "job_wall_ns less the time of the replay. Of a link and a stage by the replay of the verdict, whose share of its steps is put "
     "over the whole job; else of strips, and then at most that much: what came just before the longest way is not known"},
    {"share", "of the job", UNIT_RATIO, COLUMN_BAR, "saves_ns / job_wall_ns"},
    {"returned", "of what is lost", UNIT_RATIO, COLUMN_PLAIN, "saves_ns / what everything ideal saves"},
    {0},
};

static void put(struct showing *s, str what, struct cell rank, const struct line_kind *kind, int64_t ns)
{
    const int64_t as_is = ideal_as_is_ns(s->ideal), lost = as_is - ideal_all_ns(s->ideal), saved = as_is - ns;
    table_row(s->table);
    table_text(s->table, what);
    table_cell(s->table, rank);
    table_cell(s->table, kind ? cell_text(str_of(kind_id(kind))) : cell_null());
    table_cell(s->table, kind ? cell_text(kind_phase(kind)) : cell_null());
    table_int(s->table, saved);
    table_real(s->table, as_is ? (double)saved / (double)as_is : 0);
    table_cell(s->table, lost > 0 ? cell_real((double)saved / (double)lost) : cell_null());
}

/* ---- what is tried ---- */

struct tried {
    int64_t cost_ns;
    uint32_t of; /* a rank; a kind */
};

static int most_first(const void *a, const void *b)
{
    const struct tried *x = a, *y = b;
    if (x->cost_ns != y->cost_ns)
        return x->cost_ns < y->cost_ns ? 1 : -1;
    return x->of < y->of ? -1 : x->of > y->of;
}

/* Returns how many are tried; *left: how many more have a cost. */
static uint32_t choose(struct tried *all, uint32_t count, uint32_t most, uint32_t *left)
{
    if (count)
        qsort(all, count, sizeof *all, most_first);
    uint32_t costly = 0;
    while (costly < count && all[costly].cost_ns > 0)
        costly++;
    const uint32_t chosen = costly < most ? costly : most;
    *left = costly - chosen;
    return chosen;
}

static uint32_t tries_of(const struct job *job)
{
    uint64_t stretches = 1;
    for (uint32_t r = 0; r < job->lines.count; r++)
        stretches += job->lines.at[r].strip->stretch_count;
    const uint64_t most = STRETCHES_MOST / stretches;
    return most < TRIES_LEAST ? TRIES_LEAST : most < RANKS_MOST ? (uint32_t)most : RANKS_MOST;
}

static void try_ranks(struct showing *s, uint32_t most)
{
    const uint32_t count = s->job->ranks.count;
    struct tried *all = arena_array(s->arena, count, sizeof *all);
    for (uint32_t r = 0; r < count; r++)
        all[r] = (struct tried){s->job->delays.of_rank[r], r};
    const uint32_t chosen = choose(all, count, most, &s->ranks_left);
    for (uint32_t i = 0; i < chosen; i++) {
        const long long rank = (long long)s->job->ranks.at[all[i].of]->rank;
        put(s, str_printf(s->arena, "rank %lld", rank), cell_int(rank), NULL, ideal_rank_ns(s->ideal, all[i].of));
    }
}

static str words_of(const struct showing *s, const struct line_kind *kind, const char *where)
{
    const str title = kind_title(kind), phase = kind_phase(kind);
    const bool says_phase = kind->class <= PATH_OPTIMIZER || kind->class == PATH_LOADING;
    const char *comma = phase.len && !says_phase ? ", " : "";
    return str_printf(s->arena, "%.*s%s%.*s%s", (int)title.len, title.at, comma, *comma ? (int)phase.len : 0, phase.at,
                      where);
}

/* Only where it is a kind of time of a rank. */
static bool can_be_ideal(const struct line_kind *kind)
{
    return kind->class != KIND_TRANSFER && kind->class != PATH_UNKNOWN && kind->class != PATH_COMMUNICATION;
}

static void try_kinds(struct showing *s, uint32_t most)
{
    const struct job *job = s->job;
    struct tried *all = arena_array(s->arena, job->lines.kind_count, sizeof *all);
    for (uint32_t kind = 0; kind < job->lines.kind_count; kind++)
        all[kind].of = kind;
    for (uint32_t i = 0; i < job->delays.count; i++) {
        const struct delay_cost *cost = &job->delays.at[i];
        if (can_be_ideal(&job->lines.kinds[cost->kind]))
            all[job->lines.kinds[cost->kind].plain].cost_ns += cost->short_ns + cost->long_ns;
    }
    const uint32_t chosen = choose(all, job->lines.kind_count, most < KINDS_MOST ? most : KINDS_MOST, &s->kinds_left);
    for (uint32_t i = 0; i < chosen; i++) {
        const struct line_kind *kind = &job->lines.kinds[all[i].of];
        put(s, words_of(s, kind, ", on all ranks"), cell_null(), kind, ideal_kind_ns(s->ideal, all[i].of, NO_RANK));
    }
}

/* The largest cost of all: its kind on its rank. */
static void try_first(struct showing *s)
{
    for (uint32_t i = 0; i < s->job->delays.count; i++) {
        const struct delay_cost *cost = &s->job->delays.at[i];
        const struct line_kind *kind = &s->job->lines.kinds[cost->kind];
        if (!can_be_ideal(kind))
            continue;
        const long long rank = (long long)s->job->ranks.at[cost->rank]->rank;
        put(s, words_of(s, kind, str_printf(s->arena, ", on rank %lld", rank).at), cell_int(rank), kind,
            ideal_kind_ns(s->ideal, kind->plain, cost->rank));
        return;
    }
}

/*
 * With what the verdict's replay says of its steps, put over the whole job; of strips where that could not be done. What its
 * steps save is on all ranks, and so is their time.
 */
static int64_t with_saved(const struct showing *s, int64_t saves_ns, int64_t by_strips_ns)
{
    const int64_t as_is = ideal_as_is_ns(s->ideal);
    const struct verdict *verdict = &s->job->verdict;
    if (saves_ns < 0 || verdict->step_ns <= 0)
        return by_strips_ns;
    return as_is - (int64_t)((double)as_is * ((double)saves_ns / (double)verdict->step_ns));
}

/* The slow link and the longest stage, where the verdict names one. */
static void try_named(struct showing *s)
{
    const struct ranks *ranks = &s->job->ranks;
    if (ranks->stages.stands_out)
        put(s, str_printf(s->arena, "stage %u of %u", ranks->stages.longest + 1, ranks->stages.count), cell_null(),
            NULL, with_saved(s, s->job->stage_saves_ns, ideal_stage_ns(s->ideal, ranks->stages.longest)));
    if (ranks->link.found) {
        const str name = ranks_link_name(ranks, s->arena);
        const bool ring = ranks->link.from != RANK_NONE_LATE;
        put(s, str_printf(s->arena, "the link %s%.*s", ring ? "from " : "among ranks ", (int)name.len, name.at),
            cell_null(), NULL, with_saved(s, s->job->link_saves_ns, ideal_link_ns(s->ideal)));
    }
}

static void say_what_is_left(const struct showing *s, struct section *section)
{
    const uint32_t alone = s->job->ranks.unmatched + s->job->ranks.disjoint;
    if (alone)
        section_text(section,
                     str_printf(s->arena,
                                "Not sure: nobody is known to wait in %u collectives that were not matched, so "
                                "they end as recorded, and a job without them may save more or less.",
                                alone));
    if (s->ranks_left || s->kinds_left)
        section_text(section, str_printf(s->arena,
                                         "Tried are the ranks and kinds of time with most delay cost: %u more ranks "
                                         "and %u more kinds have some.",
                                         s->ranks_left, s->kinds_left));
}

void ideal_show(const struct job *job, struct report *report)
{
    if (!job->lined || !job->delays.waiting_ns)
        return;
    struct section *section = report_section(report, "ideal", "What the job would save");
    struct arena scratch = {0}, *arena = report_arena(report);
    struct showing s = {.job = job, .ideal = ideal_new(&job->lines, IDEAL_MIDDLE, &scratch), .arena = arena};
    const uint32_t most = tries_of(job);
    section_text(section,
                 str_printf(arena, "By replay of all ranks: ideal is what the middle rank takes, %s.",
                            ideal_by_step(s.ideal) ? "in each step"
                                                   : "in all steps together: they are too many to be told apart"));
    section_value(section, "job_ideal_ns", "with everything ideal", UNIT_NS, cell_int(ideal_all_ns(s.ideal)));
    s.table = section_table(section, "ideal", "");
    table_columns(s.table, columns);
    put(&s, S("everything"), cell_null(), NULL, ideal_all_ns(s.ideal));
    try_named(&s);
    try_ranks(&s, most);
    try_first(&s);
    try_kinds(&s, most);
    put(&s, S("transfers, at no time"), cell_null(), NULL, ideal_transfers_ns(s.ideal));
    say_what_is_left(&s, section);
    arena_free(&scratch);
}
