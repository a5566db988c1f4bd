/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

#include <math.h>

#include "base/mem.h"
#include "base/real.h"
#include "fleet/step/bytes.h"

/* Bits of a double that do not tell its bucket: all of the mantissa but 7. */
enum { SHIFT = 52 - 7, BUCKETS = HISTOGRAM_PAGES * HISTOGRAM_PAGE };

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t lowest(void)
{
    return real_bits(POPULATION_LEAST) >> SHIFT;
}

/* Of a value above POPULATION_LEAST. A border belongs to the bucket below it. */
static uint32_t bucket_of(double value)
{
    return (uint32_t)(((real_bits(fmin(value, POPULATION_MOST)) - 1) >> SHIFT) - lowest());
}

/* The border below a bucket; that above is the one below the next. */
static double border(uint32_t bucket)
{
    return of_bits((lowest() + bucket) << SHIFT);
}

static struct bucket *page_of(struct histogram *histogram, uint32_t page)
{
    if (!histogram->page[page]) {
        histogram->pages = mem_grow(histogram->pages, &histogram->room, histogram->count + 1, sizeof *histogram->pages);
        memset(histogram->pages[histogram->count], 0, sizeof *histogram->pages);
        histogram->page[page] = (uint16_t)++histogram->count;
    }
    return histogram->pages[histogram->page[page] - 1];
}

/* NULL where none of its values was met. */
static const struct bucket *met_page(const struct histogram *histogram, uint32_t page)
{
    return histogram->page[page] ? histogram->pages[histogram->page[page] - 1] : NULL;
}

static void add_to(struct bucket *bucket, const double weight[WEIGHTS])
{
    for (int by = 0; by < WEIGHTS; by++)
        bucket->weight[by] += weight[by];
}

void histogram_free(struct histogram *histogram)
{
    mem_free(histogram->pages);
    *histogram = (struct histogram){0};
}

void histogram_add(struct histogram *histogram, double value, const double weight[WEIGHTS])
{
    if (value <= POPULATION_LEAST) {
        add_to(&histogram->zero, weight);
        return;
    }
    const uint32_t bucket = bucket_of(value);
    add_to(&page_of(histogram, bucket / HISTOGRAM_PAGE)[bucket % HISTOGRAM_PAGE], weight);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    add_to(&into->zero, from->zero.weight);
    for (uint32_t page = 0; page < HISTOGRAM_PAGES; page++) {
        const struct bucket *const met = met_page(from, page);
        if (!met)
            continue;
        struct bucket *const to = page_of(into, page);
        for (int i = 0; i < HISTOGRAM_PAGE; i++)
            add_to(&to[i], met[i].weight);
    }
}

/* ---- what was met, from small to large ---- */

static double page_weight(const struct bucket *page, enum weight by)
{
    double weight = 0;
    for (int i = 0; page && i < HISTOGRAM_PAGE; i++)
        weight += page[i].weight[by];
    return weight;
}

static double all_weight(const struct histogram *histogram, enum weight by)
{
    double weight = histogram->zero.weight[by];
    for (uint32_t page = 0; page < HISTOGRAM_PAGES; page++)
        weight += page_weight(met_page(histogram, page), by);
    return weight;
}

static double middle(uint32_t bucket)
{
    return (border(bucket) + border(bucket + 1)) / 2;
}

/* The largest value that has weight: where rounding of sums left the share q out of reach. */
static double largest(const struct histogram *histogram, enum weight by)
{
    for (uint32_t bucket = BUCKETS; bucket-- > 0;) {
        const struct bucket *const page = met_page(histogram, bucket / HISTOGRAM_PAGE);
        if (page && page[bucket % HISTOGRAM_PAGE].weight[by] > 0)
            return middle(bucket);
    }
    return 0;
}

/* The bucket of a page at which the sum comes to `wanted`; HISTOGRAM_PAGE where it does not. */
static int reached_in(const struct bucket *page, enum weight by, double *sum, double wanted)
{
    int i = 0;
    for (; i < HISTOGRAM_PAGE; i++) {
        *sum += page[i].weight[by];
        if (*sum >= wanted && page[i].weight[by] > 0)
            break;
    }
    return i;
}

double histogram_quantile(const struct histogram *histogram, enum weight by, double q)
{
    const double all = all_weight(histogram, by), wanted = q * all;
    if (!(all > 0))
        return NAN;
    double sum = histogram->zero.weight[by];
    if (sum > 0 && sum >= wanted)
        return 0;
    for (uint32_t page = 0; page < HISTOGRAM_PAGES; page++) {
        const struct bucket *const met = met_page(histogram, page);
        const int at = met ? reached_in(met, by, &sum, wanted) : HISTOGRAM_PAGE;
        if (at < HISTOGRAM_PAGE)
            return middle(page * HISTOGRAM_PAGE + (uint32_t)at);
    }
    return largest(histogram, by);
}

/* The part of a bucket's values that lie above the bound, as if they were spread evenly. */
static double part_above(uint32_t bucket, double bound)
{
    return (border(bucket + 1) - bound) / (border(bucket + 1) - border(bucket));
}

double histogram_above(const struct histogram *histogram, enum weight by, double bound)
{
    const double all = all_weight(histogram, by);
    if (!(all > 0))
        return NAN;
    if (bound < 0)
        return 1;
    if (bound <= POPULATION_LEAST)
        return (all - histogram->zero.weight[by]) / all;
    if (bound >= POPULATION_MOST)
        return 0;
    const uint32_t at = bucket_of(bound), page = at / HISTOGRAM_PAGE;
    const struct bucket *const met = met_page(histogram, page);
    double above = met ? met[at % HISTOGRAM_PAGE].weight[by] * part_above(at, bound) : 0;
    for (uint32_t i = at % HISTOGRAM_PAGE + 1; met && i < HISTOGRAM_PAGE; i++)
        above += met[i].weight[by];
    for (uint32_t i = page + 1; i < HISTOGRAM_PAGES; i++)
        above += page_weight(met_page(histogram, i), by);
    return above / all;
}

/* ---- as bytes ---- */

void histogram_write(const struct histogram *histogram, struct buf *bytes)
{
    bytes_put(bytes, &histogram->zero, sizeof histogram->zero);
    bytes_put(bytes, histogram->page, sizeof histogram->page);
    bytes_put(bytes, histogram->pages, histogram->count * sizeof *histogram->pages);
}

/* Each page that was met lies in one place, and each place holds one. */
static bool count_pages(struct histogram *histogram)
{
    bool taken[HISTOGRAM_PAGES] = {false};
    for (uint32_t page = 0; page < HISTOGRAM_PAGES; page++) {
        const uint16_t at = histogram->page[page];
        if (!at)
            continue;
        if (at > HISTOGRAM_PAGES || taken[at - 1])
            return false;
        taken[at - 1] = true;
        histogram->count++;
    }
    for (size_t i = 0; i < histogram->count; i++)
        if (!taken[i])
            return false;
    return true;
}

static bool weighs(const struct bucket *buckets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int by = 0; by < WEIGHTS; by++)
            if (!(buckets[i].weight[by] >= 0) || isinf(buckets[i].weight[by]))
                return false;
    return true;
}

bool histogram_read(struct histogram *histogram, str *bytes)
{
    struct histogram read = {0};
    if (!bytes_take(bytes, &read.zero, sizeof read.zero) || !bytes_take(bytes, read.page, sizeof read.page) ||
        !weighs(&read.zero, 1) || !count_pages(&read) || bytes->len < read.count * sizeof *read.pages)
        return false;
    read.room = read.count;
    read.pages = mem_alloc(read.count * sizeof *read.pages);
    bytes_take(bytes, read.pages, read.count * sizeof *read.pages);
    *histogram = read;
    return weighs(read.pages ? read.pages[0] : NULL, read.count * HISTOGRAM_PAGE);
}
