/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/population_sorted.h"

#include "base/mem.h"
#include "base/sort.h"

enum { STRIDE = 64 };

struct mark {
    double before[WEIGHTS]; /* weight of the rows before */
};

struct sorted {
    const struct rows *store;
    uint32_t value, count;
    uint32_t *rows;
    struct mark *marks; /* at every STRIDE rows, and behind the last one */
    uint32_t mark_count;
};

/* Doubles that are not negative are ordered as their bits are. */
static struct keyed key_of(uint32_t row, double value)
{
    const double positive = value + 0.0; /* no zero with a sign */
    struct keyed keyed = {.row = row};
    memcpy(&keyed.key, &positive, sizeof positive);
    return keyed;
}

static void sort_rows(struct sorted *sorted, const uint32_t *rows, uint32_t count)
{
    struct keyed *const keys = mem_alloc((size_t)count * sizeof *keys);
    for (uint32_t i = 0; i < count; i++) {
        const double value = rows_figure(sorted->store, rows[i], sorted->value);
        if (isfinite(value))
            keys[sorted->count++] = key_of(rows[i], value);
    }
    sort_keyed(keys, sorted->count);
    sorted->rows = mem_alloc((size_t)sorted->count * sizeof *sorted->rows);
    for (uint32_t i = 0; i < sorted->count; i++)
        sorted->rows[i] = keys[i].row;
    mem_free(keys);
}

static double value_at(const struct sorted *sorted, uint32_t i)
{
    return rows_figure(sorted->store, sorted->rows[i], sorted->value);
}

static double weight_at(const struct sorted *sorted, uint32_t i, enum weight by)
{
    return rows_figure(sorted->store, sorted->rows[i], sorted->store->values + by);
}

static void set_marks(struct sorted *sorted)
{
    double before[WEIGHTS] = {0};
    sorted->mark_count = (sorted->count + STRIDE - 1) / STRIDE;
    sorted->marks = mem_zeroed(((size_t)sorted->mark_count + 1) * sizeof *sorted->marks);
    for (uint32_t i = 0; i < sorted->count; i++) {
        if (i % STRIDE == 0)
            memcpy(sorted->marks[i / STRIDE].before, before, sizeof before);
        for (int by = 0; by < WEIGHTS; by++)
            before[by] += weight_at(sorted, i, (enum weight)by);
    }
    memcpy(sorted->marks[sorted->mark_count].before, before, sizeof before);
}

struct sorted *sorted_new(const struct rows *store, const uint32_t *rows, uint32_t count, uint32_t value)
{
    struct sorted *const sorted = mem_zeroed(sizeof *sorted);
    sorted->store = store;
    sorted->value = value;
    sort_rows(sorted, rows, count);
    set_marks(sorted);
    return sorted;
}

void sorted_free(struct sorted *sorted)
{
    if (!sorted)
        return;
    mem_free(sorted->rows);
    mem_free(sorted->marks);
    mem_free(sorted);
}

static double all_weight(const struct sorted *sorted, enum weight by)
{
    return sorted->marks[sorted->mark_count].before[by];
}

/* The last mark before which less than that weight lies; the first where none does. */
static uint32_t mark_of_weight(const struct sorted *sorted, enum weight by, double wanted)
{
    uint32_t from = 0, to = sorted->mark_count;
    while (from + 1 < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (sorted->marks[middle].before[by] < wanted)
            from = middle;
        else
            to = middle;
    }
    return from;
}

double sorted_quantile(const struct sorted *sorted, enum weight by, double q)
{
    const double wanted = q * all_weight(sorted, by);
    if (!(all_weight(sorted, by) > 0))
        return NAN;
    const uint32_t mark = mark_of_weight(sorted, by, wanted);
    double sum = sorted->marks[mark].before[by], value = NAN;
    for (uint32_t i = mark * STRIDE; i < sorted->count; i++) {
        const double weight = weight_at(sorted, i, by);
        if (!(weight > 0))
            continue;
        sum += weight;
        value = value_at(sorted, i);
        if (sum >= wanted)
            break;
    }
    return value;
}

/* How many rows have a value up to the bound. */
static uint32_t rows_up_to(const struct sorted *sorted, double bound)
{
    uint32_t from = 0, to = sorted->count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (value_at(sorted, middle) <= bound)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

double sorted_above(const struct sorted *sorted, enum weight by, double bound)
{
    const double all = all_weight(sorted, by);
    if (!(all > 0))
        return NAN;
    const uint32_t end = rows_up_to(sorted, bound);
    double up_to = sorted->marks[end / STRIDE].before[by];
    for (uint32_t i = end / STRIDE * STRIDE; i < end; i++)
        up_to += weight_at(sorted, i, by);
    return end == sorted->count ? 0 : (all - up_to) / all;
}
