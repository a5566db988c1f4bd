/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubles that are not negative are ordered as their bits are, so that the upper
 * bits are a bucket, about even in the logarithm. How many of them is chosen by
 * the least and the most bits and the number of rows; 0 is a bucket of its own.
 */
#include "population_sorted.h"

#include "base/mem.h"
#include "base/real.h"
#include "base/sort.h"

enum { ROWS_A_BUCKET = 64, BUCKET_NONE = UINT32_MAX, STRIPE = 1024 };

enum order { ORDER_NONE, ORDER_ASCENDING, ORDER_ALIKE }; /* alike: they have one value */

struct sorted {
    const struct rows *store;
    uint32_t value;
    uint32_t *rows; /* by bucket */
    uint64_t least; /* bits of the least value above 0 */
    unsigned shift; /* bits that do not tell the bucket */
    uint32_t buckets;
    uint32_t *first;           /* of each bucket in rows; buckets + 1 */
    double (*before)[WEIGHTS]; /* weight of the rows before a bucket; buckets + 1 */
    enum order *order;         /* of the rows of a bucket */
};

/* The rows to be taken. */
struct taken {
    const uint32_t *rows;
    uint32_t count;
};

static uint32_t row_of(const struct taken *taken, uint32_t i)
{
    return taken->rows ? taken->rows[i] : i;
}

static double value_of(const struct sorted *sorted, uint32_t row)
{
    return rows_figure(sorted->store, row, sorted->value);
}

static double weight_of(const struct sorted *sorted, uint32_t row, enum weight by)
{
    return rows_figure(sorted->store, row, sorted->store->values + by);
}

/* sorted->buckets of what is larger than all values; a value above 0 must not be less than the least. */
static uint32_t bucket_of(const struct sorted *sorted, double value)
{
    if (!(value > 0))
        return 0;
    const uint64_t above = (real_bits(value) - sorted->least) >> sorted->shift;
    return above < sorted->buckets ? 1 + (uint32_t)above : sorted->buckets;
}

/* A column of the taken rows from `first` on, at most STRIPE of them: so many. */
static uint32_t take_stripe(const struct sorted *sorted, const struct taken *taken, uint32_t first, uint32_t column,
                            double *figures)
{
    const uint32_t left = taken->count - first, count = left < STRIPE ? left : STRIPE;
    rows_take(sorted->store, taken->rows ? taken->rows + first : NULL, first, count, column, figures);
    return count;
}

/* Of the values. */
struct reach {
    uint64_t least, most; /* bits of those above 0 */
    uint32_t count;
};

static void widen(struct reach *reach, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        reach->count += !isnan(values[i]);
        if (!(values[i] > 0))
            continue;
        const uint64_t bits = real_bits(values[i]);
        reach->least = bits < reach->least ? bits : reach->least;
        reach->most = bits > reach->most ? bits : reach->most;
    }
}

/* Sets how values become buckets; gives the number of rows that have one. */
static uint32_t choose_buckets(struct sorted *sorted, const struct taken *taken)
{
    struct reach reach = {UINT64_MAX, 0, 0};
    double values[STRIPE];
    for (uint32_t done = 0, part; done < taken->count; done += part) {
        part = take_stripe(sorted, taken, done, sorted->value, values);
        widen(&reach, values, part);
    }
    sorted->least = reach.least < reach.most ? reach.least : reach.most;
    while ((reach.most - sorted->least) >> sorted->shift > reach.count / ROWS_A_BUCKET)
        sorted->shift++;
    sorted->buckets = 2 + (uint32_t)((reach.most - sorted->least) >> sorted->shift);
    return reach.count;
}

/* Adds a stripe to the numbers and weights of the rows of each bucket. */
static void add_stripe(struct sorted *sorted, const double *values, double (*weights)[STRIPE], uint32_t count,
                       uint32_t *buckets)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bucket = buckets[i] = isnan(values[i]) ? BUCKET_NONE : bucket_of(sorted, values[i]);
        if (bucket == BUCKET_NONE)
            continue;
        sorted->first[bucket + 1]++;
        for (int by = 0; by < WEIGHTS; by++)
            sorted->before[bucket + 1][by] += weights[by][i];
    }
}

/* The bucket of each row; numbers and weights of the rows of each bucket, summed up over those before. */
static void sum_buckets(struct sorted *sorted, const struct taken *taken, uint32_t *buckets)
{
    double values[STRIPE], weights[WEIGHTS][STRIPE];
    for (uint32_t done = 0, part; done < taken->count; done += part) {
        part = take_stripe(sorted, taken, done, sorted->value, values);
        for (uint32_t by = 0; by < WEIGHTS; by++)
            take_stripe(sorted, taken, done, sorted->store->values + by, weights[by]);
        add_stripe(sorted, values, weights, part, buckets + done);
    }
    for (uint32_t bucket = 0; bucket < sorted->buckets; bucket++) {
        sorted->first[bucket + 1] += sorted->first[bucket];
        for (int by = 0; by < WEIGHTS; by++)
            sorted->before[bucket + 1][by] += sorted->before[bucket][by];
    }
}

static void place_rows(struct sorted *sorted, const struct taken *taken, const uint32_t *buckets)
{
    uint32_t *const next = mem_alloc(sorted->buckets * sizeof *next);
    memcpy(next, sorted->first, sorted->buckets * sizeof *next);
    for (uint32_t i = 0; i < taken->count; i++)
        if (buckets[i] != BUCKET_NONE)
            sorted->rows[next[buckets[i]]++] = row_of(taken, i);
    mem_free(next);
}

struct sorted *sorted_new(const struct rows *store, const uint32_t *rows, uint32_t count, uint32_t value)
{
    struct sorted *const sorted = mem_zeroed(sizeof *sorted);
    const struct taken taken = {rows, count};
    sorted->store = store;
    sorted->value = value;
    sorted->rows = mem_alloc(choose_buckets(sorted, &taken) * sizeof *sorted->rows);
    sorted->first = mem_zeroed(((size_t)sorted->buckets + 1) * sizeof *sorted->first);
    sorted->before = mem_zeroed(((size_t)sorted->buckets + 1) * sizeof *sorted->before);
    sorted->order = mem_zeroed(sorted->buckets * sizeof *sorted->order);
    uint32_t *const buckets = mem_alloc(count * sizeof *buckets);
    sum_buckets(sorted, &taken, buckets);
    place_rows(sorted, &taken, buckets);
    mem_free(buckets);
    return sorted;
}

void sorted_free(struct sorted *sorted)
{
    if (!sorted)
        return;
    mem_free(sorted->rows);
    mem_free(sorted->first);
    mem_free(sorted->before);
    mem_free(sorted->order);
    mem_free(sorted);
}

/* Puts the rows of a bucket in order, once. */
static enum order put_in_order(struct sorted *sorted, uint32_t bucket)
{
    if (sorted->order[bucket] != ORDER_NONE)
        return sorted->order[bucket];
    uint32_t *const rows = sorted->rows + sorted->first[bucket];
    const uint32_t count = sorted->first[bucket + 1] - sorted->first[bucket];
    struct keyed *const keys = mem_alloc(count * sizeof *keys);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct keyed){(int64_t)real_bits(value_of(sorted, rows[i]) + 0.0), rows[i]}; /* no -0 */
    sort_keyed(keys, count);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = keys[i].row;
    sorted->order[bucket] = count && keys[0].key == keys[count - 1].key ? ORDER_ALIKE : ORDER_ASCENDING;
    mem_free(keys);
    return sorted->order[bucket];
}

static double all_weight(const struct sorted *sorted, enum weight by)
{
    return sorted->before[sorted->buckets][by];
}

/* The last bucket that has weight and before which less than that lies; of those that have weight the first otherwise. */
static uint32_t bucket_of_weight(const struct sorted *sorted, enum weight by, double wanted)
{
    uint32_t from = 0, to = sorted->buckets;
    while (from + 1 < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (sorted->before[middle][by] < wanted)
            from = middle;
        else
            to = middle;
    }
    while (from && !(sorted->before[from + 1][by] > sorted->before[from][by]))
        from--;
    while (!(sorted->before[from + 1][by] > sorted->before[from][by]))
        from++;
    return from;
}

double sorted_quantile(struct sorted *sorted, enum weight by, double q)
{
    if (!(all_weight(sorted, by) > 0))
        return NAN;
    const double wanted = q * all_weight(sorted, by);
    const uint32_t bucket = bucket_of_weight(sorted, by, wanted);
    double sum = sorted->before[bucket][by], value = NAN;
    if (put_in_order(sorted, bucket) == ORDER_ALIKE)
        return value_of(sorted, sorted->rows[sorted->first[bucket]]);
    for (uint32_t i = sorted->first[bucket]; i < sorted->first[bucket + 1]; i++) {
        const double weight = weight_of(sorted, sorted->rows[i], by);
        if (!(weight > 0))
            continue;
        sum += weight;
        value = value_of(sorted, sorted->rows[i]);
        if (sum >= wanted)
            break;
    }
    return value;
}

double sorted_above(struct sorted *sorted, enum weight by, double bound)
{
    const double all = all_weight(sorted, by);
    if (!(all > 0))
        return NAN;
    if (bound < 0)
        return 1;
    if (bound > 0 && real_bits(bound) < sorted->least)
        return (all - sorted->before[1][by]) / all;
    const uint32_t bucket = bucket_of(sorted, bound);
    if (bucket >= sorted->buckets)
        return 0;
    double above = all - sorted->before[bucket + 1][by];
    for (uint32_t i = sorted->first[bucket]; i < sorted->first[bucket + 1]; i++)
        if (value_of(sorted, sorted->rows[i]) > bound)
            above += weight_of(sorted, sorted->rows[i], by);
    return above / all;
}
