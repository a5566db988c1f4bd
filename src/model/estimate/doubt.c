/* SPDX-License-Identifier: Apache-2.0 */
#include "doubt.h"

#include <math.h>

#include "ensemble.h"
#include "interval.h"
#include "launch.h"
#include "misfit.h"
#include "model/families/scale.h"
#include "model/families/versions.h"
#include "models.h"

/*
 * The standard deviation of which a file tells the mean error: of Student's distribution of four degrees of freedom the
 * mean of |x| is this share of it.
 */
static const double mean_share = 0.7071067811865476;

/* Of a device that was measured, all its kernels together are off by this much from one set of rows to another, where no family says. */
static const double least_shared = 0.02;

/* Where a file does not say what is shared, half of the variance is. */
static void tell_own(const struct family *family, const struct coefficient_set *set, struct estimate *estimate)
{
    const bool told = set->shared > 0 || set->spread > 0;
    estimate->error = set->error;
    estimate->shared = fmax(family->set_shift > 0 ? family->set_shift : least_shared, set->shared);
    estimate->own = told ? set->spread : set->error / mean_share;
}

/*
 * What few devices show of how others may differ is too little: half as much again as they show, taken with some more
 * that show nothing; and at least what they show with as many whose shift is as usual (0.17 in the mean of all families of
 * a trial). Root mean squares taken for half-widths of nine of ten. All set after seeing the devices that were left out:
 * products came to 86 % within, at a half-width of four times the error in the middle.
 */
static const double usual_shift = 0.18, added = 5, widths_of_shift = 1.5, shift_level = 0.9;

static double with_more(double seen, uint32_t devices, double usual, double more)
{
    return sqrt((more * usual * usual + devices * seen * seen) / (more + devices));
}

static double shift_sd(double seen, uint32_t devices, double usual)
{
    const double width = fmax(widths_of_shift * with_more(seen, devices, 0, added),
                              with_more(seen, devices, usual > 0 ? usual : usual_shift, added));
    return interval_sd(width, shift_level);
}

static void tell_left_out(const struct answer *answer, const struct kernel *kernel, struct estimate *estimate)
{
    const struct family *family = answer->family;
    const struct coefficient_set *all = &answer->group->sets[0];
    const double usual = family->shift ? family->shift(kernel) : 0;
    const bool told = all->shared > 0 || all->spread > 0;
    const double half = all->error / mean_share * M_SQRT1_2;
    estimate->error = all->error;
    estimate->shared = told ? shift_sd(all->shared, answer->group->set_count - 1, usual) : half;
    estimate->own = told ? all->spread : half;
}

/* Boards of one chip differ less than chips; a device of another vendor is never near. */
static const double widening_of_chip = 0.4, widening_of_strangers = 1.5, most_widening = 2;

/*
 * By the distance to the nearest measured device, over what that of devices left out was: these were off as `shared` says.
 * Where generations are told apart, near and far are known by these, and the distance adds nothing.
 * Among devices left out the error in the middle hardly goes with the distance (11, 13, 16 and 11 % at 0.4, 2.0, 2.4 and 3.9), so
 * it counts little: its root, a distance of nothing as one of one, and a shorter one than those is none.
 */
static double by_distance(const struct group_model *group, double distance)
{
    const double typical = 1 + group->apart * group->apart;
    if (group->apart <= 0)
        return 1;
    return isfinite(distance) ? fmax(1, pow((1 + distance * distance) / typical, 0.25)) : most_widening;
}

static void widen(const struct group_model *group, const struct kin *kin, struct estimate *estimate)
{
    const bool chip = kin->kinship == KINSHIP_CHIP;
    const double far = by_distance(group, kin->distance) * (kin->stranger ? widening_of_strangers : 1);
    const double widening = chip ? widening_of_chip : fmin(far, most_widening);
    estimate->shared *= widening;
    estimate->own *= fmax(widening, 1);
}

/* Two fifths of what devices of several generations differ by as a whole. */
static const double shared_by_siblings = 0.07;

/* What siblings that were left out were off in the mean; 0: no group of them was measured. */
static double error_of_siblings(const struct group_model *group)
{
    const str name = group->residual == RESIDUAL_GENERATION ? S("sibling+trees") : S("sibling");
    for (uint32_t i = 0; i < group->candidate_count; i++)
        if (str_eq(group->candidates[i].name, name))
            return group->candidates[i].error;
    return 0;
}

/* At least the family's, and all that siblings were off beyond what is left over on the one that is carried. */
static double shift_of_siblings(const struct answer *answer)
{
    const double least = answer->family->sibling_shift, off = error_of_siblings(answer->group) / mean_share;
    const double beyond = off * off - answer->set->spread * answer->set->spread;
    return fmax(least > 0 ? least : shared_by_siblings, sqrt(fmax(beyond, 0)));
}

static str source_of(const struct group_model *group, const struct coefficient_set *set)
{
    return set == &group->sets[0] ? S("all") : set->device;
}

/*
 * A few rows leave the coefficients somewhat open, which all kernels share, and say less the further a kernel is from
 * them, which is its own.
 */
static double open_coefficients(const struct family *family, const struct coefficient_set *set,
                                const struct hardware *hardware, const struct kernel *kernel)
{
    const struct calibrated *calibrated = set->calibrated;
    const double us = family->us(kernel, hardware, set->value);
    double x[FAMILY_PARAMETERS], squares = 0;
    family_encode(family, set->value, x);
    for (uint32_t i = 0; i < calibrated->direction_count; i++) {
        double moved[FAMILY_PARAMETERS], value[FAMILY_PARAMETERS];
        for (uint32_t k = 0; k < family->parameter_count; k++)
            moved[k] = x[k] + calibrated->directions[i][k];
        family_decode(family, moved, value);
        const double off =
            log(family->us(kernel, hardware, value) / us) + calibrated->directions[i][family->parameter_count];
        squares += off * off;
    }
    return sqrt(squares);
}

static void tell_calibrated(const struct family *family, const struct coefficient_set *set,
                            const struct hardware *hardware, const struct kernel *kernel, struct estimate *estimate)
{
    const struct spot spot = spot_of(kernel, set_uncorrected_us(family, set, hardware, kernel, true));
    estimate->basis = BASIS_CALIBRATED;
    estimate->from = set->calibrated->made.len ? set->calibrated->made : set->device;
    estimate->error = set->error;
    estimate->shared = hypot(fmax(least_shared, set->shared), open_coefficients(family, set, hardware, kernel));
    estimate->own = hypot(set->spread, calibrated_own(set->calibrated, &spot));
}

/*
 * As half-widths of nine of ten: 1.6 of the ensemble's root mean square (1.645 is a normal distribution's), and by how much a
 * device is usually off as a whole, in the mean of all families of a trial. Of all ways to take the spread (root mean square,
 * of it and more for few, mean of sizes) and what stands beside it, this was chosen after seeing: products in single
 * precision, rows, element-wise, convolutions and lone collectives together, one formula for the five.
 */
static const double widths_of_ensemble = 1.6, usual_of_device = 0.17;

/* Over the host's links the host counts, which boards of one chip do not share. */
static bool is_of_chip(const struct answer *answer, const struct hardware *hardware)
{
    return answer->kin->kinship == KINSHIP_CHIP && !(answer->group->over_links && hardware->figure[HW_GPU_LINK] <= 0);
}

/*
 * What is usual of devices as a whole. Where launches of hosts are told apart, their differences are in what the measured devices would
 * say, and the file tells what those that were left out were off by beside them: few, so taken with some more that are as usual.
 */
static double usual_of(const struct family *family, const struct group_model *group)
{
    const struct coefficient_set *all = &group->sets[0];
    if (family->device_shift > 0)
        return family->device_shift;
    return all->host > 0 ? with_more(all->shared, group->set_count - 1, usual_of_device, added) : usual_of_device;
}

/*
 * What measured devices would say otherwise and what they leave over anywhere are the kernel's own; beside them a device is off
 * as a whole by what is usual.
 */
static void tell_ensemble(const struct answer *answer, const struct hardware *hardware, const struct kernel *kernel,
                          struct estimate *estimate)
{
    const struct group_model *group = answer->group;
    const bool chip = is_of_chip(answer, hardware);
    const double spread = ensemble_spread(answer->family, group, hardware, kernel, estimate->us);
    const double kind = chip ? widening_of_chip : few_of_kind(group, hardware) ? widening_of_strangers : 1;
    const double far = chip ? 1 : by_distance(group, answer->kin->distance);
    estimate->error = group->sets[0].error;
    estimate->shared = fmin(kind * far, most_widening) * interval_sd(usual_of(answer->family, group), shift_level);
    estimate->own = hypot(kind * interval_sd(widths_of_ensemble * spread, shift_level),
                          chip ? answer->set->spread : left_by_devices(group));
}

static void tell_source(const struct answer *answer, const struct hardware *hardware, const struct kernel *kernel,
                        struct estimate *estimate)
{
    const struct group_model *group = answer->group;
    const struct coefficient_set *set = answer->set;
    const struct kin *kin = answer->kin;
    estimate->from = source_of(group, set);
    estimate->model = group->group;
    if (kin->kinship == KINSHIP_SELF) {
        estimate->basis = BASIS_MEASURED;
        tell_own(answer->family, set, estimate);
        return;
    }
    estimate->basis = BASIS_CARRIED;
    if (kin->kinship == KINSHIP_GENERATION) {
        tell_own(answer->family, set, estimate);
        estimate->shared = shift_of_siblings(answer);
        return;
    }
    if (ensemble_of(group)) {
        tell_ensemble(answer, hardware, kernel, estimate);
        return;
    }
    if (group->sets[0].error > 0)
        tell_left_out(answer, kernel, estimate);
    else /* one device was measured: nothing says how far it carries */
        estimate_prior(estimate);
    widen(group, kin, estimate);
}

/*
 * Where nobody says whose kernel it is, or its word is not known, it may be that of any: their spread, with that of their
 * mean from so few. All kernels of a step have the library in common.
 */
static double library_doubt(const struct answer *answer, const struct hardware *hardware, const struct kernel *kernel)
{
    const uint32_t libraries = family_libraries(answer->family, kernel);
    double sum = 0, squares = 0, count = 0;
    for (int i = 0; libraries >> i; i++) {
        struct kernel of_one = *kernel;
        of_one.library = (enum library)i;
        if (!(libraries >> i & 1))
            continue;
        const double us =
            log(set_us_keeping(answer->family, answer->set, hardware, &of_one, answer->kin->learned, answer->learned));
        sum += us;
        squares += us * us;
        count++;
    }
    return count > 1 ? sqrt(fmax(0, squares - sum * sum / count) / (count - 1) * (1 + 1 / count)) : 0;
}

/*
 * The host of a lone call is another than those that were measured, but for a measured device, whose rows are predicted as of its
 * own host. What measured devices would say otherwise has their hosts in it: of the two the wider one counts. What the shortest
 * kernels take in a queue is off for all kernels alike.
 */
static void add_launch(const struct answer *answer, const struct hardware *hardware, const struct kernel *kernel,
                       struct estimate *estimate)
{
    const double sd = interval_sd(launch_doubt(answer->family, hardware, kernel, estimate), shift_level);
    if (!kernel->alone)
        estimate->shared = hypot(estimate->shared, sd);
    else if (answer->kin->kinship != KINSHIP_SELF)
        estimate->own = ensemble_of(answer->group) ? fmax(estimate->own, sd) : hypot(estimate->own, sd);
}

void doubt_of_set(const struct answer *answer, const struct hardware *hardware, const struct kernel *kernel,
                  struct estimate *estimate)
{
    const struct family *family = answer->family;
    const struct coefficient_set *set = answer->set;
    tell_source(answer, hardware, kernel, estimate);
    estimate->own = hypot(estimate->own * family_doubt(family, kernel), family->scatter ? family->scatter(kernel) : 0);
    if (set->calibrated)
        tell_calibrated(family, set, hardware, kernel, estimate);
    add_launch(answer, hardware, kernel, estimate);
    estimate->shared = hypot(estimate->shared, library_doubt(answer, hardware, kernel));
    if (!set->calibrated) /* whose rows are of the version that is used */
        estimate->shared = hypot(estimate->shared, version_doubt(family, kernel, hardware));
    estimate->unlike = family->unlike ? family->unlike(kernel, estimate->us) : 0;
    estimate->shared = hypot(estimate->shared, estimate->unlike);
}
