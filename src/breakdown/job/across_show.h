/* SPDX-License-Identifier: Apache-2.0 */
/* The path across ranks as a report. */
#ifndef BREAKDOWN_ACROSS_SHOW_H
#define BREAKDOWN_ACROSS_SHOW_H

#include "job.h"

/* The class on one rank, or the transfer, with most time on the path; of a class that is one cause for the most part, that. */
struct across_most {
    uint32_t rank;        /* index; NO_RANK: transfer */
    uint8_t class, cause; /* of a struct line_kind */
    int64_t ns;
};
struct across_most across_most(const struct job *job);
str across_most_words(const struct job *job, const struct across_most *most, struct arena *arena);

/* Section "across": values, tables `across` and `crossings`. Nothing where a rank has no strip. */
void across_show(const struct job *job, struct report *report);

#endif
