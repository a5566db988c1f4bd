/* SPDX-License-Identifier: Apache-2.0 */
#include "choose.h"

#include <math.h>

#include "model/estimate/interval.h"
#include "model/estimate/models.h"
#include "posterior.h"

/* A single measured row is off by so much, ln. Of 0.05, 0.1 and 0.15 ten rows of gemm gained most by this; set after seeing. */
static const double noise = 0.1;

double seconds_to_measure(double us)
{
    const double ready = 0.05, warm_ups = 3, fewest = 5, most = 30, enough_us = 40000; /* as python/measure.py has it */
    return ready + (warm_ups + fmin(most, fmax(fewest, enough_us / us))) * us * 1e-6;
}

/* ---- kernels that share a model ---- */

struct cluster {
    struct prior prior;
    struct coefficient_set centre;
    uint32_t *at; /* of the wanted */
    uint32_t count;
    double *covariance; /* count x count */
};

/* Whose coefficients answer for it; those that the family starts from where none were fitted. */
static bool prior_of_kernel(const struct models *models, const struct hardware *hardware, const struct kernel *kernel,
                            struct cluster *cluster)
{
    struct kin kin;
    const struct family *family = family_of_kernel(kernel, hardware);
    if (!family)
        return false;
    const struct group_model *group =
        coefficients_group(models_family(models, family), family_group(family, kernel, hardware));
    const struct coefficient_set *set = group ? coefficients_for(group, hardware, &kin) : NULL;
    cluster->centre = set ? *set : starting_set(family);
    cluster->centre.residual = NULL;
    cluster->prior = (struct prior){.family = family, .group = group, .hardware = hardware, .own = 1};
    return true;
}

static bool same_model(const struct hardware *hardware, const struct wanted *a, const struct wanted *b)
{
    const struct family *family = family_of_kernel(a->kernel, hardware);
    return family && family == family_of_kernel(b->kernel, hardware) &&
           str_eq(family_group(family, a->kernel, hardware), family_group(family, b->kernel, hardware));
}

/* The wanted from `first` on that share its model and were not taken before. */
static void gather(const struct wanted *wanted, const struct estimate *estimates, uint32_t count, uint32_t first,
                   bool *taken, struct cluster *cluster, struct arena *arena)
{
    cluster->at = arena_array(arena, count, sizeof *cluster->at);
    for (uint32_t i = first; i < count; i++) {
        if (taken[i] || !(estimates[i].us > 0) || !same_model(cluster->prior.hardware, &wanted[first], &wanted[i]))
            continue;
        taken[i] = true;
        cluster->at[cluster->count++] = i;
    }
}

/* As wide as the estimates say, and together as the prior has it. */
static void fill_covariance(const struct wanted *wanted, const struct estimate *estimates, struct cluster *cluster,
                            struct arena *arena)
{
    const uint32_t n = cluster->count;
    const struct kernel **kernels = arena_array(arena, n, sizeof *kernels);
    cluster->covariance = arena_array(arena, (size_t)n * n, sizeof *cluster->covariance);
    cluster->prior.centre = &cluster->centre;
    for (uint32_t i = 0; i < n; i++)
        kernels[i] = wanted[cluster->at[i]].kernel;
    prior_covariance(&cluster->prior, kernels, n, cluster->covariance);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            const struct estimate *a = &estimates[cluster->at[i]], *b = &estimates[cluster->at[k]];
            double *entry = &cluster->covariance[(size_t)i * n + k];
            *entry = *entry * a->own * b->own + a->shared * b->shared;
        }
}

/* ---- one after the other ---- */

static double variance_after(const struct cluster *cluster, uint32_t i)
{
    return cluster->covariance[(size_t)i * cluster->count + i] + noise * noise;
}

static double gain_of(const struct cluster *cluster, const struct wanted *wanted, uint32_t i, bool together)
{
    double sum = 0, squares = 0;
    for (uint32_t k = 0; k < cluster->count; k++) {
        const double common = wanted[cluster->at[k]].weight * cluster->covariance[(size_t)i * cluster->count + k];
        sum += common;
        squares += common * common;
    }
    return (together ? sum * sum : squares) / variance_after(cluster, i);
}

/* What is known once it is measured. */
static void measure(struct cluster *cluster, uint32_t i)
{
    const uint32_t n = cluster->count;
    const double variance = variance_after(cluster, i);
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; p != i && q < n; q++)
            if (q != i)
                cluster->covariance[(size_t)p * n + q] -=
                    cluster->covariance[(size_t)p * n + i] * cluster->covariance[(size_t)i * n + q] / variance;
    const double left = noise * noise / variance;
    for (uint32_t p = 0; p < n; p++) {
        cluster->covariance[(size_t)p * n + i] *= left;
        if (p != i)
            cluster->covariance[(size_t)i * n + p] *= left;
    }
}

struct best {
    uint32_t cluster, at;
    double rate, gain;
};

static struct best best_of(const struct cluster *clusters, uint32_t count, const struct wanted *wanted,
                           const bool *measured, bool together)
{
    struct best best = {.cluster = UINT32_MAX};
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = 0; i < clusters[c].count; i++) {
            const uint32_t at = clusters[c].at[i];
            if (measured[at] || wanted[at].seconds <= 0)
                continue;
            const double gain = gain_of(&clusters[c], wanted, i, together), rate = gain / wanted[at].seconds;
            if (rate > best.rate)
                best = (struct best){c, i, rate, gain};
        }
    return best;
}

static uint32_t pick(struct cluster *clusters, uint32_t count, const struct wanted *wanted, uint32_t wanted_count,
                     bool together, uint32_t most, struct choice *choices, struct arena *arena)
{
    bool *measured = arena_array(arena, wanted_count, sizeof *measured);
    uint32_t picked = 0;
    while (picked < most) {
        const struct best best = best_of(clusters, count, wanted, measured, together);
        if (best.cluster == UINT32_MAX)
            break;
        choices[picked] = (struct choice){clusters[best.cluster].at[best.at], best.gain};
        measured[choices[picked++].at] = true;
        measure(&clusters[best.cluster], best.at);
    }
    return picked;
}

uint32_t choose_rows(const struct models *models, const struct hardware *hardware, const struct wanted *wanted,
                     uint32_t count, bool together, uint32_t most, struct choice *choices)
{
    struct arena scratch = {0};
    struct estimate *estimates = arena_array(&scratch, count, sizeof *estimates);
    struct cluster *clusters = arena_array(&scratch, count, sizeof *clusters);
    bool *taken = arena_array(&scratch, count, sizeof *taken);
    uint32_t cluster_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!models_estimate(models, hardware, wanted[i].kernel, &estimates[i], NULL))
            estimates[i].us = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct cluster *cluster = &clusters[cluster_count];
        if (taken[i] || !(estimates[i].us > 0) || !prior_of_kernel(models, hardware, wanted[i].kernel, cluster))
            continue;
        gather(wanted, estimates, count, i, taken, cluster, &scratch);
        fill_covariance(wanted, estimates, cluster, &scratch);
        cluster_count++;
    }
    const uint32_t picked = pick(clusters, cluster_count, wanted, count, together, most, choices, &scratch);
    arena_free(&scratch);
    return picked;
}

/* ---- among kernels that count alike ---- */

uint32_t choose_next(const struct next_asked *asked, const struct kernel **picked)
{
    struct arena scratch = {0};
    struct wanted *wanted = arena_array(&scratch, asked->count, sizeof *wanted);
    struct choice *choices = arena_array(&scratch, asked->most, sizeof *choices);
    for (uint32_t i = 0; i < asked->count; i++) {
        struct estimate estimate;
        wanted[i] = (struct wanted){.kernel = asked->among[i], .weight = 1};
        if (models_estimate(asked->models, asked->hardware, asked->among[i], &estimate, NULL))
            wanted[i].seconds = seconds_to_measure(estimate.us);
    }
    const uint32_t count =
        choose_rows(asked->models, asked->hardware, wanted, asked->count, false, asked->most, choices);
    for (uint32_t i = 0; i < count; i++)
        picked[i] = asked->among[choices[i].at];
    arena_free(&scratch);
    return count;
}
