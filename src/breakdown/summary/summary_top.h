/* SPDX-License-Identifier: Apache-2.0 */
/* The operators and kernels that take most, a few of each. */
#ifndef BREAKDOWN_SUMMARY_TOP_H
#define BREAKDOWN_SUMMARY_TOP_H

#include "summary.h"

struct operators;
struct kernels;

/* Without the single durations. Texts are copied into the arena. */
struct tops tops_of_operators(const struct operators *operators, struct arena *arena);
struct tops tops_of_kernels(const struct kernels *kernels, struct arena *arena);

/* Tables `top_operators` and `top_kernels`; times are those of a mean step. By the host's time where no device is. */
void summary_top_show(const struct summary *const *ranks, uint32_t count, uint32_t steps, bool device,
                      struct report *report);

#endif
