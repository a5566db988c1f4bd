/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/sum.h"
#include "holdup.h"
#include "stretches.h"

bool holdup_alike(const struct holdup *a, const struct holdup *b)
{
    const bool named = a->is_long || a->cause == CAUSE_DEVICE;
    if (a->cause != b->cause || a->is_long != b->is_long || (named && !str_eq(a->what, b->what)))
        return false;
    return !a->is_long || a->what.len || magnitude(a->longest_ns) == magnitude(b->longest_ns);
}

static void join(struct holdup *sum, const struct holdup *more)
{
    const struct holdup words = more->longest_ns > sum->longest_ns ? *more : *sum;
    struct holdup joined = words;
    joined.times = sum->times + more->times;
    joined.steps = sum->steps + more->steps;
    joined.time_ns = sum_add(sum->time_ns, more->time_ns);
    joined.saved_ns = sum_add(sum->saved_ns, more->saved_ns);
    *sum = joined;
}

/* Operators, launches and Python in short pieces: the work itself. */
static bool is_ordinary(const struct holdup *holdup)
{
    return !holdup->is_long && holdup->cause >= CAUSE_GRAPH && holdup->cause <= CAUSE_PYTHON;
}

int holdup_order(const void *a, const void *b)
{
    const struct holdup *x = a, *y = b;
    if (is_ordinary(x) != is_ordinary(y))
        return is_ordinary(x) ? 1 : -1;
    if (x->saved_ns != y->saved_ns)
        return x->saved_ns < y->saved_ns ? 1 : -1;
    return (x->time_ns < y->time_ns) - (x->time_ns > y->time_ns);
}

struct holdups holdups_together(const struct holdups *const *ranks, uint32_t count, struct arena *arena)
{
    size_t all = 0;
    for (uint32_t r = 0; r < count; r++)
        all += ranks[r]->count;
    struct holdups out = {.at = arena_array(arena, all, sizeof *out.at)};
    for (uint32_t r = 0; r < count; r++) {
        out.steps += ranks[r]->steps;
        sum_to(&out.step_ns, ranks[r]->step_ns);
        for (uint32_t i = 0; i < ranks[r]->count; i++) {
            const struct holdup *more = &ranks[r]->at[i];
            uint32_t at = 0;
            while (at < out.count && !holdup_alike(&out.at[at], more))
                at++;
            if (at == out.count)
                out.at[out.count++] = *more;
            else
                join(&out.at[at], more);
        }
    }
    if (out.count)
        qsort(out.at, out.count, sizeof *out.at, holdup_order);
    out.count = out.count < HOLDUPS_MOST ? out.count : HOLDUPS_MOST;
    return out;
}
