/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a population: refused, or one that answers every question, merges, and is the same again as bytes. */
#include "fleet/population/population.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask(struct population *population, uint32_t group, uint32_t value)
{
    for (int by = 0; by < WEIGHTS; by++) {
        const double low = population_quantile(population, group, value, (enum weight)by, 0.1);
        const double high = population_quantile(population, group, value, (enum weight)by, 0.9);
        assert((isnan(low) && isnan(high)) || low <= high);
        const double above = population_above(population, group, value, (enum weight)by, 1);
        assert(isnan(above) || (above >= -1e-9 && above <= 1 + 1e-9));
        population_mean(population, group, value, (enum weight)by);
    }
}

static void ask_all(struct population *population, uint32_t values)
{
    const uint32_t groups = population_group_count(population);
    for (uint32_t group = 0; group <= groups; group++)
        for (uint32_t value = 0; value < values; value++)
            ask(population, group == groups ? POPULATION_ALL : group, value);
}

static uint64_t count_all(const struct population *population, uint32_t values)
{
    uint64_t count = 0;
    for (uint32_t value = 0; value < values; value++)
        count += population_count(population, POPULATION_ALL, value);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { MOST_VALUES = 16 };
    str rest = {(const char *)bytes, size};
    struct population *population = population_read(&rest);
    uint32_t values;
    if (!population)
        return 0;
    memcpy(&values, bytes + sizeof values, sizeof values);
    if (values <= MOST_VALUES) {
        struct population *whole = population_new(values);
        struct buf written = {0};
        ask_all(population, values);
        population_merge(whole, population);
        assert(count_all(whole, values) == count_all(population, values));
        population_write(whole, &written);
        rest = buf_str(&written);
        struct population *again = population_read(&rest);
        assert(again && !rest.len && count_all(again, values) == count_all(population, values));
        population_free(again);
        population_free(whole);
        buf_free(&written);
    }
    population_free(population);
    return 0;
}
