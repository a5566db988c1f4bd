/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel on a device: which coefficients answer. How far off that may be is doubt.c. */
#include <math.h>

#include "base/error.h"
#include "doubt.h"
#include "generation.h"
#include "interval.h"
#include "launch.h"
#include "model/families/families.h"
#include "models.h"

/* Residuals are learned on lone kernels, so a kernel is described as one. */
static double learned_of(const struct family *family, const struct coefficient_set *set,
                         const struct hardware *hardware, const struct kernel *kernel, enum library library,
                         struct learned *kept)
{
    if (kept->known >> library & 1)
        return kept->of[library];
    struct kernel alone = *kernel;
    double features[FAMILY_FEATURES];
    const double most_residual = family_most_residual(family);
    alone.alone = true;
    alone.library = library;
    family->describe(&alone, hardware, set->value, features);
    kept->known |= 1u << library;
    kept->of[library] = fmin(most_residual, fmax(-most_residual, trees_eval(set->residual, features)));
    return kept->of[library];
}

/* Where no library is told, the mean of what was learned of each. */
static double learned(const struct family *family, const struct coefficient_set *set, const struct hardware *hardware,
                      const struct kernel *kernel, struct learned *kept)
{
    const uint32_t libraries = family_libraries(family, kernel);
    double sum = 0;
    uint32_t count = 0;
    for (int i = 0; libraries >> i; i++)
        if (libraries >> i & 1) {
            sum += learned_of(family, set, hardware, kernel, (enum library)i, kept);
            count++;
        }
    return count ? sum / count : learned_of(family, set, hardware, kernel, kernel->library, kept);
}

static double uncorrected_us(const struct family *family, const struct coefficient_set *set,
                             const struct hardware *hardware, const struct kernel *kernel, bool residual,
                             struct learned *kept)
{
    kept->formula_us = family->us(kernel, hardware, set->value);
    const double us = kept->formula_us * set_factor(set);
    const bool use = residual && set->residual && !(family->like_measured && !family->like_measured(kernel));
    return use ? us * exp(learned(family, set, hardware, kernel, kept)) : us;
}

double set_uncorrected_us(const struct family *family, const struct coefficient_set *set,
                          const struct hardware *hardware, const struct kernel *kernel, bool residual)
{
    struct learned learned = {0};
    return uncorrected_us(family, set, hardware, kernel, residual, &learned);
}

double set_us(const struct family *family, const struct coefficient_set *set, const struct hardware *hardware,
              const struct kernel *kernel, bool residual)
{
    struct learned learned = {0};
    return set_us_keeping(family, set, hardware, kernel, residual, &learned);
}

double set_us_keeping(const struct family *family, const struct coefficient_set *set, const struct hardware *hardware,
                      const struct kernel *kernel, bool residual, struct learned *learned)
{
    const double us = uncorrected_us(family, set, hardware, kernel, residual, learned);
    if (!set->calibrated || !set->calibrated->point_count)
        return us;
    const struct spot spot = spot_of(kernel, us);
    return us * exp(calibrated_log(set->calibrated, &spot));
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

/*
 * What matrix units do is told by the peak of its type: a device without that computes in another way, if at all, and no
 * model has measured that. Single precision is a matter of the figures that a family needs.
 */
static bool has_arithmetic(const struct hardware *hardware, const struct kernel *kernel, struct steptime_error *err)
{
    enum precision precision;
    const bool formatted = format_precision(kernel->format, &precision);
    const str type = formatted ? format_word(kernel->format) : dtype_word(kernel->dtype), name = hardware->name;
    const bool single = kernel->dtype == DTYPE_UNKNOWN || kernel->dtype == DTYPE_F32;
    if (!kernel_form_is_matrix(kernel->form) || (single && !formatted))
        return true;
    if (!formatted && !dtype_precision(kernel->dtype, true, &precision))
        return fail(err, STEPTIME_USAGE, "no model has products in %.*s", (int)type.len, type.at);
    return hardware_peak(hardware, precision) > 0 ||
           fail(err, STEPTIME_USAGE, "%.*s has no peak for products in %.*s, so what they take is not known",
                (int)name.len, name.at, (int)type.len, type.at);
}

struct coefficient_set starting_set(const struct family *family)
{
    struct coefficient_set set = {.device = S("*")};
    for (uint32_t i = 0; i < family->parameter_count; i++)
        set.value[i] = family->parameters[i].start;
    return set;
}

/* ---- estimating ---- */

static uint32_t family_number(const struct family *family)
{
    for (uint32_t i = 0; i < family_count; i++)
        if (family_rows[i].family == family)
            return i < ESTIMATE_NO_FAMILY ? i : ESTIMATE_NO_FAMILY;
    return ESTIMATE_NO_FAMILY;
}

/* By the set; or, from one generation to another, by the mean of what they say. */
static double carried_us(const struct family *family, const struct group_model *group,
                         const struct coefficient_set *set, const struct kin *kin, const struct hardware *hardware,
                         const struct kernel *kernel, struct learned *learned)
{
    if (group && group->carry == CARRY_GENERATIONS && kin->kinship == KINSHIP_NONE && group->set_count > 1)
        return generations_us(family, group->sets + 1, group->set_count - 1, hardware, kernel, NULL);
    if (group && group->carry == CARRY_NEAREST_GENERATION && kin->kinship == KINSHIP_NONE && group->held_count)
        return nearest_generation_us(family, group->held, group->held_count, hardware, kernel, S(""));
    return set_us_keeping(family, set, hardware, kernel, kin->learned, learned);
}

/* TF32 is a leave to round, not another type: a device without it multiplies single precision as it is. */
static struct kernel as_multiplied(const struct kernel *kernel, const struct hardware *hardware)
{
    struct kernel plain = *kernel;
    if (plain.format == FORMAT_TF32 && hardware->figure[HW_TF32] <= 0)
        plain.format = FORMAT_PLAIN;
    return plain;
}

bool models_estimate(const struct models *models, const struct hardware *hardware, const struct kernel *asked,
                     struct estimate *estimate, struct steptime_error *err)
{
    const struct kernel multiplied = as_multiplied(asked, hardware), *kernel = &multiplied;
    const char *problem = kernel_check(kernel);
    if (problem)
        return fail(err, STEPTIME_INPUT, "%s", problem);
    const struct family *family = family_of_kernel(kernel, hardware);
    if (!family)
        return fail(err, STEPTIME_INPUT, "no model has kernels of this form");
    if (!has_figures(family, hardware, kernel, err) || !has_arithmetic(hardware, kernel, err))
        return false;
    const struct group_model *group =
        coefficients_group(models_family(models, family), family_group(family, kernel, hardware));
    struct kin kin = {.kinship = KINSHIP_NONE};
    const struct coefficient_set *set = group ? coefficients_for(group, hardware, &kin) : NULL;
    const struct coefficient_set start = set ? (struct coefficient_set){0} : starting_set(family);
    struct learned learned = {0};
    *estimate = (struct estimate){
        .us = carried_us(family, group, set ? set : &start, &kin, hardware, kernel, &learned),
        .basis = kernel->form == FORM_BYTES ? BASIS_BYTES : BASIS_ANALYTIC,
        .family = family_number(family),
        .from = S(""),
        .model = group ? group->group : str_of(family->name),
    };
    if (kernel->alone)
        estimate->launch_us =
            launch_of(family, set ? set->value : start.value, hardware, kernel, learned.formula_us) * estimate->us;
    if (set)
        doubt_of_set(&(struct answer){family, group, set, &kin, &learned}, hardware, kernel, estimate);
    else
        estimate_prior_within(estimate, launch_prior(hardware, kernel, estimate));
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
    static const char *const words[] = {"measured", "calibrated", "carried", "analytic", "bytes"};
    return str_of(words[basis]);
}
