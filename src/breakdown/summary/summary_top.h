/* SPDX-License-Identifier: Apache-2.0 */
/* The operators and kernels that take most, a few of each. */
#ifndef BREAKDOWN_SUMMARY_TOP_H
#define BREAKDOWN_SUMMARY_TOP_H

#include "base/intern.h"
#include "summary.h"

struct operators;
struct kernels;

/* Without the single durations. Texts are copied into the arena. */
struct tops tops_of_operators(const struct operators *operators, struct arena *arena);
struct tops tops_of_kernels(const struct kernels *kernels, struct arena *arena);

/* Those of all ranks, added one by one; names outlive them. */
struct top_sums {
    struct intern *names;
    struct sum *at; /* by name */
    size_t room;
    int64_t device_ns, host_ns; /* what shares are of */
};

struct tops_adding {
    struct top_sums operators, kernels;
};

struct tops_adding tops_open(void);
void tops_add(struct tops_adding *adding, const struct tops *operators, const struct tops *kernels);

/*
 * Tables `top_operators` and `top_kernels`; times are those of a mean step. By the host's time where no device is. Ends
 * the adding.
 */
void tops_show(struct tops_adding *adding, uint32_t steps, bool device, struct report *report);

#endif
