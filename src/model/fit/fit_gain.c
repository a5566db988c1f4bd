/* SPDX-License-Identifier: Apache-2.0 */
#include "fit_gain.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "model/posterior/like.h"
#include "model/estimate/interval.h"
#include "model/families/families.h"

static const double level = 0.9;

/* The rows of one group on one device. */
struct group_rows {
    const struct family *family;
    const struct hardware *hardware;
    str group;
    const struct kernel **kernels;
    double *us;
    uint32_t count;
};

static bool is_of(const struct kernel *kernel, const struct group_rows *of)
{
    return family_of_kernel(kernel, of->hardware) == of->family &&
           str_eq(family_group(of->family, kernel, of->hardware), of->group);
}

static struct group_rows group_of_row(const struct measurements *all, uint32_t row)
{
    const struct kernel *kernel = &all->rows[row].kernel;
    const struct hardware *hardware = &all->devices[all->rows[row].device];
    const struct family *family = family_of_kernel(kernel, hardware);
    return (struct group_rows){.family = family, .hardware = hardware, .group = family_group(family, kernel, hardware)};
}

static struct group_rows rows_from(const struct measurements *all, uint32_t first, struct arena *arena)
{
    struct group_rows of = group_of_row(all, first);
    of.kernels = arena_array(arena, all->count, sizeof *of.kernels);
    of.us = arena_array(arena, all->count, sizeof *of.us);
    for (uint32_t i = first; i < all->count; i++) {
        if (all->rows[i].device != all->rows[first].device || !is_of(&all->rows[i].kernel, &of))
            continue;
        of.kernels[of.count] = &all->rows[i].kernel;
        of.us[of.count++] = all->rows[i].us;
    }
    return of;
}

static bool told_before(const struct measurements *all, uint32_t row)
{
    const struct group_rows of = group_of_row(all, row);
    for (uint32_t i = 0; i < row; i++)
        if (all->rows[i].device == all->rows[row].device && is_of(&all->rows[i].kernel, &of))
            return true;
    return false;
}

static double mean_error_of(const struct models *models, const struct hardware *hardware, const struct group_rows *of)
{
    double sum = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        struct estimate estimate;
        if (models_estimate(models, hardware, of->kernels[i], &estimate, NULL))
            sum += fabs(estimate.us / of->us[i] - 1) / of->count;
    }
    return sum;
}

/* What it is of rows that were not seen: told by the set. */
static double left_out_error(const struct models *models, const struct hardware *hardware, const struct group_rows *of)
{
    struct estimate estimate;
    return models_estimate(models, hardware, of->kernels[0], &estimate, NULL) ? estimate.error : NAN;
}

/* The half-width in the middle of kernels like the rows, in other sizes. */
static double width_of(const struct models *models, const struct hardware *hardware, const struct group_rows *of,
                       struct arena *arena)
{
    enum { LIKE = 64 };
    double widths[LIKE];
    uint32_t count = 0;
    const struct kernel *const *like = kernels_like(of->kernels, of->count, LIKE, hardware, arena);
    for (uint32_t i = 0; i < LIKE; i++) {
        struct estimate estimate;
        if (models_estimate(models, hardware, like[i], &estimate, NULL))
            widths[count++] = expm1(interval_half_width(estimate_sd(&estimate), level));
    }
    qsort(widths, count, sizeof *widths, ascending_reals);
    return count ? widths[count / 2] : NAN;
}

static struct row_gain gain_of(const struct group_rows *of, const struct models *before, const struct models *after)
{
    struct arena scratch = {0};
    const struct row_gain gain = {
        .group = of->group,
        .rows = of->count,
        .error_before = mean_error_of(before, of->hardware, of),
        .error_after = left_out_error(after, of->hardware, of),
        .width_before = width_of(before, of->hardware, of, &scratch),
        .width_after = width_of(after, of->hardware, of, &scratch),
    };
    arena_free(&scratch);
    return gain;
}

const struct row_gain *row_gains_of(const struct measurements *all, uint32_t device, const struct models *before,
                                    const struct models *after, struct arena *arena, uint32_t *count)
{
    struct row_gain *gains = arena_array(arena, all->count, sizeof *gains);
    *count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        struct arena scratch = {0};
        if (all->rows[i].device == device && !told_before(all, i)) {
            const struct group_rows of = rows_from(all, i, &scratch);
            gains[(*count)++] = gain_of(&of, before, after);
        }
        arena_free(&scratch);
    }
    return gains;
}
