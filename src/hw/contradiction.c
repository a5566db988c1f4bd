/* SPDX-License-Identifier: Apache-2.0 */
#include "contradiction.h"

/* The first is at least this share of the second, on whatever was built. */
static const struct {
    enum hw_key more, less;
    double share;
} orders[] = {
    {HW_L2_RATE, HW_MEMORY_RATE, 1}, {HW_FP8, HW_FP16, 0.9}, {HW_FP8, HW_BF16, 0.9},
    {HW_FP16, HW_TF32, 0.9},         {HW_FP4, HW_FP8, 0.9},  {HW_MEMORY_RATE, HW_HOST_LINK, 1},
};
enum { ORDERS = sizeof orders / sizeof *orders };

/* Lanes that multiply and add in every cycle; some do two of these at once, and clocks may be a little above. */
static const double most_of_lanes = 2 * 2 * 1.3;

static bool beyond_lanes(const double *figure)
{
    const double lanes = figure[HW_SMS] * figure[HW_LANES_PER_SM] * figure[HW_CLOCK];
    return lanes > 0 && figure[HW_FP32] > most_of_lanes * lanes;
}

str hardware_contradiction(const struct hardware *hardware, struct arena *arena, uint32_t *count)
{
    const double *figure = hardware->figure;
    str first = S("");
    *count = 0;
    for (int i = 0; i < ORDERS; i++) {
        const double more = figure[orders[i].more], less = figure[orders[i].less];
        if (more <= 0 || less <= 0 || more >= orders[i].share * less)
            continue;
        const str a = hw_key_word(orders[i].more), b = hw_key_word(orders[i].less);
        if (!(*count)++)
            first = str_printf(arena, "%.*s is below %.*s", (int)a.len, a.at, (int)b.len, b.at);
    }
    if (beyond_lanes(figure) && !(*count)++)
        first = S("fp32 is more than its lanes can do at its clock");
    return first;
}
