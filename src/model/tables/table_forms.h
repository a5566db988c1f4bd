/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of tables that name the form of their kernel, its type and its sizes by columns (doc/models.md): any form, forward
 * and backward, in any type.
 */
#ifndef MODEL_TABLE_FORMS_H
#define MODEL_TABLE_FORMS_H

#include "ops/operators/kernel.h"
#include "text/csv_reader.h"

/* Where the columns are; UINT32_MAX: not there. */
struct form_columns {
    uint32_t op, device, us, form, dtype, backward, key_dtype, format, past, backend;
    uint32_t sizes[FORMS][FORM_SIZES_MOST]; /* as many as the form has */
};

/* False where the table does not name forms. */
bool form_columns_find(const struct csv_row *header, struct form_columns *columns);

/*
 * Columns that may be absent say by their name alone that they are there. One that is not read, but nearly has the name of such
 * a column that the table lacks, would change what is predicted without a word: the first, and what it seems to mean; else false.
 */
bool form_columns_mistaken(const struct csv_row *header, str *column, str *meant);

/* Whether this row names one. */
bool form_columns_named(const struct form_columns *columns, const struct csv_row *fields);

/* NULL on success, else what is wrong, in words. */
const char *form_columns_kernel(const struct form_columns *columns, const struct csv_row *fields,
                                struct kernel *kernel);

#endif
