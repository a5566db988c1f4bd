/* SPDX-License-Identifier: Apache-2.0 */
/* Which meetings let nobody go before all have come. */
#include "base/order.h"
#include "ranks.h"

int64_t ranks_entry_ns(const struct ranks *ranks, uint32_t rank, uint32_t collective)
{
    return ranks_true_ns(ranks, rank, ranks->at[rank]->collectives[collective].of.call_ns);
}

int64_t ranks_exit_ns(const struct ranks *ranks, uint32_t rank, uint32_t collective)
{
    const struct collective *of = &ranks->at[rank]->collectives[collective].of;
    return ranks_true_ns(ranks, rank, of->dur_ns < 0 ? of->call_ns : of->start_ns + of->dur_ns);
}

int64_t meeting_last_ns(const struct ranks *ranks, const struct meeting *meeting)
{
    int64_t last_ns = INT64_MIN;
    for (uint32_t k = meeting->first; k < meeting->first + meeting->count; k++)
        last_ns = larger_of(last_ns, ranks_entry_ns(ranks, ranks->members[k].rank, ranks->members[k].index));
    return last_ns;
}

static bool nobody_left(const struct ranks *ranks, const struct meeting *meeting)
{
    const int64_t last_ns = meeting_last_ns(ranks, meeting);
    for (uint32_t k = meeting->first; k < meeting->first + meeting->count; k++) {
        const struct meeting_member *member = &ranks->members[k];
        if (ranks->at[member->rank]->collectives[member->index].of.dur_ns < 0 ||
            ranks_exit_ns(ranks, member->rank, member->index) + ranks->tie_ns < last_ns)
            return false;
    }
    return true;
}

bool meeting_lets_nobody_go(const struct ranks *ranks, const struct meeting *meeting)
{
    const struct collective *of = &meeting->sample->of;
    if (of->kind != COLLECTIVE_POINT_TO_POINT || meeting->count != 2)
        return collective_is_blocking(of->kind);
    return !of->on_host || nobody_left(ranks, meeting);
}
