/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison in one sentence. */
#include <stdlib.h>

#include "base/duration.h"
#include "base/stat.h"
#include "ranks_link.h"

/* A rank stands out if it is late by this share of a step at least, and by twice as much as the next. */
static const double late_share = 0.01, stand_out = 2;

bool rank_is_late(const struct ranks *ranks, uint32_t r)
{
    const struct rank_account *account = &ranks->accounts[r];
    return account->comparable && account->late_ns &&
           (double)account->late_ns >= late_share * (double)ranks->at[r]->step_ns;
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

static int64_t skew_p95(const struct ranks *ranks)
{
    struct arena scratch = {0};
    int64_t *skews = arena_array(&scratch, ranks->meeting_count, sizeof *skews);
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        skews[i] = ranks->meetings[i].skew_ns;
    const struct stat_summary summary = stat_summarise(skews, ranks->meeting_count);
    arena_free(&scratch);
    return (int64_t)summary.p95;
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

/* Those of unknown kinds, and messages, may let a rank go before the others have come. */
static bool any_blocks(const struct ranks *ranks)
{
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        if (collective_is_blocking(ranks->meetings[i].sample->of.kind))
            return true;
    return false;
}

static str on_time(const struct ranks *ranks, struct arena *arena)
{
    const str skew = duration_words(arena, (double)skew_p95(ranks));
    if (!any_blocks(ranks))
        return str_printf(
            arena,
            "Nobody can be said to be late: of the %u collectives that several ranks have, none is known to "
            "make them wait for each other. Ranks begin 95 %% of them within %.*s of each other.",
            ranks->meeting_count, (int)skew.len, skew.at);
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
