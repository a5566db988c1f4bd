/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel on a device: which coefficients answer, and how far off that may be. */
#include <math.h>

#include "base/error.h"
#include "interval.h"
#include "model/families/families.h"
#include "models.h"

/* How far a learned residual may move an analytic time: a factor of two either way. */
static const double most_residual = 0.7;

static double set_analytic_us(const struct family *family, const struct coefficient_set *set,
                              const struct hardware *hardware, const struct kernel *kernel)
{
    return family->us(kernel, hardware, set->value) * set_factor(set);
}

/* Residuals are learned on lone kernels, so a kernel is described as one. */
double set_us(const struct family *family, const struct coefficient_set *set, const struct hardware *hardware,
              const struct kernel *kernel, bool residual)
{
    const double us = set_analytic_us(family, set, hardware, kernel);
    if (!residual || !set->residual || (family->like_measured && !family->like_measured(kernel)))
        return us;
    struct kernel alone = *kernel;
    double features[FAMILY_FEATURES];
    alone.alone = true;
    family->describe(&alone, hardware, set->value, features);
    return us * exp(fmin(most_residual, fmax(-most_residual, trees_eval(set->residual, features))));
}

static bool has_figures(const struct family *family, const struct hardware *hardware, const struct kernel *kernel,
                        struct steptime_error *err)
{
    const uint32_t needs = family->needs | (family->also_needs ? family->also_needs(kernel, hardware) : 0);
    for (int key = 0; key < HW_KEYS; key++) {
        if (!(needs >> key & 1) || hardware->figure[key] > 0)
            continue;
        const str name = hardware->name, word = hw_key_word((enum hw_key)key);
        return fail(err, STEPTIME_INPUT, "%.*s lacks the figure %.*s, which %s kernels need", (int)name.len, name.at,
                    (int)word.len, word.at, family->name);
    }
    return true;
}

/* Of a family that was never fitted. */
static struct coefficient_set starting_set(const struct family *family)
{
    struct coefficient_set set = {.device = S("*")};
    for (uint32_t i = 0; i < family->parameter_count; i++)
        set.value[i] = family->parameters[i].start;
    return set;
}

/* ---- how far off ---- */

/*
 * The standard deviation of which a file tells the mean error: of Student's distribution of four degrees of freedom the
 * mean of |x| is this share of it.
 */
static const double mean_share = 0.7071067811865476;

/* Of a device that was measured, all its kernels together are off by this much from one set of rows to another. */
static const double least_shared = 0.02;

/* Where a file does not say what is shared, half of the variance is. */
static void tell_doubt(const struct coefficient_set *set, bool left_out, struct estimate *estimate)
{
    const bool told = set->shared > 0 || set->spread > 0;
    const double sd = set->error / mean_share;
    estimate->error = set->error;
    estimate->shared = fmax(least_shared, told ? set->shared : left_out ? sd * M_SQRT1_2 : 0);
    estimate->own = told ? set->spread : left_out ? sd * M_SQRT1_2 : sd;
}

/* Left out, a device of another vendor is never near, and boards of one chip differ less than chips. */
static const double widening_of_chip = 0.4, widening_of_strangers = 1.5;

static void widen(const struct kin *kin, struct estimate *estimate)
{
    const double widening = kin->kinship == KINSHIP_CHIP ? widening_of_chip : kin->stranger ? widening_of_strangers : 1;
    estimate->shared *= widening;
    estimate->own *= fmax(widening, 1);
}

static str source_of(const struct group_model *group, const struct coefficient_set *set)
{
    return set == &group->sets[0] ? S("all") : set->device;
}

static void tell_source(const struct group_model *group, const struct coefficient_set *set, const struct kin *kin,
                        struct estimate *estimate)
{
    estimate->from = source_of(group, set);
    estimate->model = group->group;
    if (kin->kinship == KINSHIP_SELF) {
        estimate->basis = BASIS_MEASURED;
        tell_doubt(set, false, estimate);
        return;
    }
    estimate->basis = BASIS_CARRIED;
    if (group->sets[0].error > 0)
        tell_doubt(&group->sets[0], true, estimate);
    else /* one device was measured: nothing says how far it carries */
        estimate_prior(estimate);
    widen(kin, estimate);
}

/* ---- estimating ---- */

static uint32_t family_number(const struct family *family)
{
    for (uint32_t i = 0; i < family_count; i++)
        if (family_rows[i].family == family)
            return i < ESTIMATE_NO_FAMILY ? i : ESTIMATE_NO_FAMILY;
    return ESTIMATE_NO_FAMILY;
}

bool models_estimate(const struct models *models, const struct hardware *hardware, const struct kernel *kernel,
                     struct estimate *estimate, struct steptime_error *err)
{
    const char *problem = kernel_check(kernel);
    if (problem)
        return fail(err, STEPTIME_INPUT, "%s", problem);
    const struct family *family = family_of_kernel(kernel);
    if (!family)
        return fail(err, STEPTIME_INPUT, "no model has kernels of this form");
    if (!has_figures(family, hardware, kernel, err))
        return false;
    const struct group_model *group = coefficients_group(models_family(models, family), family_group(family, kernel));
    struct kin kin = {.kinship = KINSHIP_NONE};
    const struct coefficient_set *set = group ? coefficients_for(group, hardware, &kin) : NULL;
    const struct coefficient_set start = set ? (struct coefficient_set){0} : starting_set(family);
    *estimate = (struct estimate){
        .us = set_us(family, set ? set : &start, hardware, kernel, kin.kinship == KINSHIP_SELF),
        .basis = kernel->form == FORM_BYTES ? BASIS_BYTES : BASIS_ANALYTIC,
        .family = family_number(family),
        .from = S(""),
        .model = group ? group->group : str_of(family->name),
    };
    if (set)
        tell_source(group, set, &kin, estimate);
    else
        estimate_prior(estimate);
    return true;
}

static const double least_us = 1.5; /* the shortest kernels take about that on any device of the last ten years */

bool estimate_bytes(const struct hardware *hardware, const struct kernel *kernel, struct estimate *estimate)
{
    const double rate = hardware->figure[HW_MEMORY_RATE];
    if (rate <= 0 || kernel_check(kernel))
        return false;
    *estimate = (struct estimate){
        .us = kernel_bytes(kernel) / rate * 1e6 + least_us,
        .basis = BASIS_BYTES,
        .family = ESTIMATE_NO_FAMILY,
        .from = S(""),
        .model = S("bytes"),
    };
    estimate_prior(estimate);
    return true;
}

str estimate_basis_word(enum estimate_basis basis)
{
    static const char *const words[] = {"measured", "carried", "analytic", "bytes"};
    return str_of(words[basis]);
}
