/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of kernels and operators: adding them up, showing them. */
#ifndef BREAKDOWN_KERNELS_RATE_H
#define BREAKDOWN_KERNELS_RATE_H

#include "kernels.h"

/* `amount` done in `ns`, by something that could do peak_per_s (0: not known). Nothing where either is unknown. */
void rate_count(struct kernel_rate *rate, int64_t amount, int64_t ns, double peak_per_s);

void rate_add(struct kernel_rate *rate, const struct kernel_rate *other);
void mean_add(struct kernel_mean *mean, const struct kernel_mean *other);

struct cell mean_cell(const struct kernel_mean *mean);

/* Six cells: shares of the peaks, amounts a second, amounts; null where there is none. */
void rate_cells(struct table *table, const struct kernel_rate *flops, const struct kernel_rate *bytes);

/* Says under the section's title where the peaks of the device are not known, and what to do. */
void device_show(struct section *section, struct arena *arena, str device, str closest);

#endif
