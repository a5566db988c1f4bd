/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few rows of a device that was not measured: every coefficient moves within its spread from what is carried, as far as
 * the rows ask for. Where one measured device stands in for it, the rows have a word in which. That was compared, with
 * each measured device left out and ten of its rows shown, with one factor on all times, and with a choice between the
 * two by the rows left out one after the other; it was as good or better in all families (doc/models.md).
 */
#include <math.h>

#include "model/families/families.h"
#include "fit.h"
#include "fit_work.h"

enum { STEPS = 30, MOST_LEFT_OUT = 24, MOST_LOOKED_AT = 40 };

/*
 * Another measured device than the one carried must leave less than this of what that one leaves: its figures speak for
 * it, and ten rows are few. Among the training rows 0.7 to 0.9 are alike; without, nothing is gained (doc/models.md).
 */
static const double convincing = 0.8;

/* What to adapt from: what is carried to the device, first; where one device stands in for it, the other measured ones. */
struct starts {
    const struct coefficient_set **at;
    uint32_t count;
};

static struct starts starts_of(const struct group_model *group, const struct coefficient_set *carried,
                               enum kinship kinship, struct arena *arena)
{
    struct starts starts = {arena_array(arena, group->set_count + 1, sizeof *starts.at), 1};
    starts.at[0] = carried;
    for (uint32_t i = 1; group->carry == CARRY_NEAREST && kinship == KINSHIP_NONE && i < group->set_count; i++)
        if (&group->sets[i] != carried)
            starts.at[starts.count++] = &group->sets[i];
    return starts;
}

/* What is left, as fit_coefficients counts it. */
static double adapt_from(const struct work *work, struct rows rows, const struct coefficient_set *start, double *value)
{
    const struct fitting fitting = {
        .family = work->family, .devices = work->devices, .rows = rows, .expected = start->value, .steps = STEPS};
    memcpy(value, start->value, sizeof start->value);
    return rows.count ? fit_coefficients(&fitting, value) : 0;
}

/* Figures may take a device for the nearest whose library is another: the start that leaves least, after some rows. */
static const struct coefficient_set *best_start(const struct work *work, struct rows rows, const struct starts *starts)
{
    struct arena scratch = {0};
    const struct rows some = rows_thinned(rows, MOST_LOOKED_AT, &scratch);
    const struct coefficient_set *best = starts->at[0];
    double least = INFINITY;
    for (uint32_t i = 0; starts->count > 1 && i < starts->count; i++) {
        double trial[FAMILY_PARAMETERS];
        const double left = adapt_from(work, some, starts->at[i], trial) * (i ? 1 : convincing);
        if (left >= least)
            continue;
        least = left;
        best = starts->at[i];
    }
    arena_free(&scratch);
    return best;
}

static void adapt_set(const struct work *work, struct rows rows, const struct starts *starts,
                      struct coefficient_set *set)
{
    adapt_from(work, rows, best_start(work, rows, starts), set->value);
}

/* Of rows that the adaption did not see, one left out after the other. */
static double unseen_error(const struct work *work, struct rows rows, const struct starts *starts,
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
        adapt_set(work, seen, starts, &trial);
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
    struct kin kin;
    const struct rows rows = work->parts[part];
    const struct hardware *hardware = &work->devices[work->device[part]];
    const struct coefficient_set *carried = coefficients_for(group, hardware, &kin);
    const struct starts starts = starts_of(group, carried, kin.kinship, work->arena);
    struct coefficient_set set = *carried;
    if (kin.kinship != KINSHIP_SELF)
        set.residual = NULL;
    set.error = unseen_error(work, rows, &starts, &set);
    adapt_set(work, rows, &starts, &set);
    set.shared = set.spread = 0; /* a few rows tell the error and no more */
    set.device = hardware->name;
    set.hardware = *hardware;
    set.rows = rows.count;
    *set_of_device(group, hardware, work->arena) = set;
}

static bool measured(const struct family *family, const struct measurements *measurements)
{
    for (uint32_t i = 0; i < measurements->count; i++)
        if (measurements_of_family(measurements, i, family))
            return true;
    return false;
}

static uint32_t adapt_family(struct family_model *model, const struct measurements *measurements, struct arena *arena)
{
    uint32_t adapted = 0;
    for (uint32_t i = 0; i < model->group_count; i++) {
        const struct work work = work_of(model->family, model->groups[i].group, measurements, arena);
        for (uint32_t part = 0; part < work.part_count && model->groups[i].set_count; part++)
            adapt_part(&work, part, &model->groups[i]);
        adapted += work.part_count > 0;
    }
    return adapted;
}

uint32_t fit_adapt(struct models *models, const struct measurements *measurements, struct arena *arena)
{
    uint32_t adapted = 0;
    for (uint32_t i = 0; i < family_count; i++) {
        const struct family *family = family_rows[i].family;
        if (measured(family, measurements))
            adapted += adapt_family(models_make_own(models, family, arena), measurements, arena);
    }
    return adapted;
}
