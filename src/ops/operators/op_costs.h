/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The costs of all operators of a trace, each counted once. Operators nest:
 * aten::linear calls aten::addmm, and both have a formula. A cost counts at the
 * innermost operator that has one:
 *
 *   a product of matrices counts where no product inside it has a cost,
 *   any other operator where nothing inside it has one,
 *
 * and where the trace has device work only if the operator caused some, so that
 * tensors of the host do not count. Sums over the rows that count are the
 * arithmetic of a step.
 */
#ifndef OPS_OP_COSTS_H
#define OPS_OP_COSTS_H

#include "operators.h"
#include "trace/trace.h"

struct op_costs;

/* One look at the formulas for each distinct name, shapes, types and values. Lives in the arena. */
const struct op_costs *op_costs_new(const struct trace *trace, struct arena *arena);

/* Of an operator row, whether it counts or not. Arithmetic that has no formula is as the profiler counted it. */
struct op_cost op_costs_at(const struct op_costs *costs, uint32_t row);

bool op_costs_counts(const struct op_costs *costs, uint32_t row);

/* The operator that counts for this host row: itself or the innermost around it; of a device row, for its cause. ROW_NONE. */
uint32_t op_costs_owner(const struct op_costs *costs, uint32_t row);

#endif
