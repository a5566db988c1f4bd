/* SPDX-License-Identifier: Apache-2.0 */
#include "times_code.h"

#include "base/sum.h"

enum { GRAIN_NS = 1000 };

/* Told by the durations, since beginnings have what is odd of the trace's. */
int64_t times_grain(const struct rank_numbers *numbers)
{
    uint32_t odd = 0;
    if (numbers->rounding.grain_ns)
        return numbers->rounding.grain_ns;
    for (uint32_t i = 0; i < numbers->collective_count; i++)
        odd += numbers->collectives[i].of.dur_ns >= 0 && numbers->collectives[i].of.dur_ns % GRAIN_NS != 0;
    return odd > numbers->collective_count / 16 ? 1 : GRAIN_NS;
}

enum rank_time times_largest(const struct rank_numbers *numbers)
{
    int64_t sums[RANK_TIMES] = {0};
    enum rank_time largest = TIME_HOST;
    for (uint32_t i = 0; i < numbers->collective_count; i++) {
        const struct rank_before before = rank_before(&numbers->befores, i);
        for (int time = 0; time < RANK_TIMES; time++)
            sum_to(&sums[time], before.ns[SINCE_COLLECTIVE][time]);
    }
    for (int time = 0; time < RANK_TIMES; time++)
        largest = sums[time] > sums[largest] ? (enum rank_time)time : largest;
    return largest;
}

static int64_t whole_of(int64_t value, int64_t unit)
{
    return value / unit - (value % unit < 0);
}

void times_code(const struct times_code *t, uint32_t column, int64_t *value, int64_t expected,
                struct code_bounds within)
{
    int64_t whole = whole_of(*value, t->unit), odd = *value - whole * t->unit;
    code_noise(t->code, column, &whole, whole_of(expected, t->unit),
               (struct code_bounds){whole_of(within.least, t->unit), whole_of(within.most, t->unit)});
    if (t->unit > 1)
        code_noise(t->code, t->odd, &odd, 0, (struct code_bounds){0, t->unit - 1});
    code_within(t->code, value, whole * t->unit + (t->unit > 1 ? odd : 0), within);
}
