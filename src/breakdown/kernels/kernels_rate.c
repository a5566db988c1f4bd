/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_rate.h"

#include "base/sum.h"

void rate_count(struct kernel_rate *rate, int64_t amount, int64_t ns, double peak_per_s)
{
    if (ns <= 0 || amount < 0 || __builtin_add_overflow(rate->amount, amount, &rate->amount))
        return;
    rate->ns += ns;
    if (peak_per_s > 0) {
        rate->peaked += (double)amount;
        rate->most += peak_per_s * (double)ns * 1e-9;
    }
}

void rate_add(struct kernel_rate *rate, const struct kernel_rate *other)
{
    if (__builtin_add_overflow(rate->amount, other->amount, &rate->amount))
        return;
    sum_to(&rate->ns, other->ns);
    rate->peaked += other->peaked;
    rate->most += other->most;
}

void mean_add(struct kernel_mean *mean, const struct kernel_mean *other)
{
    mean->sum += other->sum;
    sum_to(&mean->ns, other->ns);
}

struct cell mean_cell(const struct kernel_mean *mean)
{
    return cell_ratio(mean->sum, (double)mean->ns);
}

static struct cell amount(const struct kernel_rate *rate)
{
    return rate->ns > 0 ? cell_int(rate->amount) : cell_null();
}

void rate_cells(struct table *table, const struct kernel_rate *flops, const struct kernel_rate *bytes)
{
    table_cell(table, cell_ratio(flops->peaked, flops->most));
    table_cell(table, cell_ratio(bytes->peaked, bytes->most));
    table_cell(table, cell_ratio((double)flops->amount, (double)flops->ns * 1e-9));
    table_cell(table, cell_ratio((double)bytes->amount, (double)bytes->ns * 1e-9));
    table_cell(table, amount(flops));
    table_cell(table, amount(bytes));
}

void device_show(struct section *section, struct arena *arena, str device, str closest)
{
    if (!closest.len)
        return;
    section_text(section, str_printf(arena, "The peaks of '%.*s' are not known; %.*s. --device NAME says which to use.",
                                     (int)device.len, device.at, (int)closest.len, closest.at));
}
