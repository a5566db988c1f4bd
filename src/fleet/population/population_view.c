/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked of a population. A view orders the groups by name, and where
 * rows are kept puts those of a group side by side; it is made at the first
 * question and lasts until a row is added.
 */
#include <math.h>

#include "base/mem.h"
#include "population_parts.h"
#include "population_sorted.h"

struct view {
    struct arena arena;
    uint32_t groups;
    str *names;
    uint32_t *ids;         /* of the groups, where rows are not kept */
    struct totals *totals; /* group * values + value; behind them those of all rows */
    /* Rows are kept. */
    uint32_t *rows;  /* by group */
    uint32_t *first; /* of each group in rows; groups + 1 */
    uint32_t sorted_group;
    struct sorted **sorted; /* a value: rows of that group in its order; NULL: not asked for yet */
    /* Rows are not kept. */
    struct histogram **all; /* a value: of all groups; NULL: not asked for yet */
};

static void forget_sorted(struct view *view, uint32_t values)
{
    for (uint32_t value = 0; view->sorted && value < values; value++) {
        sorted_free(view->sorted[value]);
        view->sorted[value] = NULL;
    }
}

static void forget_all(struct view *view, uint32_t values)
{
    for (uint32_t value = 0; view->all && value < values; value++) {
        if (view->all[value])
            histogram_free(view->all[value]);
        mem_free(view->all[value]);
    }
}

void population_forget_view(const struct population *population)
{
    struct view *const view = *population->view;
    if (!view)
        return;
    *population->view = NULL;
    forget_sorted(view, population->values);
    forget_all(view, population->values);
    arena_free(&view->arena);
    mem_free(view);
}

/* ---- where rows are kept ---- */

/* The group of each id in the view; those that are not told come last. */
static uint32_t *groups_of_ids(const struct population *population, const struct told_groups *told,
                               struct arena *scratch)
{
    const uint32_t ids = intern_count(population->names);
    uint32_t *const group = arena_array(scratch, ids, sizeof *group);
    for (uint32_t id = 0; id < ids; id++)
        group[id] = told->count;
    for (uint32_t i = 0; i < told->count; i++)
        group[told->ids[i]] = i;
    return group;
}

static void order_rows(const struct population *population, struct view *view, const uint32_t *group_of_id)
{
    const struct rows *const rows = &population->rows;
    view->first = arena_array(&view->arena, (size_t)view->groups + 2, sizeof *view->first);
    view->rows = arena_array(&view->arena, rows->count, sizeof *view->rows);
    for (uint32_t row = 0; row < rows->count; row++)
        view->first[group_of_id[rows_group(rows, row)] + 2]++;
    for (uint32_t group = 1; group < view->groups; group++)
        view->first[group + 1] += view->first[group];
    for (uint32_t row = 0; row < rows->count; row++)
        view->rows[view->first[group_of_id[rows_group(rows, row)] + 1]++] = row;
}

static void add_row_totals(const struct population *population, struct view *view)
{
    double weight[WEIGHTS];
    for (uint32_t group = 0; group < view->groups; group++)
        for (uint32_t i = view->first[group]; i < view->first[group + 1]; i++) {
            rows_weights(&population->rows, view->rows[i], weight);
            for (uint32_t value = 0; value < population->values; value++) {
                const double figure = rows_figure(&population->rows, view->rows[i], value);
                if (isfinite(figure))
                    totals_add(&view->totals[group * population->values + value], figure, weight);
            }
        }
}

static void view_rows(const struct population *population, struct view *view)
{
    struct arena scratch = {0};
    const struct told_groups told = population_told_groups(population, &scratch);
    view->groups = told.count + told.folded;
    view->names = arena_array(&view->arena, view->groups, sizeof *view->names);
    for (uint32_t i = 0; i < told.count; i++)
        view->names[i] = intern_text(population->names, told.ids[i]);
    if (told.folded)
        view->names[told.count] = S("(other)");
    view->totals = arena_array(&view->arena, ((size_t)view->groups + 1) * population->values, sizeof *view->totals);
    view->sorted = arena_array(&view->arena, population->values, sizeof *view->sorted);
    order_rows(population, view, groups_of_ids(population, &told, &scratch));
    add_row_totals(population, view);
    arena_free(&scratch);
}

/* ---- where they are not ---- */

static void view_summaries(const struct population *population, struct view *view)
{
    const struct told_groups told = population_told_groups(population, &view->arena);
    const bool other = population->of[GROUP_OTHER] != NULL;
    view->groups = told.count + other;
    view->names = arena_array(&view->arena, view->groups, sizeof *view->names);
    view->ids = arena_array(&view->arena, view->groups, sizeof *view->ids);
    for (uint32_t i = 0; i < view->groups; i++) {
        view->ids[i] = i < told.count ? told.ids[i] : GROUP_OTHER;
        view->names[i] = i < told.count ? intern_text(population->names, told.ids[i]) : S("(other)");
    }
    view->all = arena_array(&view->arena, population->values, sizeof *view->all);
    view->totals = arena_array(&view->arena, ((size_t)view->groups + 1) * population->values, sizeof *view->totals);
    for (uint32_t group = 0; group < view->groups; group++)
        for (uint32_t value = 0; value < population->values; value++)
            view->totals[group * population->values + value] = population->of[view->ids[group]][value].totals;
}

static struct view *view_of(const struct population *population)
{
    if (*population->view)
        return *population->view;
    struct view *const view = mem_zeroed(sizeof *view);
    if (population->exact)
        view_rows(population, view);
    else
        view_summaries(population, view);
    for (uint32_t i = 0; i < view->groups * population->values; i++)
        totals_merge(&view->totals[view->groups * population->values + i % population->values], &view->totals[i]);
    return *population->view = view;
}

/* ---- answers ---- */

uint32_t population_group_count(const struct population *population)
{
    return view_of(population)->groups;
}

str population_group(const struct population *population, uint32_t group)
{
    return view_of(population)->names[group];
}

static const struct totals *totals_of(const struct population *population, uint32_t group, uint32_t value)
{
    const struct view *const view = view_of(population);
    return &view->totals[(group == POPULATION_ALL ? view->groups : group) * population->values + value];
}

uint64_t population_count(const struct population *population, uint32_t group, uint32_t value)
{
    return totals_of(population, group, value)->count;
}

double population_weight(const struct population *population, uint32_t group, uint32_t value, enum weight weight)
{
    return totals_of(population, group, value)->weight[weight];
}

double population_mean(const struct population *population, uint32_t group, uint32_t value, enum weight weight)
{
    const struct totals *const totals = totals_of(population, group, value);
    return totals->weight[weight] > 0 ? totals->sum[weight] / totals->weight[weight] : NAN;
}

/* The rows of a group in the order of a value. */
static struct sorted *sorted_of(const struct population *population, uint32_t group, uint32_t value)
{
    struct view *const view = view_of(population);
    if (view->sorted_group != group)
        forget_sorted(view, population->values);
    view->sorted_group = group;
    if (!view->sorted[value] && group == POPULATION_ALL)
        view->sorted[value] = sorted_new(&population->rows, NULL, population->rows.count, value);
    else if (!view->sorted[value])
        view->sorted[value] = sorted_new(&population->rows, view->rows + view->first[group],
                                         view->first[group + 1] - view->first[group], value);
    return view->sorted[value];
}

static const struct histogram *histogram_of_all(const struct population *population, struct view *view, uint32_t value)
{
    if (view->all[value])
        return view->all[value];
    view->all[value] = mem_zeroed(sizeof *view->all[value]);
    for (uint32_t group = 0; group < view->groups; group++)
        histogram_merge(view->all[value], &population->of[view->ids[group]][value].histogram);
    return view->all[value];
}

static const struct histogram *histogram_of(const struct population *population, uint32_t group, uint32_t value)
{
    struct view *const view = view_of(population);
    return group == POPULATION_ALL ? histogram_of_all(population, view, value)
                                   : &population->of[view->ids[group]][value].histogram;
}

double population_quantile(struct population *population, uint32_t group, uint32_t value, enum weight weight, double q)
{
    if (population->exact)
        return sorted_quantile(sorted_of(population, group, value), weight, q);
    const struct totals *const totals = totals_of(population, group, value);
    const double middle = histogram_quantile(histogram_of(population, group, value), weight, q);
    return isnan(middle) ? NAN : fmin(fmax(middle, totals->least), totals->most);
}

double population_above(struct population *population, uint32_t group, uint32_t value, enum weight weight, double bound)
{
    return population->exact ? sorted_above(sorted_of(population, group, value), weight, bound)
                             : histogram_above(histogram_of(population, group, value), weight, bound);
}
