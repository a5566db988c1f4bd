/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of the tables of `steptime kernels` and `steptime ops`, each with
 * its formula. The tables are drawn from these rows and a test holds
 * doc/numbers/kernels.md and doc/numbers/ops.md to them.
 */
#ifndef BREAKDOWN_KERNELS_COLUMNS_H
#define BREAKDOWN_KERNELS_COLUMNS_H

#include "report/report.h"

/* Adds the columns of the table that goes by this id. */
struct table *kernels_table(struct section *section, const char *id, const char *title);

#endif
