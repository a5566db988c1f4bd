/* SPDX-License-Identifier: Apache-2.0 */
#include "doubt.h"

#include <math.h>

#include "interval.h"
#include "model/families/scale.h"
#include "models.h"

/*
 * The standard deviation of which a file tells the mean error: of Student's distribution of four degrees of freedom the
 * mean of |x| is this share of it.
 */
static const double mean_share = 0.7071067811865476;

/* Of a device that was measured, all its kernels together are off by this much from one set of rows to another. */
static const double least_shared = 0.02;

/* Where a file does not say what is shared, half of the variance is. */
static void tell_own(const struct coefficient_set *set, struct estimate *estimate)
{
    const bool told = set->shared > 0 || set->spread > 0;
    estimate->error = set->error;
    estimate->shared = fmax(least_shared, set->shared);
    estimate->own = told ? set->spread : set->error / mean_share;
}

/*
 * What few devices show of how others may differ is too little: half as much again as they show, taken with some more
 * that show nothing; and at least what they show with as many whose shift is as usual (0.17 in the mean of all families of
 * a trial). The same of hosts, twice, of which launches differ as on those of the public tables. Root mean squares taken
 * for half-widths of nine of ten. All set after seeing the devices that were left out: products came to 86 % within, at
 * a half-width of four times the error in the middle. (One formula, 1.645 of what they show with five that are as usual, was
 * tried: lone collectives came from 79 to 88 %, but at five times the error, and three serving tables above 99.)
 */
static const double usual_shift = 0.18, usual_host = 0.2, added = 5, added_hosts = 3, widths_of_shift = 1.5,
                    widths_of_host = 2, shift_level = 0.9;

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

static double host_sd(double seen, uint32_t hosts)
{
    return interval_sd(widths_of_host * with_more(seen, hosts, usual_host, added_hosts), shift_level);
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

/* By how much a lone call is longer on a host whose launches take one standard deviation longer, ln. */
static double host_doubt(const struct family *family, const struct coefficient_set *set, double sd,
                         const struct hardware *hardware, const struct kernel *kernel)
{
    double value[FAMILY_PARAMETERS];
    if (!kernel->alone || sd <= 0)
        return 0;
    for (uint32_t i = 0; i < family->parameter_count; i++)
        value[i] = set->value[i] * (family->parameters[i].host ? exp(sd) : 1);
    return fabs(log(family->us(kernel, hardware, value) / family->us(kernel, hardware, set->value)));
}

/* Two fifths of what devices of several generations differ by as a whole. */
static const double shared_by_siblings = 0.07;

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

static void tell_source(const struct answer *answer, const struct kernel *kernel, struct estimate *estimate)
{
    const struct group_model *group = answer->group;
    const struct coefficient_set *set = answer->set;
    const struct kin *kin = answer->kin;
    estimate->from = source_of(group, set);
    estimate->model = group->group;
    if (kin->kinship == KINSHIP_SELF) {
        estimate->basis = BASIS_MEASURED;
        tell_own(set, estimate);
        return;
    }
    estimate->basis = BASIS_CARRIED;
    if (kin->kinship == KINSHIP_GENERATION) {
        tell_own(set, estimate);
        estimate->shared = shared_by_siblings;
        return;
    }
    if (group->sets[0].error > 0)
        tell_left_out(answer, kernel, estimate);
    else /* one device was measured: nothing says how far it carries */
        estimate_prior(estimate);
    widen(group, kin, estimate);
}

/*
 * With each GPU left out in turn, 4,144 rows of products: of all ways to weigh the distance of pooled coefficients and
 * those of the nearest device this one had the narrowest intervals of nine of ten. Set after seeing that.
 */
static const double width_of_distance = 1.1;

double ensemble_width(double us, double other_us)
{
    return us > 0 && other_us > 0 ? width_of_distance * fabs(log(other_us / us)) : 0;
}

/* What the other set, by which it might as well be predicted, says otherwise. */
static void add_ensemble(const struct family *family, const struct coefficient_set *other,
                         const struct hardware *hardware, const struct kernel *kernel, struct estimate *estimate)
{
    if (!other)
        return;
    const double width = ensemble_width(estimate->us, set_us(family, other, hardware, kernel, false));
    estimate->own = hypot(estimate->own, interval_sd(width, shift_level));
}

/* Boards of one chip stand in other hosts, too. */
static void add_host(const struct group_model *group, const struct family *family, const struct coefficient_set *set,
                     const struct hardware *hardware, const struct kernel *kernel, struct estimate *estimate)
{
    const double seen = group->sets[0].host;
    const double sd = seen > 0 ? host_sd(seen, group->set_count - 1) : 0;
    const double host = host_doubt(family, set, sd, hardware, kernel);
    estimate->shared = hypot(estimate->shared, host);
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
        const double us = log(set_us(answer->family, answer->set, hardware, &of_one, answer->kin->learned));
        sum += us;
        squares += us * us;
        count++;
    }
    return count > 1 ? sqrt(fmax(0, squares - sum * sum / count) / (count - 1) * (1 + 1 / count)) : 0;
}

void doubt_of_set(const struct answer *answer, const struct hardware *hardware, const struct kernel *kernel,
                  struct estimate *estimate)
{
    const struct family *family = answer->family;
    const struct coefficient_set *set = answer->set;
    tell_source(answer, kernel, estimate);
    estimate->own *= family_doubt(family, kernel);
    if (set->calibrated)
        tell_calibrated(family, set, hardware, kernel, estimate);
    if (answer->kin->kinship != KINSHIP_SELF) {
        add_host(answer->group, family, set, hardware, kernel, estimate);
        add_ensemble(family, answer->kin->other, hardware, kernel, estimate);
    }
    estimate->shared = hypot(estimate->shared, library_doubt(answer, hardware, kernel));
}
