/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is carried in families whose devices of one generation run the same kernels (generation.h), judged by leaving out:
 * a whole generation, where the mean of the others answers; a device, where its sibling does with what was learned of it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "fit_work.h"
#include "model/estimate/generation.h"
#include "model/estimate/interval.h"
#include "model/estimate/models.h"

/* Residuals of predictions of whole devices. */
struct unseen {
    double error, shifts, *apart; /* sums over devices of mean errors and squared medians; |residual - median| */
    uint32_t devices, count;
};

static double quantile(double *values, uint32_t count, double share)
{
    qsort(values, count, sizeof *values, ascending_reals);
    return count ? values[(uint32_t)(share * (count - 1))] : 0;
}

/* Microseconds of each row of a part, or 0 where nothing else was measured. */
typedef double (*predictor)(const struct work *work, uint32_t part, const struct measurement *row);

static double by_other_generations(const struct work *work, uint32_t part, const struct measurement *row)
{
    const struct hardware *hardware = &work->own[part].hardware;
    return generations_us(work->family, work->own, work->part_count, hardware, &row->kernel, hardware);
}

static double sibling_us(const struct work *work, uint32_t part, const struct measurement *row, bool residual)
{
    const struct hardware *hardware = &work->own[part].hardware;
    const struct coefficient_set *sibling = generation_sibling(work->own, work->part_count, hardware, &work->own[part]);
    return sibling ? set_us(work->family, sibling, hardware, &row->kernel, residual) : 0;
}

static double by_sibling(const struct work *work, uint32_t part, const struct measurement *row)
{
    return sibling_us(work, part, row, false);
}

static double by_sibling_and_trees(const struct work *work, uint32_t part, const struct measurement *row)
{
    return sibling_us(work, part, row, true);
}

static void leave_out(const struct work *work, uint32_t part, predictor predict, struct unseen *into)
{
    struct arena scratch = {0};
    const struct rows rows = work->parts[part];
    double *residuals = arena_array(&scratch, rows.count, sizeof *residuals);
    double *sorted = arena_array(&scratch, rows.count, sizeof *sorted);
    double error = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        const double us = predict(work, part, rows.at[i]);
        residuals[i] = us > 0 ? log(rows.at[i]->us / us) : NAN;
        error += fabs(us / rows.at[i]->us - 1) / rows.count;
    }
    memcpy(sorted, residuals, rows.count * sizeof *sorted);
    if (rows.count && !isnan(residuals[0])) {
        const double median = quantile(sorted, rows.count, 0.5);
        for (uint32_t i = 0; i < rows.count; i++)
            into->apart[into->count++] = fabs(residuals[i] - median);
        into->shifts += median * median;
        into->error += error;
        into->devices++;
    }
    arena_free(&scratch);
}

static struct unseen all_left_out(const struct work *work, predictor predict, struct arena *arena)
{
    struct unseen all = {0};
    uint32_t rows = 0;
    for (uint32_t i = 0; i < work->part_count; i++)
        rows += work->parts[i].count;
    all.apart = arena_array(arena, rows, sizeof *all.apart);
    for (uint32_t i = 0; i < work->part_count; i++)
        leave_out(work, i, predict, &all);
    return all;
}

/* What devices were off as a whole, and nine tenths of what rows were beside that (as left_out_doubt). */
static void set_doubt(struct unseen *unseen, struct coefficient_set *set)
{
    const double level = 0.9;
    set->error = unseen->error / unseen->devices;
    set->shared = sqrt(unseen->shifts / unseen->devices);
    set->spread = interval_sd(quantile(unseen->apart, unseen->count, level), level);
}

/* Of one generation alone: by the forms of 16 bits others are off by about twice what siblings are. */
static void suppose_doubt(struct unseen *near, struct coefficient_set *set)
{
    const double as_far = 2;
    set_doubt(near, set);
    set->error *= as_far;
    set->spread *= as_far;
}

/*
 * How far off siblings are. What was learned of one is used for another unless two are there and it gains less than a
 * twentieth between them: in families where it could be tried it took a tenth to a half off the error.
 */
static struct unseen near_errors(const struct work *work, struct group_model *group, struct arena *arena)
{
    const double least_gain = 0.05;
    const struct unseen form = all_left_out(work, by_sibling, arena);
    const struct unseen trees = all_left_out(work, by_sibling_and_trees, arena);
    const bool gains = !form.devices || trees.error < form.error * (1 - least_gain);
    if (form.devices) {
        add_candidate(group, "sibling", form.error / form.devices);
        add_candidate(group, "sibling+trees", trees.error / trees.devices);
    }
    if (group->residual == RESIDUAL_OWN && gains)
        group->residual = RESIDUAL_GENERATION;
    return gains ? trees : form;
}

void fit_generations(const struct work *work, struct group_model *group)
{
    struct arena scratch = {0};
    group->carry = CARRY_GENERATIONS;
    fit_all(work, &group->sets[0]);
    struct unseen far = all_left_out(work, by_other_generations, &scratch);
    struct unseen near = near_errors(work, group, &scratch);
    if (far.devices) {
        set_doubt(&far, &group->sets[0]);
        add_candidate(group, "generations", group->sets[0].error);
    } else if (near.devices) {
        suppose_doubt(&near, &group->sets[0]);
    }
    arena_free(&scratch);
}
