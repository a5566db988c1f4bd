/* SPDX-License-Identifier: Apache-2.0 */
/* All ranks together: match, align, compare, sum up. */
#include "ranks.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/sum.h"
#include "ranks_attended.h"
#include "ranks_compared.h"
#include "ranks_kinds.h"
#include "ranks_link.h"
#include "ranks_meeting.h"
#include "ranks_stages.h"

enum {
    TIE_NS = 20 * 1000, /* entries closer than this are one: launches alone scatter as much */
};

struct merging {
    struct arena scratch;
    struct arena *arena;
    struct ranks *out;
    struct matches matches;
    int64_t *origin_ns;        /* by rank: of its trace, from that of the first rank's */
    int64_t *shift_ns;         /* by rank: the same less the clock's offset */
    struct clock_drift *drift; /* by rank: of its clock, in the time of its trace */
    struct meeting_clock clock;
};

/* ---- clocks ---- */

/* Epochs further apart than this (18 years) are not of one job; the traces then begin together. */
static const int64_t most_apart_ns = (int64_t)1 << 59;

static void find_origins(struct merging *m)
{
    const struct ranks *ranks = m->out;
    m->origin_ns = arena_array(&m->scratch, ranks->count, sizeof *m->origin_ns);
    for (uint32_t r = 0; r < ranks->count; r++) {
        const int64_t apart = ranks->at[r]->origin_ns / 2 - ranks->at[0]->origin_ns / 2; /* halves cannot overflow */
        if (apart > -most_apart_ns / 2 && apart < most_apart_ns / 2)
            m->origin_ns[r] = ranks->at[r]->origin_ns - ranks->at[0]->origin_ns;
    }
}

/* Host names that many machines share. */
static bool names_a_machine(str host)
{
    return host.len && !str_starts(host, S("localhost"));
}

static bool on_one_host(const struct ranks *ranks)
{
    for (uint32_t r = 0; r < ranks->count; r++)
        if (!names_a_machine(ranks->at[r]->host) || !str_eq(ranks->at[r]->host, ranks->at[0]->host))
            return false;
    return true;
}

/* A clock a machine: ranks of one host share it, but devices have their own. Returns the clock of each rank, and their number. */
static uint32_t *clocks_of(struct merging *m, uint32_t *clocks)
{
    struct map hosts = {0};
    uint32_t *clock = arena_array(&m->scratch, m->out->count, sizeof *clock);
    *clocks = 0;
    for (uint32_t r = 0; r < m->out->count; r++) {
        const str host = m->out->at[r]->host;
        const int64_t key = (int64_t)hash_bytes(host.at, host.len);
        const bool shared = names_a_machine(host) && !m->out->at[r]->device;
        const uint32_t known = shared ? map_get(&hosts, key) : MAP_NONE;
        clock[r] = known == MAP_NONE ? (*clocks)++ : known;
        if (shared)
            map_put(&hosts, key, clock[r]);
    }
    map_free(&hosts);
    return clock;
}

enum { DEVICE_APART_NS = 1000 * 1000 }; /* the clock of a device is not farther from that of its host */

static int64_t within(int64_t ns, int64_t limit_ns)
{
    return ns < -limit_ns ? -limit_ns : ns > limit_ns ? limit_ns : ns;
}

/* What is known of the devices' clocks against those of their hosts; by clock. */
static struct clock_own *own_clocks(struct merging *m, const uint32_t *clock, uint32_t clocks)
{
    struct map hosts = {0};
    struct clock_own *own = arena_array(&m->scratch, clocks, sizeof *own);
    for (uint32_t r = 0; r < m->out->count; r++) {
        const struct rank_numbers *rank = m->out->at[r];
        const int64_t key = (int64_t)hash_bytes(rank->host.at, rank->host.len);
        const bool device = rank->device && names_a_machine(rank->host);
        if (device && map_get(&hosts, key) == MAP_NONE)
            map_put(&hosts, key, r);
        own[clock[r]] = (struct clock_own){device ? map_get(&hosts, key) : CLOCK_ALONE,
                                           within(rank->device_low_ns, DEVICE_APART_NS),
                                           within(rank->device_high_ns, DEVICE_APART_NS)};
    }
    map_free(&hosts);
    return own;
}

/* Both ends of a message leave it together on devices; on the host a send may be waited for later. */
static bool tells_clocks(const struct collective *of)
{
    return collective_is_blocking(of->kind) || (of->kind == COLLECTIVE_POINT_TO_POINT && !of->on_host);
}

/* The ends of one collective, where at least two ranks recorded one. Returns how many readings there are then. */
static size_t read_match(const struct merging *m, const uint32_t *clock, const struct match *match, uint32_t *event,
                         struct clock_reading *readings, size_t count)
{
    const size_t first = count;
    for (uint32_t k = match->first; k < match->first + match->count; k++) {
        const struct meeting_member *member = &m->matches.members[k];
        const struct collective *of = &m->out->at[member->rank]->collectives[member->index].of;
        if (of->dur_ns >= 0 && tells_clocks(of))
            readings[count++] =
                (struct clock_reading){clock[member->rank], *event, m->origin_ns[member->rank] + of->start_ns,
                                       m->origin_ns[member->rank] + of->start_ns + of->dur_ns};
    }
    if (count - first < 2)
        return first;
    ++*event;
    return count;
}

static size_t read_clocks(const struct merging *m, const uint32_t *clock, struct clock_reading *readings)
{
    size_t count = 0;
    uint32_t event = 0;
    for (uint32_t i = 0; i < m->matches.count; i++)
        count = read_match(m, clock, &m->matches.at[i], &event, readings, count);
    for (uint32_t i = 0; i < m->matches.partial_count; i++)
        count = read_match(m, clock, &m->matches.partial[i], &event, readings, count);
    return count;
}

static size_t count_members(const struct matches *matches)
{
    size_t count = 0;
    for (uint32_t i = 0; i < matches->count; i++)
        count += matches->at[i].count;
    for (uint32_t i = 0; i < matches->partial_count; i++)
        count += matches->partial[i].count;
    return count;
}

static void align(struct merging *m)
{
    struct ranks *out = m->out;
    uint32_t clocks;
    find_origins(m);
    const uint32_t *clock = clocks_of(m, &clocks);
    struct clock_reading *readings = arena_array(&m->scratch, count_members(&m->matches), sizeof *readings);
    const size_t count = read_clocks(m, clock, readings);
    clocks_solve(readings, count, clocks, own_clocks(m, clock, clocks), m->arena, &out->clocks);
    m->shift_ns = arena_array(m->arena, out->count, sizeof *m->shift_ns);
    m->drift = arena_array(m->arena, out->count, sizeof *m->drift);
    for (uint32_t r = 0; r < out->count; r++) {
        out->accounts[r].offset_ns = out->clocks.offset_ns[clock[r]];
        m->shift_ns[r] = m->origin_ns[r] - out->accounts[r].offset_ns;
        m->drift[r] = out->clocks.drift[clock[r]];
        m->drift[r].pivot_ns -= m->origin_ns[r];
    }
    out->shift_ns = m->shift_ns;
    out->drift = m->drift;
    const int64_t residual =
        out->one_host ? 0 : out->clocks.residual_p50_ns; /* on one host it is no matter of clocks */
    out->tie_ns = out->clocks.corrected && residual > TIE_NS ? residual : TIE_NS;
    int64_t *covered = arena_array(&m->scratch, out->count, sizeof *covered);
    for (uint32_t r = 0; r < out->count; r++)
        covered[r] = INT64_MIN;
    m->clock = (struct meeting_clock){m->shift_ns, m->drift, covered, CLOCKS_AGREE_NS + residual, out->tie_ns};
}

/* ---- meetings ---- */

/* The matches by the entry of their first member. */
static const struct keyed *in_order(const struct merging *m, struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, m->matches.count, sizeof *order);
    for (uint32_t i = 0; i < m->matches.count; i++) {
        const struct meeting_member *first = &m->matches.members[m->matches.at[i].first];
        order[i] = (struct keyed){meeting_entry_ns(m->out->at, &m->clock, first), i};
    }
    sort_keyed(order, m->matches.count);
    return order;
}

static void hold_all(struct merging *m)
{
    struct ranks *out = m->out;
    const struct keyed *order = in_order(m, &m->scratch);
    out->members = m->matches.members;
    out->meetings = arena_array(m->arena, m->matches.count, sizeof *out->meetings);
    for (uint32_t i = 0; i < m->matches.count; i++) {
        struct meeting *meeting = &out->meetings[out->meeting_count];
        const struct match *match = &m->matches.at[order[i].row];
        const bool held = meeting_hold(out->at, match, &m->clock, out->members, out->accounts, meeting);
        out->disjoint += match->count - (held ? meeting->count : 0);
        out->meeting_count += held;
    }
}

/* ---- the ranks' accounts ---- */

/* Waits begin in order, so what is covered is known by its end alone. */
static int64_t waited(const struct rank_numbers *rank, const struct attended *attended)
{
    int64_t sum = 0, covered = INT64_MIN;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        if (!attended[i].meeting)
            continue;
        const int64_t start = rank->collectives[i].of.call_ns, end = start + attended[i].member->wait_ns;
        if (end > larger_of(start, covered))
            sum += end - larger_of(start, covered);
        covered = larger_of(covered, end);
    }
    return sum;
}

/* The share of a late entry that no later one of the same rank covers goes to what the rank did before it. */
static void explain(struct rank_account *account, const struct rank_before *own, const struct attended *attended,
                    int64_t entry_ns, double share)
{
    const struct meeting *meeting = attended->meeting;
    const int64_t *before = own->ns[meeting->since];
    int64_t since = entry_ns - meeting->enter_ns;
    for (int time = 0; time < RANK_TIMES; time++) {
        account->excess_ns[time] += share * ((double)before[time] - meeting->in_time_before_ns[time]);
        since -= before[time];
    }
    account->began_ns += share * ((double)since - meeting->in_time_since_ns);
}

enum { BACK_MOST = 64 }; /* collectives looked at before one */

/* For how long of a time before its i-th collective a rank was in others. They come by call, which is about by end. */
static int64_t inside_before(const struct rank_numbers *rank, uint32_t i, int64_t from_ns, int64_t until_ns)
{
    int64_t inside_ns = 0;
    for (uint32_t left = BACK_MOST; i-- > 0 && left-- > 0 && from_ns < until_ns;) {
        const struct collective *of = &rank->collectives[i].of;
        const int64_t start = larger_of(of->start_ns, from_ns), end = smaller_of(of->start_ns + of->dur_ns, until_ns);
        if (of->dur_ns < 0 || end <= start)
            continue;
        inside_ns += end - start;
        until_ns = start;
    }
    return inside_ns;
}

/* Late times end in order, at the entry; backwards, what is covered is known by its start alone. */
static void sum_late(const struct merging *m, uint32_t r, const struct attended *attended)
{
    const struct rank_numbers *rank = m->out->at[r];
    struct rank_account *account = &m->out->accounts[r];
    int64_t covered_late = INT64_MAX, covered_saving = INT64_MAX;
    for (uint32_t i = rank->collective_count; i-- > 0;) {
        if (!attended[i].meeting)
            continue;
        const int64_t entry = rank->collectives[i].of.call_ns, late = attended[i].member->late_ns;
        const int64_t fresh = smaller_of(entry, covered_late) - (entry - late);
        if (late && fresh > 0) {
            const struct rank_before before = rank_before(&rank->befores, i);
            account->late_ns += fresh;
            account->inside_ns += inside_before(rank, i, entry - late, entry - late + fresh);
            explain(account, &before, &attended[i], meeting_true_ns(&m->clock, r, entry), (double)fresh / (double)late);
            covered_late = entry - late;
        }
        const int64_t saving = attended[i].meeting->last_rank == r ? attended[i].meeting->saving_ns : 0;
        account->saving_ns += larger_of(0, smaller_of(entry, covered_saving) - (entry - saving));
        covered_saving = smaller_of(covered_saving, entry - saving);
    }
}

static int64_t latest_of(const struct rank_numbers *rank, const struct attended *attended)
{
    int64_t latest_ns = 1;
    for (uint32_t i = 0; i < rank->collective_count; i++)
        if (attended[i].meeting)
            latest_ns = larger_of(latest_ns, attended[i].member->late_ns);
    return latest_ns;
}

/* The outermost numbers of steps stand for what lies beyond all of them. */
static int64_t steps_apart(int64_t step, int64_t before)
{
    int64_t apart;
    return __builtin_sub_overflow(step, before, &apart) ? INT64_MAX : apart;
}

/* In which steps it was late; collectives come by call, and so by step. */
static void count_late_steps(const struct rank_numbers *rank, const struct attended *attended,
                             struct rank_account *account)
{
    const int64_t least_ns = (latest_of(rank, attended) + 9) / 10;
    int64_t last = 0, apart = 0;
    bool even = true;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        const int64_t step = rank->collectives[i].step;
        if (!attended[i].meeting || attended[i].member->late_ns < least_ns || (account->late_steps && step == last))
            continue;
        if (account->late_steps > 1)
            even &= steps_apart(step, last) == apart;
        else if (account->late_steps == 1)
            apart = steps_apart(step, last);
        last = step;
        account->late_steps++;
    }
    account->late_every = even && account->late_steps > 2 && apart > 1 && apart < UINT32_MAX ? (uint32_t)apart : 0;
}

static uint32_t without_key(const struct rank_numbers *rank)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank->collective_count; i++)
        count += !rank->collectives[i].key;
    return count;
}

static void close_accounts(struct merging *m)
{
    const struct attendance attendance = attendance_of(m->out, &m->scratch);
    struct map met = ranks_steps_met(m->out);
    for (uint32_t r = 0; r < m->out->count; r++) {
        struct rank_account *account = &m->out->accounts[r];
        const struct rank_numbers *rank = m->out->at[r];
        struct attended *attended = attendance.at + attendance.first[r];
        account->unmatched = rank->collective_count - account->matched - without_key(rank);
        account->comparable = account->matched && account->matched >= account->unmatched;
        ranks_compared(m->out, r, attended, &met, m->arena);
        account->waited_ns = waited(rank, attended);
        sum_late(m, r, attended);
        count_late_steps(rank, attended, account);
    }
    map_free(&met);
}

void ranks_merge(const struct rank_numbers *const *at, uint32_t count, struct arena *arena, struct ranks *out)
{
    *out = (struct ranks){.at = at, .count = count, .accounts = arena_array(arena, count, sizeof *out->accounts)};
    struct merging m = {.arena = arena, .out = out, .matches = ranks_match(at, count, arena)};
    out->one_host = on_one_host(out);
    out->unmatched = m.matches.incomplete;
    out->not_matchable = m.matches.not_matchable;
    out->doubt = m.matches.doubt;
    align(&m);
    hold_all(&m);
    close_accounts(&m);
    ranks_find_stages(out, arena);
    ranks_find_link(out, &m.clock, arena);
    meeting_kinds(out, arena);
    arena_free(&m.scratch);
}
