/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of one job that were not recorded together. Ranks of a job go through a step together, because each step holds
 * collectives: so a step of one rank overlaps the same step of every other, by a clock that is right.
 */
#include <math.h>

#include "job.h"

/* ---- which steps ---- */

static int64_t earliest(const struct job_member *members, uint32_t count)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        first = members[i].steps_kept && members[i].first_step < first ? members[i].first_step : first;
    return first;
}

static int64_t latest(const struct job_member *members, uint32_t count)
{
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < count; i++)
        last = members[i].steps_kept && members[i].last_step > last ? members[i].last_step : last;
    return last;
}

static bool share_a_step(const struct job_member *a, const struct job_member *b)
{
    return a->first_step <= b->last_step && b->first_step <= a->last_step;
}

/* The first that has no step of the number of any step of `reference`; NULL. */
static const struct job_member *at_other_times(const struct job_member *members, uint32_t count,
                                               const struct job_member *reference, uint32_t *others)
{
    const struct job_member *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!members[i].steps_kept || share_a_step(&members[i], reference))
            continue;
        found = found ? found : &members[i];
        ++*others;
    }
    return found;
}

static str steps_of(const struct job_member *member, struct arena *arena)
{
    return str_printf(arena, "%lld to %lld (%.*s)", (long long)member->first_step, (long long)member->last_step,
                      (int)member->path.len, member->path.at);
}

static void tell_other_times(const struct job_member *one, const struct job_member *other, uint32_t others,
                             uint32_t count, struct doubts *doubts)
{
    const str a = steps_of(one, doubts->arena), b = steps_of(other, doubts->arena);
    doubts_add(doubts, (struct doubt){"other_times",
                                      str_printf(doubts->arena, "ranks recorded at other times, steps %.*s and %.*s",
                                                 (int)a.len, a.at, (int)b.len, b.at),
                                      others, (double)others / count, false});
}

static void tell_short(const struct job_member *members, uint32_t count, struct doubts *doubts)
{
    const int64_t first = earliest(members, count), last = latest(members, count);
    const struct job_member *found = NULL;
    uint32_t cut = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!members[i].steps_kept || (members[i].first_step == first && members[i].last_step == last))
            continue;
        found = found ? found : &members[i];
        cut++;
    }
    if (!cut)
        return;
    const str steps = steps_of(found, doubts->arena);
    doubts_add(doubts, (struct doubt){"cut_short",
                                      str_printf(doubts->arena, "%u rank%s without some steps of %lld to %lld: %.*s%s",
                                                 cut, cut == 1 ? "" : "s", (long long)first, (long long)last,
                                                 (int)steps.len, steps.at, cut == 1 ? "" : " and more"),
                                      cut, (double)cut / count, false});
}

/* ---- which clocks ---- */

/* Time between the end of a step of one and the beginning of the same step of the other; 0 or less where they overlap. */
static int64_t gap_ns(const struct member_step *a, const struct member_step *b)
{
    return a->start_ns < b->start_ns ? b->start_ns - a->end_ns : a->start_ns - b->end_ns;
}

/* The least such time over the steps that both have; 0: they overlap in one, or none can be compared. */
static int64_t apart_ns(const struct job_member *a, const struct job_member *b)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0, k = 0; i < a->steps_kept && k < b->steps_kept;) {
        if (a->steps[i].number != b->steps[k].number) {
            if (a->steps[i].number < b->steps[k].number)
                i++;
            else
                k++;
            continue;
        }
        const int64_t gap = gap_ns(&a->steps[i++], &b->steps[k++]);
        least = gap < least ? gap : least;
    }
    return least == INT64_MAX || least < 0 ? 0 : least;
}

/* What was recorded in one step of one host at one time is one rank's; without steps, what began in the same nanosecond. */
bool job_is_copy(const struct job_member *a, const struct job_member *b)
{
    if (!a->recorded || !b->recorded || a->rank != b->rank || a->world_size < 2 || a->world_size != b->world_size ||
        !str_eq(a->host, b->host) || !a->begin_ns || !b->begin_ns)
        return false;
    if (!a->steps_kept || !b->steps_kept)
        return a->begin_ns == b->begin_ns;
    return share_a_step(a, b) && !apart_ns(a, b);
}

static void tell_apart(const struct job_member *a, const struct job_member *b, int64_t ns, uint32_t ranks,
                       uint32_t count, struct doubts *doubts)
{
    const bool one_host = a->host.len && str_eq(a->host, b->host);
    doubts_add(
        doubts,
        (struct doubt){one_host ? "other_times" : "clocks",
                       str_printf(doubts->arena,
                                  "no step of %.*s is at the time of the same step of %.*s (%.3f ms "
                                  "between): %s",
                                  (int)a->path.len, a->path.at, (int)b->path.len, b->path.at, (double)ns / 1e6,
                                  one_host ? "they are of several runs" : "clocks differ, or they are of several runs"),
                       ranks, (double)ranks / count, false});
}

static void compare_clocks(const struct job_member *members, uint32_t count, const struct job_member *reference,
                           struct doubts *doubts)
{
    const struct job_member *worst = NULL;
    int64_t most = 0;
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct job_member *member = &members[i];
        const int64_t ns = member->begin_ns && reference->begin_ns ? apart_ns(reference, member) : 0;
        ranks += ns > 0;
        worst = ns > most ? member : worst;
        most = ns > most ? ns : most;
    }
    if (worst)
        tell_apart(reference, worst, most, ranks, count, doubts);
}

void job_apart(const struct job_member *members, uint32_t count, struct doubts *doubts)
{
    const struct job_member *reference = NULL;
    uint32_t others = 0;
    for (uint32_t i = 0; i < count && !reference; i++)
        reference = members[i].steps_kept ? &members[i] : NULL;
    if (!reference || count < 2)
        return;
    const struct job_member *other = at_other_times(members, count, reference, &others);
    if (other)
        tell_other_times(reference, other, others, count, doubts);
    else
        tell_short(members, count, doubts);
    compare_clocks(members, count, reference, doubts);
}
