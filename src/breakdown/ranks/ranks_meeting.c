/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_meeting.h"

#include "base/order.h"
#include "base/sort.h"
#include "ops/rows/collective_align.h"

struct hold {
    const struct rank_numbers *const *ranks;
    const struct meeting_clock *clock;
    struct meeting_member *members;
    uint32_t count;
    struct keyed *order; /* entry times and members, by time */
};

static const struct rank_collective *collective_of(const struct hold *h, uint32_t i)
{
    return &h->ranks[h->members[i].rank]->collectives[h->members[i].index];
}

static const struct collective *of_member(const struct hold *h, uint32_t i)
{
    return &collective_of(h, i)->of;
}

int64_t meeting_entry_ns(const struct rank_numbers *const *ranks, const struct meeting_clock *clock,
                         const struct meeting_member *member)
{
    return meeting_true_ns(clock, member->rank, ranks[member->rank]->collectives[member->index].of.call_ns);
}

/* INT64_MAX where the end was not recorded. */
static int64_t end_of(const struct hold *h, uint32_t i)
{
    const struct collective *of = of_member(h, i);
    return of->dur_ns < 0 ? INT64_MAX : meeting_true_ns(h->clock, h->members[i].rank, of->start_ns + of->dur_ns);
}

/* The entry of the i-th to come. */
static int64_t entry(const struct hold *h, uint32_t i)
{
    return h->order[i].key;
}

static void order_entries(struct hold *h)
{
    for (uint32_t i = 0; i < h->count; i++)
        h->order[i] = (struct keyed){meeting_entry_ns(h->ranks, h->clock, &h->members[i]), i};
    sort_keyed(h->order, h->count);
}

static bool blocking(const struct hold *h)
{
    return collective_is_blocking(of_member(h, 0)->kind);
}

/* Of a message both ends wait, but neither is late: a stage of a pipeline comes when the one before it is done. */
static bool is_message(const struct hold *h)
{
    return of_member(h, 0)->kind == COLLECTIVE_POINT_TO_POINT;
}

/* Nobody leaves before the last has come. */
static bool all_inside(const struct hold *h)
{
    if (!blocking(h) && !is_message(h))
        return true;
    int64_t first_end = INT64_MAX;
    for (uint32_t i = 0; i < h->count; i++)
        first_end = end_of(h, i) < first_end ? end_of(h, i) : first_end;
    return first_end == INT64_MAX || first_end + h->clock->doubt_ns >= entry(h, h->count - 1);
}

/* Members inside at a time; those before the i-th to come had come by then. */
static uint32_t inside_at(const struct hold *h, int64_t time_ns)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->count && entry(h, i) <= time_ns; i++)
        count += end_of(h, h->order[i].row) >= time_ns - h->clock->doubt_ns;
    return count;
}

/* Puts those who were inside at the time first; all stay in the order of ranks. */
static void keep_inside(struct hold *h, int64_t time_ns, struct arena *scratch)
{
    struct meeting_member *others = arena_array(scratch, h->count, sizeof *others);
    uint32_t kept = 0, left = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        const bool inside = meeting_entry_ns(h->ranks, h->clock, &h->members[i]) <= time_ns &&
                            end_of(h, i) >= time_ns - h->clock->doubt_ns;
        *(inside ? &h->members[kept++] : &others[left++]) = h->members[i];
    }
    memcpy(h->members + kept, others, left * sizeof *others);
    h->count = kept;
    order_entries(h);
}

/* They left one after another in the time that the one who was there shortest was there, or at once. */
static bool leave_together(const struct hold *h)
{
    int64_t first = INT64_MAX, last = INT64_MIN, shortest = INT64_MAX;
    for (uint32_t i = 0; i < h->count; i++) {
        const int64_t end = end_of(h, i), inside = end - meeting_entry_ns(h->ranks, h->clock, &h->members[i]);
        first = end < first ? end : first;
        last = end > last ? end : last;
        shortest = inside < shortest ? inside : shortest;
    }
    return last == INT64_MAX || last - first <= larger_of(shortest, COLLECTIVE_ENDS_NS);
}

/*
 * Of a match that all cannot have been inside of, the most who were: where these are more than half and left it together,
 * the others were recorded at another time, or by another clock. False: there are none.
 */
static bool leave_out_others(struct hold *h, struct arena *scratch)
{
    uint32_t most = 1;
    int64_t when = INT64_MIN;
    for (uint32_t i = h->count; i-- > 0;) {
        const uint32_t inside = inside_at(h, entry(h, i));
        when = inside > most ? entry(h, i) : when;
        most = inside > most ? inside : most;
    }
    if (2 * most <= h->count)
        return false;
    keep_inside(h, when, scratch);
    return leave_together(h);
}

/* ---- who waited ---- */

/* Until the last had come, but not beyond its own end: a broadcast lets go of its source early. */
static void wait_all(struct hold *h)
{
    const int64_t last = entry(h, h->count - 1), middle = entry(h, (h->count - 1) / 2);
    for (uint32_t i = 0; i < h->count; i++) {
        struct meeting_member *member = &h->members[h->order[i].row];
        const int64_t end = end_of(h, h->order[i].row), until = blocking(h) || end > last ? last : end;
        const int64_t behind = entry(h, i) - middle;
        member->wait_ns = until > entry(h, i) ? until - entry(h, i) : 0;
        member->late_ns = blocking(h) && behind > h->clock->tie_ns ? behind : 0;
    }
}

/* By the work: of gloo it begins later than the call, on a thread of its own, and two may be at work at once. */
static void add_waiting(const struct hold *h, struct rank_account *accounts)
{
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < h->count; i++) {
        const int64_t start = meeting_true_ns(h->clock, h->members[i].rank, of_member(h, i)->start_ns);
        last = start > last ? start : last;
    }
    for (uint32_t i = 0; i < h->count; i++) {
        const int64_t start = meeting_true_ns(h->clock, h->members[i].rank, of_member(h, i)->start_ns);
        const int64_t end = end_of(h, i), until = end < last ? end : last;
        accounts[h->members[i].rank].waiting_ns += until > start ? until - start : 0;
    }
}

/* The time that members had waited by a time, all together. What an earlier collective still open counts is not counted twice. */
struct waiting {
    const struct keyed *begins; /* when each began to wait, ascending */
    uint32_t count, next;
    int64_t inside_ns; /* sum of the waits of those who have begun, by last_ns */
    int64_t last_ns;
};

static int64_t waited_until(struct waiting *w, int64_t time_ns)
{
    w->inside_ns += (time_ns - w->last_ns) * w->next;
    for (; w->next < w->count && w->begins[w->next].key < time_ns; w->next++)
        w->inside_ns += time_ns - w->begins[w->next].key;
    w->last_ns = time_ns;
    return w->inside_ns;
}

static struct waiting begin_waiting(const struct hold *h, struct arena *scratch)
{
    const int64_t last = entry(h, h->count - 1);
    struct keyed *begins = arena_array(scratch, h->count, sizeof *begins);
    for (uint32_t i = 0; i < h->count; i++) {
        int64_t *covered = &h->clock->covered_ns[h->members[h->order[i].row].rank];
        begins[i] = (struct keyed){entry(h, i) > *covered ? entry(h, i) : *covered, i};
        *covered = last > *covered ? last : *covered;
    }
    sort_keyed(begins, h->count);
    return (struct waiting){.begins = begins, .count = h->count, .last_ns = entry(h, 0)};
}

/*
 * Between two entries those who are inside wait for those who are not; these share
 * the blame, and the last takes the odd ns. So a rank has its share of every
 * stretch up to its own entry.
 */
static void blame(const struct hold *h, struct rank_account *accounts, struct arena *scratch)
{
    struct waiting waiting = begin_waiting(h, scratch);
    int64_t share = 0, odd = 0, before = 0;
    for (uint32_t i = 1; i < h->count; i++) {
        const uint32_t missing = h->count - i;
        const int64_t now = waited_until(&waiting, entry(h, i)), waited = now - before;
        share += waited / missing;
        odd += waited % missing;
        accounts[h->members[h->order[i].row].rank].caused_ns += share;
        before = now;
    }
    accounts[h->members[h->order[h->count - 1].row].rank].caused_ns += odd;
}

static void count_late(const struct hold *h, const struct meeting *meeting, struct rank_account *accounts)
{
    for (uint32_t i = 0; i < h->count; i++) {
        accounts[h->members[i].rank].matched++;
        accounts[h->members[i].rank].late += h->members[i].late_ns > 0;
    }
    if (meeting->last_rank != RANK_NONE_LATE)
        accounts[meeting->last_rank].last++;
}

/* ---- what the ranks in time did before ---- */

/* The key of the collective that ended last before; 0 before the first one. */
static uint64_t key_before(const struct hold *h, uint32_t i)
{
    const uint32_t after = collective_of(h, i)->after;
    return after == RANK_FIRST ? 0 : h->ranks[h->members[i].rank]->collectives[after].key;
}

/* What ranks did is compared over the same stretch: on the host the ends of some collectives are not recorded. */
static enum rank_since since_of(const struct hold *h)
{
    for (uint32_t i = 1; i < h->count; i++)
        if (key_before(h, i) != key_before(h, 0))
            return SINCE_STEP;
    return SINCE_COLLECTIVE;
}

static void average_in_time(const struct hold *h, struct meeting *out)
{
    uint32_t in_time = 0; /* at least the middle one */
    out->since = since_of(h);
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->members[h->order[i].row].late_ns)
            continue;
        const struct meeting_member *member = &h->members[h->order[i].row];
        const struct rank_before all = rank_before(&h->ranks[member->rank]->befores, member->index);
        const int64_t *before = all.ns[out->since];
        int64_t since = entry(h, i) - out->enter_ns; /* small, so that a double holds it exactly */
        for (int time = 0; time < RANK_TIMES; time++) {
            out->in_time_before_ns[time] += (double)before[time];
            since -= before[time];
        }
        out->in_time_since_ns += (double)since;
        in_time++;
    }
    for (int time = 0; time < RANK_TIMES; time++)
        out->in_time_before_ns[time] /= in_time;
    out->in_time_since_ns /= in_time;
}

/* ---- the collective itself ---- */

/* Of uneven messages the mean. */
static int64_t bytes_of(const struct hold *h, int64_t ranks)
{
    double sum = 0;
    uint32_t known = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        const int64_t bytes = collective_bytes(of_member(h, i), ranks);
        sum += bytes >= 0 ? (double)bytes : 0;
        known += bytes >= 0;
    }
    return known ? (int64_t)(sum / known) : -1;
}

/* The work of the one that began last: before that nothing could move. */
static int64_t transfer_of(const struct hold *h)
{
    int64_t last_start = INT64_MIN, dur = -1;
    for (uint32_t i = 0; i < h->count; i++) {
        const struct collective *of = of_member(h, i);
        const int64_t start = meeting_true_ns(h->clock, h->members[i].rank, of->start_ns);
        if (of->dur_ns < 0)
            return -1;
        if (start > last_start || (start == last_start && of->dur_ns > dur)) {
            last_start = start;
            dur = of->dur_ns;
        }
    }
    return dur;
}

static void describe(const struct hold *h, struct meeting *out)
{
    const struct meeting_member *first = &h->members[0];
    const struct rank_numbers *rank = h->ranks[first->rank];
    const int64_t last = entry(h, h->count - 1);
    out->sample = &rank->collectives[first->index];
    out->group = &rank->groups[out->sample->of.group];
    out->ranks = out->group->size >= h->count ? out->group->size : h->count;
    out->bytes = bytes_of(h, out->ranks);
    out->transfer_ns = transfer_of(h);
    out->enter_ns = entry(h, (h->count - 1) / 2);
    out->skew_ns = last - entry(h, 0);
    const bool tie =
        out->skew_ns <= h->clock->tie_ns || !blocking(h); /* who waits for whom is known of blocking ones only */
    out->saving_ns = tie ? 0 : last - entry(h, h->count - 2);
    out->first_rank = tie ? RANK_NONE_LATE : h->members[h->order[0].row].rank;
    out->last_rank = tie ? RANK_NONE_LATE : h->members[h->order[h->count - 1].row].rank;
}

bool meeting_hold(const struct rank_numbers *const *ranks, const struct match *match, const struct meeting_clock *clock,
                  struct meeting_member *members, struct rank_account *accounts, struct meeting *out)
{
    struct arena scratch = {0};
    struct hold h = {ranks, clock, members + match->first, match->count, NULL};
    h.order = arena_array(&scratch, h.count, sizeof *h.order);
    order_entries(&h);
    const bool held = all_inside(&h) || leave_out_others(&h, &scratch);
    if (held) {
        *out = (struct meeting){.first = match->first, .count = h.count};
        describe(&h, out);
        wait_all(&h);
        if (blocking(&h) || is_message(&h))
            blame(&h, accounts, &scratch);
        if (blocking(&h))
            add_waiting(&h, accounts);
        count_late(&h, out, accounts);
        average_in_time(&h, out);
    }
    arena_free(&scratch);
    return held;
}
