/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison in one sentence. */
#include <stdlib.h>

#include "base/duration.h"
#include "base/stat.h"
#include "ranks_link.h"

/* A rank stands out if it is late by this share of a step at least, and by twice as much as the next. */
static const double late_share = 0.01, stand_out = 2;

bool rank_seems_late(const struct ranks *ranks, uint32_t r)
{
    const struct rank_account *account = &ranks->accounts[r];
    return account->late_ns && (double)account->late_ns >= late_share * (double)ranks->at[r]->step_ns;
}

bool rank_is_late(const struct ranks *ranks, uint32_t r)
{
    return ranks->accounts[r].comparable && rank_seems_late(ranks, r);
}

double rank_per_compared(const struct ranks *ranks, uint32_t r, int64_t ns)
{
    return ranks->accounts[r].compared ? (double)ns / ranks->accounts[r].compared : 0;
}

/* The latest rank and the next, of those that are late; RANK_NONE_LATE if there are none. */
static void find_latest(const struct ranks *ranks, uint32_t *latest, uint32_t *next)
{
    *latest = *next = RANK_NONE_LATE;
    for (uint32_t r = 0; r < ranks->count; r++) {
        const struct rank_account *account = &ranks->accounts[r];
        if (!rank_is_late(ranks, r))
            continue;
        if (*latest == RANK_NONE_LATE || account->late_ns > ranks->accounts[*latest].late_ns) {
            *next = *latest;
            *latest = r;
        } else if (*next == RANK_NONE_LATE || account->late_ns > ranks->accounts[*next].late_ns) {
            *next = r;
        }
    }
}

/* Collectives by whether they hold up those who come first. */
enum holding { HOLDS, HOLDS_UNKNOWN, HOLDS_ANY };

static bool meeting_is(const struct meeting *meeting, enum holding holding)
{
    const enum collective_kind kind = meeting->sample->of.kind;
    return holding == HOLDS_ANY || (holding == HOLDS ? collective_is_blocking(kind) : kind == COLLECTIVE_OTHER);
}

static struct stat_summary skews_of(const struct ranks *ranks, enum holding holding)
{
    struct arena scratch = {0};
    int64_t *skews = arena_array(&scratch, ranks->meeting_count, sizeof *skews);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        if (meeting_is(&ranks->meetings[i], holding))
            skews[count++] = ranks->meetings[i].skew_ns;
    const struct stat_summary summary = stat_summarise(skews, count);
    arena_free(&scratch);
    return summary;
}

static uint32_t count_late(const struct ranks *ranks)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < ranks->count; r++)
        count += rank_is_late(ranks, r);
    return count;
}

static str shared_sentence(const struct ranks *ranks, uint32_t latest, uint32_t next, struct arena *arena)
{
    const str most = duration_words(arena, rank_per_compared(ranks, latest, ranks->accounts[latest].late_ns));
    const str then = duration_words(arena, rank_per_compared(ranks, next, ranks->accounts[next].late_ns));
    return str_printf(arena, "No single rank is late, %u are: rank %lld by %.*s a step, rank %lld by %.*s%s.",
                      count_late(ranks), (long long)ranks->at[latest]->rank, (int)most.len, most.at,
                      (long long)ranks->at[next]->rank, (int)then.len, then.at,
                      count_late(ranks) > 2 ? ", others less" : "");
}

static str nothing_to_compare(const struct ranks *ranks, struct arena *arena)
{
    if (ranks->count < 2)
        return S("One rank alone cannot be late: give the traces of several ranks.");
    if (ranks->disjoint)
        return str_printf(
            arena,
            "Nobody can be said to be late: %u collectives look alike on several ranks, but those were never "
            "inside at once. They are of groups that are not recorded, or of other times.",
            ranks->disjoint);
    return S("No collective was found on several ranks, so nobody can be said to be late.");
}

static double shortest_ns(const struct ranks *ranks)
{
    double shortest = (double)ranks->at[0]->step_ns;
    for (uint32_t r = 1; r < ranks->count; r++)
        shortest = (double)ranks->at[r]->step_ns < shortest ? (double)ranks->at[r]->step_ns : shortest;
    return shortest;
}

/* What of lateness may be unseen: less than the late rank is late by leaves that the late one. */
static double least_unseen_ns(const struct ranks *ranks)
{
    uint32_t latest, next;
    find_latest(ranks, &latest, &next);
    const double least = late_share * shortest_ns(ranks);
    const double late = latest == RANK_NONE_LATE ? 0 : (double)ranks->accounts[latest].late_ns;
    return late > least ? late : least;
}

/* Ranks may wait in collectives of unknown kinds, and a late one then is on time to those that come after. */
static bool may_hide(const struct ranks *ranks, const struct stat_summary *unknown)
{
    return unknown->sum && (double)unknown->sum >= least_unseen_ns(ranks);
}

static str say_hidden(const struct ranks *ranks, const struct stat_summary *unknown, struct arena *arena)
{
    const str skew = duration_words(arena, unknown->p95);
    return str_printf(arena,
                      "Nobody can be said to be late: of the %u collectives that several ranks have, %llu are of no "
                      "known kind, so that nobody knows who waits in them. Ranks begin 95 %% of these within %.*s of "
                      "each other.",
                      ranks->meeting_count, (unsigned long long)unknown->count, (int)skew.len, skew.at);
}

/* A rank of which too little was matched to be compared, but what was has it later than all that can be. */
static uint32_t seemingly_late(const struct ranks *ranks)
{
    uint32_t latest = RANK_NONE_LATE;
    double most = least_unseen_ns(ranks);
    for (uint32_t r = 0; r < ranks->count; r++) {
        const struct rank_account *account = &ranks->accounts[r];
        if (account->comparable || !rank_seems_late(ranks, r) || (double)account->late_ns <= most)
            continue;
        most = (double)account->late_ns;
        latest = r;
    }
    return latest;
}

static str say_seeming(const struct ranks *ranks, uint32_t r, struct arena *arena)
{
    const struct rank_account *account = &ranks->accounts[r];
    const str late = duration_words(arena, (double)account->late_ns);
    return str_printf(arena,
                      "Nobody can be said to be late: rank %lld came late by %.*s in all, but only %u of its %u "
                      "collectives were found on the others.",
                      (long long)ranks->at[r]->rank, (int)late.len, late.at, account->matched,
                      account->matched + account->unmatched);
}

/* Whether nobody can be said to be late though some collectives were compared, and why; the sentence may be NULL. */
static bool undecided(const struct ranks *ranks, struct arena *arena, str *sentence)
{
    const uint32_t seeming = seemingly_late(ranks);
    const struct stat_summary unknown = skews_of(ranks, HOLDS_UNKNOWN);
    const bool hidden = skews_of(ranks, HOLDS).count && may_hide(ranks, &unknown);
    if (sentence && seeming != RANK_NONE_LATE)
        *sentence = say_seeming(ranks, seeming, arena);
    else if (sentence && hidden)
        *sentence = say_hidden(ranks, &unknown, arena);
    return seeming != RANK_NONE_LATE || hidden;
}

bool ranks_are_undecided(const struct ranks *ranks)
{
    return ranks->meeting_count && undecided(ranks, NULL, NULL);
}

static str on_time(const struct ranks *ranks, struct arena *arena)
{
    const struct stat_summary held = skews_of(ranks, HOLDS);
    if (!held.count) { /* messages, and those of unknown kinds, may let a rank go before the others have come */
        const str skew = duration_words(arena, skews_of(ranks, HOLDS_ANY).p95);
        return str_printf(
            arena,
            "Nobody can be said to be late: of the %u collectives that several ranks have, none is known to "
            "make them wait for each other. Ranks begin 95 %% of them within %.*s of each other.",
            ranks->meeting_count, (int)skew.len, skew.at);
    }
    const str skew = duration_words(arena, held.p95);
    return str_printf(arena, "No rank is late: they enter 95 %% of their collectives within %.*s of each other.",
                      (int)skew.len, skew.at);
}

uint32_t ranks_verdict(const struct ranks *ranks, struct arena *arena, str *sentence)
{
    uint32_t latest, next;
    if (ranks->link.found) {
        *sentence = ranks_say_link(ranks, arena);
        return RANK_NONE_LATE;
    }
    find_latest(ranks, &latest, &next);
    if (!ranks->meeting_count) {
        *sentence = nothing_to_compare(ranks, arena);
        return RANK_NONE_LATE;
    }
    if (undecided(ranks, arena, sentence))
        return RANK_NONE_LATE;
    if (latest == RANK_NONE_LATE) {
        *sentence = on_time(ranks, arena);
        return RANK_NONE_LATE;
    }
    const double late = (double)ranks->accounts[latest].late_ns;
    if (next != RANK_NONE_LATE && late < stand_out * (double)ranks->accounts[next].late_ns) {
        *sentence = shared_sentence(ranks, latest, next, arena);
        return RANK_NONE_LATE;
    }
    *sentence = S("");
    return latest;
}
