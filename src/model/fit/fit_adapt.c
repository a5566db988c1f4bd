/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few rows of a device: what is carried to it, moved as far as they ask for (posterior.h). Where one measured device
 * stands in for it, the rows have a word in which. Many rows are fitted, with a residual where enough of it can be
 * learned; what they leave over is then known as of any measured device.
 */
#include <math.h>

#include "fit.h"
#include "fit_work.h"
#include "model/estimate/misfit.h"
#include "model/estimate/models.h"
#include "model/families/families.h"
#include "model/posterior/like.h"
#include "model/posterior/posterior.h"

enum { STEPS = 30, LIKE = 96 };

/*
 * Another measured device than the one carried must make the rows more likely than that one by this, ln: its figures speak
 * for it, and ten rows are few.
 */
static const double convincing = 2;

/* What to adapt from: what is carried to the device, first; where one device stands in for it, the other measured ones. */
struct starts {
    const struct coefficient_set **at;
    uint32_t count;
};

static bool may_be_another(const struct group_model *group, enum kinship kinship)
{
    return kinship == KINSHIP_NONE && (carries_one(group) || group->carry == CARRY_GENERATIONS);
}

static struct starts starts_of(const struct group_model *group, const struct coefficient_set *carried,
                               enum kinship kinship, struct arena *arena)
{
    struct starts starts = {arena_array(arena, group->set_count + 1, sizeof *starts.at), 1};
    starts.at[0] = carried;
    for (uint32_t i = 1; may_be_another(group, kinship) && i < group->set_count; i++)
        if (&group->sets[i] != carried)
            starts.at[starts.count++] = &group->sets[i];
    return starts;
}

/* ---- a few rows ---- */

static struct seen *seen_of(struct rows rows, struct arena *arena)
{
    struct seen *seen = arena_array(arena, rows.count, sizeof *seen);
    for (uint32_t i = 0; i < rows.count; i++)
        seen[i] = (struct seen){&rows.at[i]->kernel, rows.at[i]->us};
    return seen;
}

static const struct kernel *const *like_of(struct rows rows, const struct hardware *hardware, struct arena *arena)
{
    const struct kernel **kernels = arena_array(arena, rows.count, sizeof *kernels);
    for (uint32_t i = 0; i < rows.count; i++)
        kernels[i] = &rows.at[i]->kernel;
    return kernels_like(kernels, rows.count, LIKE, hardware, arena);
}

static double from_few(const struct work *work, const struct prior *prior, struct rows rows,
                       struct coefficient_set *set)
{
    struct arena scratch = {0};
    const struct rows some = rows_thinned(rows, CALIBRATED_POINTS, &scratch);
    const double likely = posterior_of(prior, seen_of(some, &scratch), some.count,
                                       like_of(some, prior->hardware, &scratch), LIKE, work->arena, set);
    arena_free(&scratch);
    return likely;
}

/* Figures may take a device for the nearest whose library is another: the start that makes the rows most likely. */
static const struct coefficient_set *best_start(const struct work *work, const struct prior *prior, struct rows rows,
                                                const struct starts *starts)
{
    const struct coefficient_set *best = starts->at[0];
    double most = -INFINITY;
    for (uint32_t i = 0; starts->count > 1 && i < starts->count; i++) {
        struct prior from = *prior;
        struct coefficient_set trial;
        from.centre = starts->at[i];
        const double likely = from_few(work, &from, rows, &trial) - (i ? convincing : 0);
        if (likely <= most)
            continue;
        most = likely;
        best = starts->at[i];
    }
    return best;
}

/* ---- many rows ---- */

/* Coefficients fitted to all of them, near the start, with a residual where it can be learned. */
static void from_many(const struct work *work, uint32_t part, const struct coefficient_set *start,
                      struct coefficient_set *set)
{
    struct work of_one = *work;
    const struct fitting fitting = {.family = work->family,
                                    .devices = work->devices,
                                    .rows = work->parts[part],
                                    .expected = start->value,
                                    .steps = STEPS};
    of_one.own = arena_array(work->arena, work->part_count, sizeof *of_one.own);
    *set = *start;
    set->hardware = work->devices[work->device[part]];
    set->device = set->hardware.name;
    set->rows = work->parts[part].count;
    set->residual = NULL;
    set->factor = 0;
    set->host = 0;
    fit_coefficients(&fitting, set->value);
    of_one.own[part] = *set;
    judge_own(&of_one, part);
    *set = of_one.own[part];
}

/* What such a set leaves over is its own, and told as of a measured device. */
static void close_many(const struct work *work, struct coefficient_set *set)
{
    const double no_noise = 1e-3;
    set->calibrated = calibrated_new(work->arena);
    set->calibrated->noise = no_noise;
    calibrated_close(set->calibrated, work->arena);
}

/* ---- a group ---- */

/* How far off what is carried may be, in the mean of the rows. */
static void doubt_before(const struct models *models, struct rows rows, struct prior *prior)
{
    const double least_own = 0.05;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        struct estimate estimate;
        if (!models_estimate(models, prior->hardware, &rows.at[i]->kernel, &estimate, NULL))
            continue;
        prior->shared += estimate.shared;
        prior->own += estimate.own;
        count++;
    }
    prior->shared = count ? prior->shared / count : 0;
    prior->own = fmax(least_own, count ? prior->own / count : 0);
}

static struct coefficient_set *set_of_device(struct group_model *group, str device, struct arena *arena)
{
    for (uint32_t i = 0; i < group->calibrated_count; i++)
        if (str_eq(group->calibrated[i].device, device))
            return &group->calibrated[i];
    struct coefficient_set *sets = arena_array(arena, group->calibrated_count + 1, sizeof *sets);
    if (group->calibrated_count)
        memcpy(sets, group->calibrated, group->calibrated_count * sizeof *sets);
    group->calibrated = sets;
    return &sets[group->calibrated_count++];
}

static void adapt_part(const struct models *models, const struct work *work, uint32_t part, struct group_model *group)
{
    struct kin kin;
    const struct rows rows = work->parts[part];
    struct prior prior = {.family = work->family, .group = group, .hardware = &work->devices[work->device[part]]};
    const struct coefficient_set unfitted = starting_set(work->family);
    const struct coefficient_set *found = coefficients_for(group, prior.hardware, &kin);
    const struct coefficient_set *carried = found ? found : &unfitted;
    const struct starts starts = starts_of(group, carried, kin.kinship, work->arena);
    doubt_before(models, rows, &prior);
    prior.misfit = misfit_of_carried(group, prior.own, kin.learned, &prior.misfit_differs);
    prior.centre = carried;
    struct coefficient_set centre = *best_start(work, &prior, rows, &starts), set;
    centre.residual = kin.learned ? centre.residual : NULL;
    centre.calibrated = NULL;
    prior.centre = &centre;
    if (rows.count > CALIBRATED_POINTS) {
        from_many(work, part, &centre, &set);
        centre = set;
        prior.shared = set.shared;
        prior.own = set.spread;
        prior.misfit = misfit_of_carried(group, prior.own, kin.learned, &prior.misfit_differs);
    }
    if (rows.count > CALIBRATED_POINTS && centre.residual)
        close_many(work, &set);
    else
        from_few(work, &prior, rows, &set);
    set.rows = rows.count;
    *set_of_device(group, prior.hardware->name, work->arena) = set;
}

static bool measured(const struct family *family, const struct measurements *measurements)
{
    for (uint32_t i = 0; i < measurements->count; i++)
        if (measurements_of_family(measurements, i, family))
            return true;
    return false;
}

static uint32_t adapt_family(const struct models *models, struct family_model *model,
                             const struct measurements *measurements, struct arena *arena)
{
    str groups[MOST_GROUPS];
    const uint32_t count = measured_groups(model->family, measurements, groups);
    for (uint32_t i = 0; i < count; i++) {
        const struct work work = work_of(model->family, groups[i], measurements, arena);
        for (uint32_t part = 0; part < work.part_count; part++)
            adapt_part(models, &work, part, models_group(model, groups[i], arena));
    }
    return count;
}

uint32_t fit_adapt(struct models *models, const struct measurements *measurements, struct arena *arena)
{
    uint32_t adapted = 0;
    for (uint32_t i = 0; i < family_count; i++) {
        const struct family *family = family_rows[i].family;
        if (measured(family, measurements))
            adapted += adapt_family(models, models_make_own(models, family, arena), measurements, arena);
    }
    return adapted;
}
