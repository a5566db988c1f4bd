/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over picked device work that puts it into groups. Used by kernels.c for every grouping. */
#ifndef BREAKDOWN_KERNELS_GROUP_H
#define BREAKDOWN_KERNELS_GROUP_H

#include "kernels_select.h"
#include "kernels.h"
#include "kernels_peaks.h"
#include "operators_origin.h"
#include "ops/operators/op_costs.h"
#include "ops/rows/work.h"

/* What one operator's cost is divided among. */
struct cost_share {
    uint8_t work, matrix; /* pieces of device work; those that multiply matrices. Saturating at 2 */
};

/* The picked device work and what is known of it. */
struct kernel_work {
    const struct trace *trace;
    const struct work_classes *classes;
    const struct op_costs *costs;
    struct peaks peaks;
    const struct cost_share *shares; /* by row of the operator */
    struct picked picked;
    const uint32_t *rows; /* the picked device work, in order of the file */
    uint32_t count;
    bool counts_only; /* as in struct kernels_asked */
};

struct kernel_groups kernel_groups_of(const struct kernel_work *work, enum kernel_grouping by, struct arena *arena);

/* A kernel that does the arithmetic of a product of matrices. */
bool kernel_is_matrix(const struct work_classes *classes, const struct trace *trace, uint32_t row);

#endif
