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

/* What predictions of whole devices leave: sums over them. */
struct unseen {
    double error, shift_squares,
        width;     /* mean errors; squares of middles; half-widths about these of nine in ten rows */
    double voices; /* what these are sums of: a generation has one, shared by its devices */
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

static const double level = 0.9;

static void leave_out(const struct work *work, uint32_t part, predictor predict, struct unseen *into)
{
    struct arena scratch = {0};
    const struct rows rows = work->parts[part];
    const double voice = 1.0 / generation_siblings(work->own, work->part_count, &work->own[part]);
    double *residuals = arena_array(&scratch, rows.count, sizeof *residuals);
    double error = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        const double us = predict(work, part, rows.at[i]);
        residuals[i] = us > 0 ? log(rows.at[i]->us / us) : NAN;
        error += fabs(us / rows.at[i]->us - 1) / rows.count;
    }
    if (rows.count && !isnan(residuals[0])) {
        const double middle = quantile(residuals, rows.count, 0.5);
        for (uint32_t i = 0; i < rows.count; i++)
            residuals[i] = fabs(residuals[i] - middle) / family_doubt(work->family, &rows.at[i]->kernel);
        into->width += voice * quantile(residuals, rows.count, level);
        into->shift_squares += voice * middle * middle;
        into->error += voice * error;
        into->voices += voice;
    }
    arena_free(&scratch);
}

static struct unseen all_left_out(const struct work *work, predictor predict)
{
    struct unseen all = {0};
    for (uint32_t i = 0; i < work->part_count; i++)
        leave_out(work, i, predict, &all);
    return all;
}

static void set_doubt(const struct unseen *unseen, struct coefficient_set *set)
{
    set->error = unseen->error / unseen->voices;
    set->shared = sqrt(unseen->shift_squares / unseen->voices);
    set->spread = interval_sd(unseen->width / unseen->voices, level);
}

/*
 * Of one generation alone: the forms of others are off by about two fifths more than those of siblings (1.0 to 1.7 times
 * in the families where both could be tried; set after seeing these).
 */
static void suppose_doubt(const struct unseen *siblings, double far_shift, struct coefficient_set *set)
{
    const double as_far = 1.4;
    set_doubt(siblings, set);
    set->error *= as_far;
    set->spread *= as_far;
    set->shared = fmax(set->shared, far_shift);
}

/*
 * How far off the forms of siblings are. What was learned of one is used for another unless two are there and it gains
 * less than a twentieth between them: in families where it could be tried it took a tenth to a half off the error.
 */
static struct unseen try_siblings(const struct work *work, struct group_model *group)
{
    const double least_gain = 0.05;
    const struct unseen form = all_left_out(work, by_sibling);
    const struct unseen trees = all_left_out(work, by_sibling_and_trees);
    const bool gains = form.voices <= 0 || trees.error < form.error * (1 - least_gain);
    if (form.voices > 0) {
        add_candidate(group, "sibling", form.error / form.voices);
        add_candidate(group, "sibling+trees", trees.error / trees.voices);
    }
    if (group->residual == RESIDUAL_OWN && gains)
        group->residual = RESIDUAL_GENERATION;
    return form;
}

void fit_generations(const struct work *work, struct group_model *group)
{
    group->carry = CARRY_GENERATIONS;
    const struct unseen far = all_left_out(work, by_other_generations);
    const struct unseen siblings = try_siblings(work, group);
    if (far.voices > 0) {
        set_doubt(&far, &group->sets[0]);
        add_candidate(group, "generations", group->sets[0].error);
    } else if (siblings.voices > 0) {
        suppose_doubt(&siblings, work->family->far_shift, &group->sets[0]);
    }
}
