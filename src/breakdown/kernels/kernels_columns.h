/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of the tables of `steptime kernels` and `steptime ops`, each with
 * its formula. The tables are drawn from these rows and a test holds
 * doc/numbers/kernels.md and doc/numbers/ops.md to them.
 */
#ifndef BREAKDOWN_KERNELS_COLUMNS_H
#define BREAKDOWN_KERNELS_COLUMNS_H

#include "report/report.h"

struct column_definition {
    const char *table, *id, *title;
    enum unit unit;
    unsigned flags; /* enum column_flag */
    const char *formula;
};

/* All rows, table by table. */
const struct column_definition *kernels_columns(uint32_t *count);

/* Adds the columns of the table that goes by this id. */
struct table *kernels_table(struct section *section, const char *id, const char *title);

#endif
