/* SPDX-License-Identifier: Apache-2.0 */
#include "permutation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static double exchanges(uint32_t a, uint32_t b)
{
    double ways = 1;
    for (uint32_t i = 1; i <= a; i++)
        ways *= (double)(b + i) / i;
    return floor(ways + 0.5);
}

double permutation_least(uint32_t a, uint32_t b)
{
    const double ways = exchanges(a, b);
    if (!a || !b)
        return 1;
    if (ways > PERMUTATION_EXACT)
        return 1.0 / (PERMUTATION_DRAWS + 1);
    return a == b ? 2 / ways : 1 / ways;
}

/* The values of both sides, and which of them stand for a. */
struct exchange {
    double *values, *picked, *rest;
    uint32_t *chosen; /* indices of values, ascending */
    uint32_t a, all;
};

static double mean(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static void divide(struct exchange *e)
{
    uint32_t next = 0, picked = 0, rest = 0;
    for (uint32_t i = 0; i < e->all; i++)
        if (next < e->a && e->chosen[next] == i) {
            e->picked[picked++] = e->values[i];
            next++;
        } else {
            e->rest[rest++] = e->values[i];
        }
}

static double apart(struct exchange *e)
{
    const uint32_t b = e->all - e->a;
    divide(e);
    return fabs(mean(e->picked, e->a) - mean(e->rest, b));
}

/* The next choice in lexical order; false behind the last. */
static bool next_choice(struct exchange *e)
{
    uint32_t i = e->a;
    while (i && e->chosen[i - 1] == e->all - e->a + i - 1)
        i--;
    if (!i)
        return false;
    e->chosen[i - 1]++;
    for (; i < e->a; i++)
        e->chosen[i] = e->chosen[i - 1] + 1;
    return true;
}

/* xorshift64*, Vigna 2016. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* Floyd's choice of `a` of `all` indices, as a mask; then in order. */
static void draw_choice(struct exchange *e, bool *mask, uint64_t *state)
{
    memset(mask, 0, e->all * sizeof *mask);
    for (uint32_t i = e->all - e->a; i < e->all; i++) {
        const uint32_t at = (uint32_t)(draw(state) % (i + 1));
        mask[mask[at] ? i : at] = true;
    }
    for (uint32_t i = 0, n = 0; i < e->all; i++)
        if (mask[i])
            e->chosen[n++] = i;
}

static double share_as_far(struct exchange *e, struct arena *scratch)
{
    /* sums in another order differ in their last bits */
    const double recorded = apart(e) * (1 - 1e-12);
    uint64_t state = UINT64_C(88172645463325252), far = 0, ways = 0;
    if (exchanges(e->a, e->all - e->a) <= PERMUTATION_EXACT) {
        do {
            far += apart(e) >= recorded;
            ways++;
        } while (next_choice(e));
        return (double)far / (double)ways;
    }
    bool *mask = arena_array(scratch, e->all, sizeof *mask);
    for (; ways < PERMUTATION_DRAWS; ways++) {
        draw_choice(e, mask, &state);
        far += apart(e) >= recorded;
    }
    return (double)(far + 1) / (PERMUTATION_DRAWS + 1);
}

static int by_value(const void *a, const void *b)
{
    const double x = **(const double *const *)a, y = **(const double *const *)b;
    return (x > y) - (x < y);
}

/* Values become their ranks among all; equal ones share the mean of theirs. */
static void rank(double *values, uint32_t count, struct arena *scratch)
{
    double **order = arena_array(scratch, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = &values[i];
    qsort(order, count, sizeof *order, by_value);
    for (uint32_t i = 0, end; i < count; i = end) {
        const double value = *order[i];
        for (end = i + 1; end < count && *order[end] <= value; end++) {
        }
        for (uint32_t k = i; k < end; k++)
            *order[k] = (i + 1 + end) / 2.0;
    }
}

double permutation_p(const double *a, uint32_t a_count, const double *b, uint32_t b_count, enum permutation_by by)
{
    if (!permutation_can_tell(a_count, b_count))
        return NAN;
    struct arena scratch = {0};
    struct exchange e = {.a = a_count, .all = a_count + b_count};
    e.values = arena_array(&scratch, e.all, sizeof *e.values);
    e.picked = arena_array(&scratch, e.all, sizeof *e.picked);
    e.rest = arena_array(&scratch, e.all, sizeof *e.rest);
    e.chosen = arena_array(&scratch, e.all, sizeof *e.chosen);
    memcpy(e.values, a, a_count * sizeof *a);
    memcpy(e.values + a_count, b, b_count * sizeof *b);
    if (by == PERMUTE_RANK)
        rank(e.values, e.all, &scratch);
    for (uint32_t i = 0; i < a_count; i++)
        e.chosen[i] = i;
    const double p = share_as_far(&e, &scratch);
    arena_free(&scratch);
    return p;
}

/* The smallest p that is not corrected yet; count: none. */
static uint32_t smallest(const double *p, const bool *done, uint32_t count)
{
    uint32_t at = count;
    for (uint32_t i = 0; i < count; i++)
        if (!done[i] && !isnan(p[i]) && (at == count || p[i] < p[at]))
            at = i;
    return at;
}

void permutation_correct(double *p, uint32_t count)
{
    struct arena scratch = {0};
    bool *done = arena_array(&scratch, count, sizeof *done);
    uint32_t left = 0;
    double before = 0;
    for (uint32_t i = 0; i < count; i++)
        left += !isnan(p[i]);
    for (; left; left--) {
        const uint32_t at = smallest(p, done, count);
        const double corrected = fmin(1, fmax(before, p[at] * left));
        done[at] = true;
        p[at] = before = corrected;
    }
    arena_free(&scratch);
}
