/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in the making, for the files that make it. */
#ifndef PREDICT_PLAN_PRIVATE_H
#define PREDICT_PLAN_PRIVATE_H

#include "predict/plan.h"

struct planning {
    const struct program *program;
    const struct plan_options *options;
    const struct overheads *overheads;
    struct arena *arena;
    struct plan *plan;
    uint32_t *launch_of; /* by launch of the program: that of the plan */
};

/* The mean of the name, else of the kind, else the built-in one. */
double planned_us(const struct planning *p, enum overhead_kind kind, str name);

#endif
