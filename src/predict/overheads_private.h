/* SPDX-License-Identifier: Apache-2.0 */
/* The table of overheads from the inside, for the files that make one. */
#ifndef PREDICT_OVERHEADS_PRIVATE_H
#define PREDICT_OVERHEADS_PRIVATE_H

#include "overheads.h"

struct overheads {
    struct overhead_row *rows; /* by kind, then name; no two the same */
    uint32_t count;
    struct overhead all[OVERHEADS]; /* over all names */
    double profiler_us, event_us;
};

/* Sorts the rows, joins those of one kind and name by their counts, and takes the means over all names. */
void overheads_finish(struct overheads *overheads);

#endif
