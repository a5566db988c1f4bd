/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rules say of the rows of a trace. Several analyses of one trace share
 * them; an analysis reads only those that its own comment names, others may be NULL.
 */
#ifndef OPS_JUDGEMENTS_H
#define OPS_JUDGEMENTS_H

#include "op_costs.h"
#include "ops/rows/phase.h"
#include "ops/rows/work.h"

struct judgements {
    const struct work_classes *classes;
    const uint8_t *phases; /* by row: enum phase */
    const struct op_costs *costs;
};

#endif
