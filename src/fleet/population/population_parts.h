/* SPDX-License-Identifier: Apache-2.0 */
/* What a population is made of, for the files that are it. */
#ifndef FLEET_POPULATION_PARTS_H
#define FLEET_POPULATION_PARTS_H

#include "base/intern.h"
#include "histogram.h"
#include "population_rows.h"

/* Of the rows of a group that have a value. */
struct totals {
    uint64_t count;
    double weight[WEIGHTS], sum[WEIGHTS]; /* sum: of weight times value */
    double least, most;
};

/* A value of a group, once rows are not kept. */
struct summary {
    struct totals totals;
    struct histogram histogram;
};

/* Groups by id of their name. A population of which rows are not kept has no id of a group that is told in (other). */
enum { GROUP_OTHER = POPULATION_GROUPS + 1, GROUP_IDS };

struct view;

struct population {
    uint32_t values;
    struct intern *names;
    bool exact;
    struct rows rows;              /* exact: all of them */
    bool folded;                   /* some groups are told in (other) alone, and new ones will be */
    uint64_t row_count[GROUP_IDS]; /* not exact: of each group */
    struct summary *of[GROUP_IDS]; /* not exact: `values` of them; NULL where the group has no row */
    struct view **view;            /* made when first asked, dropped when a row is added */
};

void totals_add(struct totals *totals, double value, const double weight[WEIGHTS]);
void totals_merge(struct totals *into, const struct totals *from);

/* From rows to summaries. */
void population_summarise(struct population *population);

/* The values of a group, made when first used. */
struct summary *population_of_group(struct population *population, uint32_t id);

void population_forget_view(const struct population *population);

/* ---- which groups are told ---- */

/* Ids of names that have rows: all, or where rows are kept the POPULATION_GROUPS with most of them. Ordered by name. */
struct told_groups {
    uint32_t *ids;
    uint32_t count;
    bool folded; /* there are more */
};
struct told_groups population_told_groups(const struct population *population, struct arena *arena);

#endif
