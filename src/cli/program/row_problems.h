/* SPDX-License-Identifier: Apache-2.0 */
/* Rows with their prediction; of those without one the first are named on stderr, and all are counted. */
#ifndef CLI_ROW_PROBLEMS_H
#define CLI_ROW_PROBLEMS_H

#include "base/str.h"

struct row_problems {
    uint64_t rows;  /* of the table so far */
    uint64_t count; /* of them without a prediction */
};

/* Whether the next one will be named. */
bool row_problems_shown(const struct row_problems *problems);

/* "steptime: line 12: softmax on T4: rows is 0". */
void row_problem(struct row_problems *problems, uint32_t line, str op, str device, const char *what);

/* Says how many there were, where it was more than none. */
void row_problems_end(const struct row_problems *problems);

#endif
