/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortest paths over the bounds. With T the moment at which an event lets all go,
 *
 *     entry of r - offset of r <= T <= end of q - offset of q
 *
 * so an upper bound of an offset gives a lower bound of T by its entry, and that an
 * upper bound of the other offsets by their ends; lower bounds go the other way.
 */
#include "clocks_bounds.h"

enum { ROUNDS = 32 }; /* bounds that have not settled by then are true, and could only be narrower */

/* Stays unknown where one is. */
static int64_t minus(int64_t a, int64_t b)
{
    return b == INT64_MAX ? INT64_MIN : b == INT64_MIN ? INT64_MAX : a - b;
}

struct bounding {
    const struct clock_reading *readings;
    size_t count;
    struct clock_bounds *bounds;
};

static size_t event_end(const struct bounding *b, size_t first)
{
    size_t end = first;
    while (end < b->count && b->readings[end].event == b->readings[first].event)
        end++;
    return end;
}

static bool narrow_event(const struct bounding *b, size_t first, size_t end)
{
    int64_t from = INT64_MIN, until = INT64_MAX; /* of T */
    bool changed = false;
    for (size_t i = first; i < end; i++) {
        const struct clock_reading *r = &b->readings[i];
        const struct clock_bounds *of = &b->bounds[r->clock];
        const int64_t low = r->entry_ns == INT64_MIN ? INT64_MIN : minus(r->entry_ns, of->high_ns);
        const int64_t high = minus(r->time_ns, of->low_ns);
        from = low > from ? low : from;
        until = high < until ? high : until;
    }
    for (size_t i = first; i < end; i++) {
        const struct clock_reading *r = &b->readings[i];
        struct clock_bounds *of = &b->bounds[r->clock];
        const int64_t high = from == INT64_MIN ? INT64_MAX : r->time_ns - from;
        const int64_t low = until == INT64_MAX || r->entry_ns == INT64_MIN ? INT64_MIN : r->entry_ns - until;
        changed |= high < of->high_ns || low > of->low_ns;
        of->high_ns = high < of->high_ns ? high : of->high_ns;
        of->low_ns = low > of->low_ns ? low : of->low_ns;
    }
    return changed;
}

struct clock_bounds *clocks_bounds(const struct clock_reading *readings, size_t count, uint32_t clocks,
                                   const uint32_t *reference, struct arena *arena)
{
    struct bounding b = {readings, count, arena_array(arena, clocks, sizeof *b.bounds)};
    for (uint32_t clock = 0; clock < clocks; clock++)
        b.bounds[clock] =
            reference[clock] == clock ? (struct clock_bounds){0, 0} : (struct clock_bounds){INT64_MIN, INT64_MAX};
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (size_t first = 0, end; first < count; first = end) {
            end = event_end(&b, first);
            changed |= narrow_event(&b, first, end);
        }
    }
    return b.bounds;
}
