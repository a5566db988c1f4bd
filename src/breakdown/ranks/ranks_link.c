/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_link.h"

#include "base/hash.h"
#include "base/sort.h"
#include "ranks_ring.h"

/* A link is slow where it takes at least twice as long as the others, this share of a step, and twice as much as the next. */
static const double slow_factor = 2, least_share = 0.05, stand_out = 2;

/* Rank time that is late by own work may be this part of what the link takes. */
static const double own_share = 0.25;

/* ---- groups that exchange the same ---- */

static uint64_t members_of(const struct ranks *ranks, const struct meeting *meeting)
{
    uint64_t hash = meeting->count;
    for (uint32_t k = meeting->first; k < meeting->first + meeting->count; k++)
        hash = hash_add(hash, ranks->members[k].rank);
    return hash;
}

static uint64_t alike(const struct meeting *meeting)
{
    const struct collective *of = &meeting->sample->of;
    return hash_add(hash_add(hash_add(of->kind, of->on_host), (uint64_t)meeting->bytes), (uint64_t)meeting->ranks);
}

/* Meetings of one group and one kind and size. */
struct bundle {
    uint64_t members, like;
    uint32_t first, count; /* of the order */
    int64_t middle_ns;     /* lower median of their transfers */
    int64_t usual_ns;      /* the lower median of those of the other groups */
    int64_t excess_ns;     /* over that; 0: it is not slow */
};

struct bundles {
    const struct ranks *ranks;
    struct keyed *order; /* meetings, by what is alike and by group */
    struct bundle *at;
    uint32_t count, meetings;
};

static const struct meeting *meeting_at(const struct bundles *b, uint32_t i)
{
    return &b->ranks->meetings[b->order[i].row];
}

static bool counts(const struct meeting *meeting)
{
    return collective_is_blocking(meeting->sample->of.kind) && meeting->transfer_ns >= 0;
}

static void sort_meetings(struct bundles *b, struct arena *arena)
{
    b->order = arena_array(arena, b->ranks->meeting_count, sizeof *b->order);
    for (uint32_t i = 0; i < b->ranks->meeting_count; i++)
        if (counts(&b->ranks->meetings[i]))
            b->order[b->meetings++] = (struct keyed){b->ranks->meetings[i].transfer_ns, i};
    sort_keyed(b->order, b->meetings);
    for (uint32_t i = 0; i < b->meetings; i++)
        b->order[i].key = (int64_t)members_of(b->ranks, meeting_at(b, i));
    sort_keyed(b->order, b->meetings);
    for (uint32_t i = 0; i < b->meetings; i++)
        b->order[i].key = (int64_t)alike(meeting_at(b, i));
    sort_keyed(b->order, b->meetings);
}

/* Sorts are stable: within what is alike groups lie together, and each in order of transfer. */
static void cut_bundles(struct bundles *b, struct arena *arena)
{
    b->at = arena_array(arena, b->meetings, sizeof *b->at);
    for (uint32_t i = 0; i < b->meetings; i++) {
        const uint64_t members = members_of(b->ranks, meeting_at(b, i)), like = (uint64_t)b->order[i].key;
        const struct bundle *last = b->count ? &b->at[b->count - 1] : NULL;
        if (!last || last->members != members || last->like != like)
            b->at[b->count++] = (struct bundle){.members = members, .like = like, .first = i};
        b->at[b->count - 1].count++;
    }
    for (uint32_t i = 0; i < b->count; i++)
        b->at[i].middle_ns = meeting_at(b, b->at[i].first + (b->at[i].count - 1) / 2)->transfer_ns;
}

/* The lower median of the middles of all bundles but the slowest. */
static int64_t usual_of(const struct bundle *at, uint32_t count, uint32_t slowest, struct arena *arena)
{
    struct keyed *others = arena_array(arena, count, sizeof *others);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i != slowest)
            others[n++] = (struct keyed){at[i].middle_ns, i};
    sort_keyed(others, n);
    return others[(n - 1) / 2].key;
}

/* Of bundles that are alike. */
static void find_excess(const struct bundles *b, struct bundle *at, uint32_t count, struct arena *arena)
{
    uint32_t slowest = 0;
    for (uint32_t i = 1; i < count; i++)
        slowest = at[i].middle_ns > at[slowest].middle_ns ? i : slowest;
    if (count < 2)
        return;
    const int64_t usual_ns = usual_of(at, count, slowest, arena);
    for (uint32_t i = 0; i < count; i++) {
        at[i].usual_ns = usual_ns;
        for (uint32_t k = at[i].first;
             (double)at[i].middle_ns >= slow_factor * (double)usual_ns && k < at[i].first + at[i].count; k++)
            at[i].excess_ns += meeting_at(b, k)->transfer_ns - usual_ns;
    }
}

/* The excess of a group over all that it exchanges. */
static int64_t excess_of(const struct bundles *b, uint64_t members)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < b->count; i++)
        sum += b->at[i].members == members ? b->at[i].excess_ns : 0;
    return sum;
}

/* Of all that the group exchanges and takes longer for. */
static void note_usual(const struct bundles *b, uint64_t members, int64_t *usual_ns)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t k = b->at[i].first;
             b->at[i].members == members && b->at[i].excess_ns && k < b->at[i].first + b->at[i].count; k++)
            usual_ns[b->order[k].row] = b->at[i].usual_ns;
}

static void find_apart(const struct bundles *b, int64_t *usual_ns, struct rank_link *link)
{
    const struct bundle *slow = NULL;
    int64_t most = 0, next = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const int64_t excess = b->at[i].excess_ns ? excess_of(b, b->at[i].members) : 0;
        if (excess <= most || (slow && slow->members == b->at[i].members)) {
            next = excess > next && slow->members != b->at[i].members ? excess : next;
            continue;
        }
        next = most;
        most = excess;
        slow = &b->at[i];
    }
    if (!slow || (double)most < stand_out * (double)next)
        return;
    note_usual(b, slow->members, usual_ns);
    *link = (struct rank_link){.found = true,
                               .from = RANK_NONE_LATE,
                               .to = RANK_NONE_LATE,
                               .sample = meeting_at(b, slow->first + (slow->count - 1) / 2),
                               .excess_ns = most,
                               .usual_ns = usual_ns};
}

static struct rank_link apart(const struct ranks *ranks, int64_t *usual_ns, struct arena *scratch)
{
    struct rank_link link = {0};
    struct bundles b = {.ranks = ranks};
    sort_meetings(&b, scratch);
    cut_bundles(&b, scratch);
    for (uint32_t first = 0, end; first < b.count; first = end) {
        for (end = first; end < b.count && b.at[end].like == b.at[first].like;)
            end++;
        find_excess(&b, b.at + first, end - first, scratch);
    }
    find_apart(&b, usual_ns, &link);
    return link;
}

/* ---- which of them ---- */

/* Late by what it did itself, and not because it was in another collective for longer. */
static double own_late(const struct rank_account *account)
{
    const double began = account->began_ns > 0 ? account->began_ns : 0, longer = account->excess_ns[TIME_COMMUNICATION];
    const double inside = (double)account->inside_ns > longer ? (double)account->inside_ns : longer;
    return (double)account->late_ns - began - inside;
}

static uint32_t most_steps(const struct ranks *ranks)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < ranks->count; r++)
        most = ranks->at[r]->steps > most ? ranks->at[r]->steps : most;
    return most;
}

static double longest_steps_ns(const struct ranks *ranks)
{
    int64_t most = 0;
    for (uint32_t r = 0; r < ranks->count; r++)
        most = ranks->at[r]->step_ns > most ? ranks->at[r]->step_ns : most;
    return (double)most;
}

static bool somebody_is_late(const struct ranks *ranks, const struct rank_link *link)
{
    for (uint32_t r = 0; r < ranks->count; r++)
        if (rank_seems_late(ranks, r) && own_late(&ranks->accounts[r]) > own_share * (double)link->excess_ns)
            return true;
    return false;
}

static int64_t *none_usual(const struct ranks *ranks, struct arena *arena)
{
    int64_t *usual_ns = arena_array(arena, ranks->meeting_count, sizeof *usual_ns);
    ranks_forget_usual(ranks, usual_ns);
    return usual_ns;
}

void ranks_find_link(struct ranks *ranks, const struct meeting_clock *clock, struct arena *arena)
{
    struct arena scratch = {0};
    struct rank_link link = apart(ranks, none_usual(ranks, &scratch), &scratch);
    const struct rank_link ring = ranks_find_ring(ranks, clock, none_usual(ranks, &scratch), &scratch);
    link = ring.excess_ns > link.excess_ns ? ring : link;
    const uint32_t steps = most_steps(ranks);
    if (link.found && steps && (double)link.excess_ns >= least_share * longest_steps_ns(ranks) &&
        !somebody_is_late(ranks, &link)) {
        link.per_step_ns = (double)link.excess_ns / steps;
        int64_t *usual_ns = arena_array(arena, ranks->meeting_count, sizeof *usual_ns);
        memcpy(usual_ns, link.usual_ns, ranks->meeting_count * sizeof *usual_ns);
        link.usual_ns = usual_ns;
        ranks->link = link;
    }
    arena_free(&scratch);
}

/* ---- in words ---- */

static str members_text(const struct ranks *ranks, const struct meeting *meeting, struct arena *arena)
{
    str text = S("");
    for (uint32_t k = meeting->first; k < meeting->first + meeting->count; k++)
        text = str_printf(arena, "%.*s%s%lld", (int)text.len, text.at, text.len ? "," : "",
                          (long long)ranks->at[ranks->members[k].rank]->rank);
    return text;
}

str ranks_link_name(const struct ranks *ranks, struct arena *arena)
{
    const struct rank_link *link = &ranks->link;
    if (link->from == RANK_NONE_LATE)
        return members_text(ranks, link->sample, arena);
    return str_printf(arena, "rank %lld to rank %lld", (long long)ranks->at[link->from]->rank,
                      (long long)ranks->at[link->to]->rank);
}

/* " within host a", " between hosts a and b"; "" where a host is not recorded. */
static str where(const struct ranks *ranks, struct arena *arena)
{
    const struct rank_link *link = &ranks->link;
    const bool ring = link->from != RANK_NONE_LATE;
    const str one = ranks->at[ring ? link->from : ranks->members[link->sample->first].rank]->host;
    str other = one;
    for (uint32_t k = link->sample->first; !ring && k < link->sample->first + link->sample->count; k++)
        if (!str_eq(ranks->at[ranks->members[k].rank]->host, one))
            other = ranks->at[ranks->members[k].rank]->host;
    other = ring ? ranks->at[link->to]->host : other;
    if (!one.len || !other.len)
        return S("");
    return str_eq(one, other)
               ? str_printf(arena, " within host %.*s", (int)one.len, one.at)
               : str_printf(arena, " between hosts %.*s and %.*s", (int)one.len, one.at, (int)other.len, other.at);
}

str ranks_say_link(const struct ranks *ranks, struct arena *arena)
{
    const struct rank_link *link = &ranks->link;
    const bool ring = link->from != RANK_NONE_LATE;
    const str name = ranks_link_name(ranks, arena), hosts = where(ranks, arena);
    return str_printf(
        arena, "No rank is late by its own work: the link %s%.*s%.*s is slow and takes %.2f ms of a step, %s%s.",
        ring ? "from " : "among ranks ", (int)name.len, name.at, (int)hosts.len, hosts.at, link->per_step_ns / 1e6,
        ring ? "as ranks leave a ring one after another" : "beyond what other groups take for the same",
        ranks->clocks.corrected ? "" : "; clocks are not moved");
}
