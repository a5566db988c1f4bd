/* SPDX-License-Identifier: Apache-2.0 */
/* What is carried to a device that was never measured, judged by leaving out measured ones. */
#include "model/estimate/carry.h"

#include <math.h>

#include "fit_work.h"

enum { POOL_ROWS = 400, VENDOR_ROWS = 1600, POOL_STEPS = 20 }; /* of a device; of the search */

/* Some of the parts of the work. */
struct choice {
    bool taken[MOST_DEVICES];
    uint32_t count;
};

/* All parts but one (UINT32_MAX: all), of one vendor where that is given. */
static struct choice others(const struct work *work, uint32_t left_out, str vendor)
{
    struct choice choice = {0};
    for (uint32_t i = 0; i < work->part_count; i++) {
        choice.taken[i] = i != left_out && (!vendor.len || str_eq(vendor_of(work->own[i].device), vendor));
        choice.count += choice.taken[i];
    }
    return choice;
}

/* Some rows of each, one device after the other. */
static struct rows pool(const struct work *work, const struct choice *choice, uint32_t most, struct arena *arena)
{
    struct rows pool = {arena_array(arena, (size_t)choice->count * most, sizeof *pool.at), 0};
    for (uint32_t i = 0; i < work->part_count; i++) {
        if (!choice->taken[i])
            continue;
        const struct rows thin = rows_thinned(work->parts[i], most, arena);
        for (uint32_t row = 0; row < thin.count; row++)
            pool.at[pool.count++] = thin.at[row];
    }
    return pool;
}

static void fit_pooled(const struct work *work, struct rows rows, struct coefficient_set *set)
{
    const struct fitting fitting = {
        .family = work->family, .devices = work->devices, .rows = rows, .held = true, .steps = POOL_STEPS};
    fit_coefficients(&fitting, set->value);
    set->rows = rows.count;
}

/* Every device keeps the host figures that its own rows show; their middle goes with the coefficients. */
static void fit_vendor(const struct work *work, const struct choice *choice, struct coefficient_set *set)
{
    struct arena scratch = {0};
    const double *hosts[MOST_DEVICES] = {0};
    for (uint32_t i = 0; i < work->part_count; i++)
        hosts[work->device[i]] = work->own[i].value;
    const struct fitting fitting = {.family = work->family,
                                    .devices = work->devices,
                                    .rows = pool(work, choice, VENDOR_ROWS, &scratch),
                                    .hosts = hosts,
                                    .held = true,
                                    .steps = POOL_STEPS};
    fit_coefficients(&fitting, set->value);
    host_in_the_middle(work, choice->taken, set);
    set->rows = fitting.rows.count;
    arena_free(&scratch);
}

/* ---- errors with a device left out ---- */

/* By candidate. */
struct errors {
    struct left_out pooled, nearest, generation, learned, vendor, launched;
};

static void add_vendor_errors(const struct work *work, uint32_t part, const struct coefficient_set *pooled,
                              struct errors *errors)
{
    struct coefficient_set set = *pooled;
    const struct choice alike = others(work, part, vendor_of(work->own[part].device));
    set.residual = NULL;
    if (alike.count)
        fit_vendor(work, &alike, &set);
    left_out_add(&errors->vendor, work, &set, NULL, false, part);
    host_of_rows(work, work->parts[part], &set);
    left_out_add(&errors->launched, work, &set, NULL, false, part);
}

static uint32_t nearest_part(const struct work *work, uint32_t part)
{
    uint32_t nearest = part;
    double least = INFINITY;
    for (uint32_t i = 0; i < work->part_count; i++) {
        const double distance =
            hardware_distance(&work->own[i].hardware, &work->own[part].hardware, family_over_links(work->family));
        if (i == part || distance >= least)
            continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}

static struct errors left_out_errors(const struct work *work)
{
    struct errors errors = {0};
    for (uint32_t i = 0; i < work->part_count; i++) {
        struct arena scratch = {0};
        struct coefficient_set set = {0};
        const struct choice choice = others(work, i, S(""));
        const struct rows rows = pool(work, &choice, POOL_ROWS, &scratch);
        fit_pooled(work, rows, &set);
        const struct coefficient_set *near = &work->own[nearest_part(work, i)];
        left_out_add(&errors.pooled, work, &set, near, false, i);
        left_out_add(&errors.nearest, work, near, &set, false, i);
        if (work->held)
            left_out_add_generation(&errors.generation, work, &set, i);
        if (can_learn(work))
            set.residual = learn_residual(work, &set, rows, &scratch);
        left_out_add(&errors.learned, work, &set, NULL, true, i);
        if (has_host(work->family))
            add_vendor_errors(work, i, &set, &errors);
        arena_free(&scratch);
    }
    return errors;
}

/* ---- the choice ---- */

void add_candidate(struct group_model *group, const char *name, double error)
{
    group->candidates[group->candidate_count++] = (struct candidate){str_of(name), error};
}

static void add_vendors(const struct work *work, struct group_model *group)
{
    group->vendors = arena_array(work->arena, work->part_count, sizeof *group->vendors);
    for (uint32_t i = 0; i < work->part_count; i++) {
        const str vendor = vendor_of(work->own[i].device);
        uint32_t at = 0;
        while (at < group->vendor_count && !str_eq(group->vendors[at].device, vendor))
            at++;
        if (at < group->vendor_count || !vendor.len)
            continue;
        struct coefficient_set *set = &group->vendors[group->vendor_count++];
        const struct choice choice = others(work, UINT32_MAX, vendor);
        set->device = vendor;
        fit_vendor(work, &choice, set);
        set->error = group->sets[0].error;
    }
}

static const double convincing = 1.1; /* times the error of one generation, that of all must be beyond */

/*
 * Of one device and its generation the generation is taken: with few devices left out the two hardly differ, and a mean
 * errs less. Of few devices that are left out one decides whether all together err less, so they must by a tenth. Rows of
 * the device that is left out say how much of the error is the host's; they are no candidate for the
 * choice.
 */
static void choose_carry(const struct work *work, struct group_model *group)
{
    const struct errors errors = left_out_errors(work);
    const struct left_out *best = &errors.pooled;
    const bool host = has_host(work->family);
    add_candidate(group, "pooled", errors.pooled.error);
    add_candidate(group, "nearest", errors.nearest.error);
    if (work->held)
        add_candidate(group, "nearest_generation", errors.generation.error);
    if (can_learn(work))
        add_candidate(group, "pooled+trees", errors.learned.error);
    if (host)
        add_candidate(group, "vendor", errors.vendor.error);
    if (host)
        add_candidate(group, "vendor+launch", errors.launched.error);
    group->carry = CARRY_POOLED;
    if (!work->held && errors.nearest.error < best->error) {
        group->carry = CARRY_NEAREST;
        best = &errors.nearest;
    }
    if (work->held && errors.generation.error < best->error * convincing) {
        group->carry = CARRY_NEAREST_GENERATION;
        best = &errors.generation;
        group->held = work->held;
        group->held_count = work->part_count;
    }
    if (host && errors.vendor.error < best->error) {
        group->carry = CARRY_VENDOR;
        best = &errors.vendor;
    }
    group->sets[0].error = best->error;
    left_out_doubt(host ? &errors.launched : best, &group->sets[0]);
    group->sets[0].host = host ? host_spread(work) : 0;
    if (group->carry == CARRY_VENDOR)
        add_vendors(work, group);
}

void fit_all(const struct work *work, struct coefficient_set *set)
{
    struct arena scratch = {0};
    const struct choice all = others(work, UINT32_MAX, S(""));
    set->device = S("*");
    fit_pooled(work, pool(work, &all, POOL_ROWS, &scratch), set);
    arena_free(&scratch);
}

void fit_carried(const struct work *work, struct group_model *group)
{
    fit_all(work, &group->sets[0]);
    if (work->part_count > 1)
        choose_carry(work, group);
}
