/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few rows of a device that was not measured. What they tell is tried from the least to the most: nothing, one factor
 * on all times, every coefficient within its spread. Each is judged by the rows that it did not see, one left out after
 * the other, and one that asks for more must gain; so few rows never make a good prediction worse by much.
 */
#include <math.h>
#include <stdlib.h>

#include "model/families.h"
#include "model/fit.h"
#include "model/fit_work.h"

enum adaption { AS_CARRIED, BY_FACTOR, BY_COEFFICIENTS, ADAPTIONS };

enum { STEPS = 30, MOST_LEFT_OUT = 24 };
static const double least_gain = 0.05; /* of the error, to ask for more */
static const double own_weight = 2;    /* rows that speak for no factor at all */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of measured over predicted, drawn towards 1 as if some rows more had said so. */
static double common_factor(const struct work *work, const struct coefficient_set *set, struct rows rows)
{
    struct arena scratch = {0};
    double *ratios = arena_array(&scratch, rows.count, sizeof *ratios);
    for (uint32_t i = 0; i < rows.count; i++)
        ratios[i] = log(rows.at[i]->us / set_us(work->family, set, &work->devices[rows.at[i]->device],
                                                &rows.at[i]->kernel, set->residual));
    qsort(ratios, rows.count, sizeof *ratios, ascending);
    const double median = (ratios[rows.count / 2] + ratios[(rows.count - 1) / 2]) / 2;
    arena_free(&scratch);
    return exp(median * rows.count / (rows.count + own_weight));
}

static void adapt_set(const struct work *work, struct rows rows, enum adaption adaption, struct coefficient_set *set)
{
    if (adaption == AS_CARRIED || !rows.count)
        return;
    if (adaption == BY_FACTOR) {
        set->factor = set_factor(set) * common_factor(work, set, rows);
        return;
    }
    double expected[FAMILY_PARAMETERS];
    memcpy(expected, set->value, sizeof expected);
    const struct fitting fitting = {
        .family = work->family, .devices = work->devices, .rows = rows, .expected = expected, .steps = STEPS};
    fit_coefficients(&fitting, set->value);
}

/* Of rows that the adaption did not see. */
static double unseen_error(const struct work *work, struct rows rows, enum adaption adaption,
                           const struct coefficient_set *carried)
{
    struct arena scratch = {0};
    const uint32_t turns = rows.count < MOST_LEFT_OUT ? rows.count : MOST_LEFT_OUT;
    double sum = 0;
    for (uint32_t turn = 0; turn < turns; turn++) {
        struct coefficient_set trial = *carried;
        struct rows seen = {arena_array(&scratch, rows.count, sizeof *seen.at), 0}, unseen = seen;
        unseen.at = arena_array(&scratch, rows.count, sizeof *unseen.at);
        for (uint32_t i = 0; i < rows.count; i++) {
            struct rows *to = i % turns == turn ? &unseen : &seen;
            to->at[to->count++] = rows.at[i];
        }
        adapt_set(work, seen, adaption, &trial);
        sum += mean_error(work, &trial, trial.residual, unseen) / turns;
    }
    arena_free(&scratch);
    return sum;
}

static struct coefficient_set *set_of_device(struct group_model *group, const struct hardware *hardware,
                                             struct arena *arena)
{
    for (uint32_t i = 1; i < group->set_count; i++)
        if (str_eq(group->sets[i].device, hardware->name))
            return &group->sets[i];
    struct coefficient_set *sets = arena_array(arena, group->set_count + 1, sizeof *sets);
    memcpy(sets, group->sets, group->set_count * sizeof *sets);
    group->sets = sets;
    return &sets[group->set_count++];
}

static void adapt_part(const struct work *work, uint32_t part, struct group_model *group)
{
    enum kinship kinship;
    const struct rows rows = work->parts[part];
    const struct hardware *hardware = &work->devices[work->device[part]];
    struct coefficient_set set = *coefficients_for(group, hardware, &kinship);
    if (kinship != KINSHIP_SELF)
        set.residual = NULL;
    enum adaption best = AS_CARRIED;
    set.error = unseen_error(work, rows, best, &set);
    for (enum adaption adaption = BY_FACTOR; adaption < ADAPTIONS; adaption++) {
        const double error = unseen_error(work, rows, adaption, &set);
        if (error >= set.error * (1 - least_gain))
            continue;
        set.error = error;
        best = adaption;
    }
    adapt_set(work, rows, best, &set);
    set.device = hardware->name;
    set.hardware = *hardware;
    set.rows = rows.count;
    *set_of_device(group, hardware, work->arena) = set;
}

static uint32_t adapt_family(const struct family *family, struct family_model *model,
                             const struct measurements *measurements, struct arena *arena)
{
    uint32_t adapted = 0;
    for (uint32_t i = 0; i < model->group_count; i++) {
        const struct work work = work_of(family, model->groups[i].group, measurements, arena);
        for (uint32_t part = 0; part < work.part_count && model->groups[i].set_count; part++)
            adapt_part(&work, part, &model->groups[i]);
        adapted += work.part_count > 0;
    }
    return adapted;
}

uint32_t fit_adapt(struct models *models, const struct measurements *measurements, struct arena *arena)
{
    uint32_t adapted = 0;
    for (uint32_t i = 0; i < family_count; i++)
        adapted += adapt_family(family_rows[i].family, &models->families[i], measurements, arena);
    return adapted;
}
