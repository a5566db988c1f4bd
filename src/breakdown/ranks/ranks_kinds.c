/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_kinds.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/sort.h"
#include "base/stat.h"
#include "base/sum.h"

static double bandwidth(int64_t bytes, double ns)
{
    return bytes > 0 && ns > 0 ? (double)bytes / (ns / 1e9) : NAN;
}

double meeting_algorithm_bandwidth(const struct meeting *meeting)
{
    return bandwidth(meeting->bytes, (double)meeting->transfer_ns);
}

double meeting_bus_bandwidth(const struct meeting *meeting)
{
    return meeting_algorithm_bandwidth(meeting) * collective_bus_factor(meeting->sample->of.kind, meeting->ranks);
}

static int64_t kind_key(const struct meeting *meeting)
{
    const struct collective *of = &meeting->sample->of;
    const uint64_t hash = hash_mix((uint64_t)meeting->bytes) ^ hash_mix((uint64_t)meeting->ranks + 1);
    return (int64_t)hash_mix(hash + of->kind * 2u + of->on_host);
}

static struct keyed *by_kind(const struct ranks *ranks, struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, ranks->meeting_count, sizeof *order);
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        order[i] = (struct keyed){kind_key(&ranks->meetings[i]), i};
    sort_keyed(order, ranks->meeting_count);
    return order;
}

static struct meeting_kind sum_up(const struct ranks *ranks, const struct keyed *order, uint32_t count,
                                  int64_t *transfers)
{
    const struct meeting *first = &ranks->meetings[order[0].row];
    struct meeting_kind kind = {.kind = first->sample->of.kind,
                                .on_host = first->sample->of.on_host,
                                .ranks = first->ranks,
                                .bytes = first->bytes,
                                .count = count};
    for (uint32_t i = 0; i < count; i++) {
        const struct meeting *meeting = &ranks->meetings[order[i].row];
        sum_to(&kind.skew_ns, meeting->skew_ns);
        if (meeting->transfer_ns >= 0)
            transfers[kind.timed++] = meeting->transfer_ns;
    }
    const struct stat_summary summary = stat_summarise(transfers, kind.timed);
    kind.transfer_ns = summary.sum;
    kind.transfer_p50_ns = summary.p50;
    kind.algorithm_bandwidth = bandwidth(kind.bytes, kind.transfer_p50_ns);
    kind.bus_bandwidth = kind.algorithm_bandwidth * collective_bus_factor(kind.kind, kind.ranks);
    return kind;
}

static int by_time(const void *a, const void *b)
{
    const struct meeting_kind *x = a, *y = b;
    const int64_t p = x->transfer_ns + x->skew_ns, q = y->transfer_ns + y->skew_ns;
    return (p < q) - (p > q);
}

void meeting_kinds(struct ranks *ranks, struct arena *arena)
{
    struct arena scratch = {0};
    const struct keyed *order = by_kind(ranks, &scratch);
    int64_t *transfers = arena_array(&scratch, ranks->meeting_count, sizeof *transfers);
    ranks->kinds = arena_array(arena, ranks->meeting_count, sizeof *ranks->kinds);
    for (uint32_t first = 0, next; first < ranks->meeting_count; first = next) {
        for (next = first; next < ranks->meeting_count && order[next].key == order[first].key;)
            next++;
        ranks->kinds[ranks->kind_count++] = sum_up(ranks, order + first, next - first, transfers);
    }
    qsort(ranks->kinds, ranks->kind_count, sizeof *ranks->kinds, by_time);
    arena_free(&scratch);
}
