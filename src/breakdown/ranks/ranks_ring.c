/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a ring each rank passes on what came from the one before. What is sent over a slow link comes d later each round,
 * to the next rank one round later, and so on: of R rounds the receiver ends after R d, the rank behind it after
 * (R - 1) d, the sender as the first of n after (R - n + 1) d. So the ends are (n - 1) d apart, of which R d follows.
 *
 * NCCL sends from a rank to the next one of the group. gloo sends to the one before, in two pieces a rank, and a sender
 * that is held up holds up its own end, too: it leaves with the receiver, and the ends are (n - 2) d apart.
 */
#include "ranks_ring.h"

#include "base/hash.h"
#include "base/order.h"
#include "base/sort.h"

/* Ends are apart by this at least, and by this part of the transfer. */
enum { LEAST_APART_NS = 1000 * 1000, MEMBERS_LEAST = 3 };
static const double least_part = 0.05;

/* Meetings in which the ends are as in the middle one, and the part of the spread by which they may differ from it. */
static const double alike_share = 0.75, alike_part = 0.25;

/* Ends closer than this part of the spread are one. */
static const double same_part = 0.05;

/* The meetings of one group. */
struct ring {
    const struct ranks *ranks;
    const struct meeting_clock *clock;
    const struct keyed *order; /* meetings */
    uint32_t count, members;
    int64_t *behind_ns; /* by meeting and member: its end behind the first end */
    int64_t *middle_ns; /* by member: the lower median of the same */
    int64_t apart_ns;   /* the most of these */
};

static const struct meeting *meeting_of(const struct ring *ring, uint32_t i)
{
    return &ring->ranks->meetings[ring->order[i].row];
}

static int64_t end_of(const struct ring *ring, const struct meeting_member *member)
{
    const struct collective *of = &ring->ranks->at[member->rank]->collectives[member->index].of;
    return meeting_true_ns(ring->clock, member->rank, of->start_ns + of->dur_ns);
}

static void measure_meeting(const struct ring *ring, uint32_t i)
{
    const struct meeting *meeting = meeting_of(ring, i);
    int64_t *behind = ring->behind_ns + (size_t)i * ring->members, first = INT64_MAX;
    for (uint32_t k = 0; k < ring->members; k++) {
        behind[k] = end_of(ring, &ring->ranks->members[meeting->first + k]);
        first = behind[k] < first ? behind[k] : first;
    }
    for (uint32_t k = 0; k < ring->members; k++)
        behind[k] -= first;
}

static int64_t middle_behind(const struct ring *ring, uint32_t member, struct arena *scratch)
{
    struct keyed *values = arena_array(scratch, ring->count, sizeof *values);
    for (uint32_t i = 0; i < ring->count; i++)
        values[i] = (struct keyed){ring->behind_ns[(size_t)i * ring->members + member], i};
    sort_keyed(values, ring->count);
    return values[(ring->count - 1) / 2].key;
}

static void measure(struct ring *ring, struct arena *scratch)
{
    ring->members = meeting_of(ring, 0)->count;
    ring->behind_ns = arena_array(scratch, (size_t)ring->count * ring->members, sizeof *ring->behind_ns);
    ring->middle_ns = arena_array(scratch, ring->members, sizeof *ring->middle_ns);
    for (uint32_t i = 0; i < ring->count; i++)
        measure_meeting(ring, i);
    for (uint32_t k = 0; k < ring->members; k++) {
        ring->middle_ns[k] = middle_behind(ring, k, scratch);
        ring->apart_ns = ring->middle_ns[k] > ring->apart_ns ? ring->middle_ns[k] : ring->apart_ns;
    }
}

/* The ends are apart in the same way in most meetings. */
static bool is_steady(const struct ring *ring)
{
    uint32_t steady = 0;
    for (uint32_t i = 0; i < ring->count; i++) {
        bool same = true;
        for (uint32_t k = 0; k < ring->members && same; k++) {
            const double off = (double)(ring->behind_ns[(size_t)i * ring->members + k] - ring->middle_ns[k]);
            same = off * off <= alike_part * alike_part * (double)ring->apart_ns * (double)ring->apart_ns;
        }
        steady += same;
    }
    return (double)steady >= alike_share * ring->count;
}

/* ---- no matter of clocks ---- */

static bool on_one_host(const struct ring *ring)
{
    const struct meeting *meeting = meeting_of(ring, 0);
    const str host = ring->ranks->at[ring->ranks->members[meeting->first].rank]->host;
    for (uint32_t k = 1; k < ring->members; k++)
        if (!host.len || !str_eq(ring->ranks->at[ring->ranks->members[meeting->first + k].rank]->host, host))
            return false;
    return true;
}

/* A collective of a few bytes that all leave together. */
static bool leave_together(const struct ring *ring)
{
    const struct ranks *ranks = ring->ranks;
    for (uint32_t i = 0; i < ranks->meeting_count; i++) {
        const struct meeting *meeting = &ranks->meetings[i];
        int64_t first = INT64_MAX, last = INT64_MIN;
        if (meeting->count != ring->members || !collective_is_blocking(meeting->sample->of.kind) ||
            meeting->transfer_ns < 0 || meeting->bytes > meeting_of(ring, 0)->bytes / 8)
            continue;
        for (uint32_t k = 0; k < meeting->count; k++) {
            const int64_t end = end_of(ring, &ranks->members[meeting->first + k]);
            first = end < first ? end : first;
            last = end > last ? end : last;
        }
        if (last - first <= ring->apart_ns / 4)
            return true;
    }
    return false;
}

/* ---- which link ---- */

/* The member that sends to this one. */
static uint32_t before(const struct ring *ring, uint32_t member, bool gloo)
{
    return gloo ? (member + 1) % ring->members : (member + ring->members - 1) % ring->members;
}

static bool leaves_last(const struct ring *ring, uint32_t member)
{
    return (double)ring->middle_ns[member] >= (1 - same_part) * (double)ring->apart_ns;
}

/* Who leaves last; of several the one whose sender does, too. */
static uint32_t receiver_of(const struct ring *ring, bool gloo)
{
    uint32_t last = 0;
    for (uint32_t k = 0; k < ring->members; k++) {
        if (leaves_last(ring, k) && leaves_last(ring, before(ring, k, gloo)))
            return k;
        last = ring->middle_ns[k] > ring->middle_ns[last] ? k : last;
    }
    return last;
}

static double lost_ns(const struct ring *ring, bool gloo)
{
    const uint32_t n = ring->members;
    const enum collective_kind kind = meeting_of(ring, 0)->sample->of.kind;
    const double rounds = (kind == COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0) * (n - 1);
    return gloo ? (double)ring->apart_ns / (n - 2) * 2 * rounds : (double)ring->apart_ns / (n - 1) * rounds;
}

static struct rank_link judge(const struct ring *ring)
{
    const struct meeting *sample = meeting_of(ring, (ring->count - 1) / 2);
    const bool gloo = sample->sample->of.on_host;
    if (ring->apart_ns < LEAST_APART_NS || (double)ring->apart_ns < least_part * (double)sample->transfer_ns ||
        !is_steady(ring) || !(ring->ranks->one_host || on_one_host(ring) || leave_together(ring)))
        return (struct rank_link){0};
    const uint32_t to = receiver_of(ring, gloo), from = before(ring, to, gloo);
    const double each = lost_ns(ring, gloo), most = (double)sample->transfer_ns;
    return (struct rank_link){.found = true,
                              .from = ring->ranks->members[sample->first + from].rank,
                              .to = ring->ranks->members[sample->first + to].rank,
                              .sample = sample,
                              .excess_ns = (int64_t)((each < most ? each : most) * ring->count)};
}

/*
 * Without the link all leave together: as the first to leave does, who has lost by it, too, but what the last is behind
 * him.
 */
static void note_usual(const struct ring *ring, int64_t *usual_ns)
{
    const double lost = lost_ns(ring, meeting_of(ring, 0)->sample->of.on_host) - (double)ring->apart_ns;
    for (uint32_t i = 0; i < ring->count; i++) {
        const struct meeting *meeting = meeting_of(ring, i);
        int64_t first_end = INT64_MAX, last_entry = INT64_MIN;
        for (uint32_t k = meeting->first; k < meeting->first + meeting->count; k++) {
            const struct meeting_member *member = &ring->ranks->members[k];
            first_end = smaller_of(first_end, end_of(ring, member));
            last_entry = larger_of(last_entry, meeting_entry_ns(ring->ranks->at, ring->clock, member));
        }
        usual_ns[ring->order[i].row] = larger_of(0, first_end - last_entry - (int64_t)lost);
    }
}

void ranks_forget_usual(const struct ranks *ranks, int64_t *usual_ns)
{
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        usual_ns[i] = INT64_MAX;
}

/* ---- all groups ---- */

/* By members, kind and size: 0 for what cannot be a ring. */
static uint64_t group_of(const struct ranks *ranks, const struct meeting *meeting)
{
    const struct collective *of = &meeting->sample->of;
    const bool moves =
        of->kind == COLLECTIVE_ALL_REDUCE || of->kind == COLLECTIVE_ALL_GATHER || of->kind == COLLECTIVE_REDUCE_SCATTER;
    if (!moves || meeting->count < MEMBERS_LEAST || meeting->transfer_ns < 0)
        return 0;
    uint64_t hash = hash_add(hash_add(of->kind, of->on_host), (uint64_t)meeting->bytes);
    for (uint32_t k = 0; k < meeting->count; k++)
        hash = hash_add(hash, ranks->members[meeting->first + k].rank);
    return hash ? hash : 1;
}

struct rank_link ranks_find_ring(const struct ranks *ranks, const struct meeting_clock *clock, int64_t *usual_ns,
                                 struct arena *scratch)
{
    struct rank_link found = {0};
    struct keyed *order = arena_array(scratch, ranks->meeting_count, sizeof *order);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ranks->meeting_count; i++) {
        const uint64_t group = group_of(ranks, &ranks->meetings[i]);
        if (group)
            order[count++] = (struct keyed){(int64_t)group, i};
    }
    sort_keyed(order, count);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && order[end].key == order[first].key;)
            end++;
        struct ring ring = {.ranks = ranks, .clock = clock, .order = order + first, .count = end - first};
        measure(&ring, scratch);
        const struct rank_link link = judge(&ring);
        if (!link.found)
            continue;
        const bool same = found.found && link.from == found.from && link.to == found.to;
        if (same) {
            found.excess_ns += link.excess_ns;
        } else if (link.excess_ns > found.excess_ns) {
            found = link;
            ranks_forget_usual(ranks, usual_ns);
        } else {
            continue;
        }
        note_usual(&ring, usual_ns);
    }
    found.usual_ns = usual_ns;
    return found;
}
