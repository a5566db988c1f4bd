/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic and the memory traffic of one operator call, from its recorded
 * shapes and types. Conventions:
 *
 *   flops   a multiplication and an addition are two; products of matrices count
 *           2 m n k, without the addition of a bias
 *   bytes   the least traffic that the operation needs: every input read once,
 *           every output written once
 *
 * What does not follow from the recording is -1, never 0. The formulas, with
 * their sources, are the table of flops.c.
 */
#ifndef OPS_FLOPS_H
#define OPS_FLOPS_H

#include "dtype.h"
#include "family.h"
#include "shape.h"
#include "trace/trace.h"

struct op_cost {
    int64_t flops, bytes; /* -1: unknown */
    enum dtype dtype;     /* of the operands of the arithmetic */
    bool matrix;          /* done by matrix units: the peak of their precision applies */
};

/* The arguments of a call; texts that the trace lacks are "". */
struct op_arguments {
    str dims, types, values, strides; /* Input Dims, Input type, Concrete Inputs, Input Strides */
};

/* Whether the table has a formula for the name at all. */
bool op_has_cost(str name);

/* Both figures are -1 where there is no formula or its arguments were not recorded. */
struct op_cost op_cost_of(str name, const struct op_arguments *arguments);

/* Every formula, for the manual and the tests: pattern of the names, formula and source in words. */
struct op_formula {
    str names, flops, bytes, source;
};
uint32_t op_formula_count(void);
struct op_formula op_formula_at(uint32_t i);

#endif
