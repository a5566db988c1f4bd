/* SPDX-License-Identifier: Apache-2.0 */
/* The table of overheads from the inside, for the files that make one. */
#ifndef PREDICT_OVERHEADS_PRIVATE_H
#define PREDICT_OVERHEADS_PRIVATE_H

#include "overheads.h"
#include "samples.h"

struct overheads {
    struct overhead_row *rows; /* by kind, then name; no two the same */
    uint32_t count;
    struct overhead all[OVERHEADS]; /* over all names */
    double profiler_us, event_us;
};

/* Samples of one key beyond these are outliers. */
struct fence {
    double low, high;
};
struct fence fence_of(const struct sample_runs *runs, double event_ns);

/* Of the samples of one key, those within the fences but for `whole` and `count`. */
struct overhead_sums {
    double sum, squares, recorded, whole;
    int64_t kept, waits, count;
};

/* sign -1 takes the run out again. */
void sums_add(struct overhead_sums *sums, const struct sample_run *run, struct fence fence, double event_ns, int sign);
struct overhead overhead_of_sums(const struct overhead_sums *sums, int64_t median_ns);

/* The kind of the row that samples of a kind go into; OVERHEADS and above: none. */
uint32_t overhead_row_kind(uint32_t kind);

/* Sorts the rows, joins those of one kind and name by their counts, and takes the means over all names. */
void overheads_finish(struct overheads *overheads);

#endif
