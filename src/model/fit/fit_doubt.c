/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what is left of rows to the doubt of an estimate. Nine of ten rows decide, not the squares: tails are heavy, and
 * intervals of that level are what is promised.
 */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "fit_work.h"
#include "model/estimate/generation.h"
#include "model/estimate/interval.h"
#include "model/estimate/models.h"

static const double level = 0.9;

struct tally tally_new(uint32_t room, struct arena *arena)
{
    return (struct tally){.at = arena_array(arena, room, sizeof(double)), .room = room};
}

double tally_add(struct tally *tally, const struct work *work, const struct coefficient_set *set, bool residual,
                 struct rows rows)
{
    double sum = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct measurement *row = rows.at[i];
        const double us = set_us(work->family, set, &work->devices[row->device], &row->kernel, residual);
        sum += fabs(us / row->us - 1);
        if (tally->count < tally->room)
            tally->at[tally->count++] = log(row->us / us) / family_doubt(work->family, &row->kernel);
    }
    return rows.count ? sum / rows.count : 0;
}

static double of_share(double *values, uint32_t count, double share)
{
    qsort(values, count, sizeof *values, ascending_reals);
    return count ? values[(uint32_t)((count - 1) * share)] : 0;
}

/*
 * The middle of what is left, and the half-width about it in which nine of ten lie; of it as squares what `known` widths
 * of the rows, where these are given, do not tell.
 */
static void shift_and_width(const struct tally *tally, const double *known, double *shift, double *width)
{
    struct arena scratch = {0};
    double *values = arena_array(&scratch, tally->count, sizeof *values);
    memcpy(values, tally->at, tally->count * sizeof *values);
    *shift = of_share(values, tally->count, 0.5);
    for (uint32_t i = 0; i < tally->count; i++) {
        const double off = tally->at[i] - *shift, told = known ? known[i] : 0;
        values[i] = fmax(off * off - told * told, 0);
    }
    *width = sqrt(of_share(values, tally->count, level));
    arena_free(&scratch);
}

void tally_own(const struct tally *tally, struct coefficient_set *set)
{
    double shift, width;
    shift_and_width(tally, NULL, &shift, &width);
    set->shared = fabs(shift);
    set->spread = interval_sd(width, level);
}

/*
 * With each GPU left out in turn, 4,144 rows of products: of all ways to weigh the distance of pooled coefficients and
 * those of the nearest device this one had the narrowest intervals of nine of ten. Set after seeing that.
 */
static const double width_of_distance = 1.1;

static double ensemble_width(double us, double other_us)
{
    return us > 0 && other_us > 0 ? width_of_distance * fabs(log(other_us / us)) : 0;
}

/* By rows of the part, beside what was predicted of them. */
static double *widths_of(const struct work *work, const double *us, const struct coefficient_set *other,
                         struct rows rows, struct arena *arena)
{
    double *widths = arena_array(arena, rows.count, sizeof *widths);
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct measurement *row = rows.at[i];
        widths[i] =
            ensemble_width(us[i], set_us(work->family, other, &work->devices[row->device], &row->kernel, false));
    }
    return widths;
}

/* Of the part's rows by what was predicted of each; times are those as measured, errors those without a drift. */
static void add_predicted(struct left_out *left_out, const struct work *work, const double *us,
                          const struct coefficient_set *other, uint32_t part)
{
    struct arena scratch = {0};
    const struct rows rows = work->measured[part];
    struct tally tally = tally_new(rows.count, &scratch);
    double shift, width, error = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        tally.at[tally.count++] = log(rows.at[i]->us / us[i]);
        error += fabs(us[i] / work->parts[part].at[i]->us - 1) / rows.count;
    }
    shift_and_width(&tally, other ? widths_of(work, us, other, rows, &scratch) : NULL, &shift, &width);
    left_out->error += error / work->part_count;
    left_out->shift_squares += shift * shift;
    left_out->width += width;
    left_out->devices++;
    arena_free(&scratch);
}

void left_out_add(struct left_out *left_out, const struct work *work, const struct coefficient_set *set,
                  const struct coefficient_set *other, bool residual, uint32_t part)
{
    struct arena scratch = {0};
    const struct rows rows = work->measured[part];
    double *us = arena_array(&scratch, rows.count, sizeof *us);
    for (uint32_t i = 0; i < rows.count; i++)
        us[i] = set_us(work->family, set, &work->devices[rows.at[i]->device], &rows.at[i]->kernel, residual);
    add_predicted(left_out, work, us, other, part);
    arena_free(&scratch);
}

void left_out_add_generation(struct left_out *left_out, const struct work *work, const struct coefficient_set *other,
                             uint32_t part)
{
    struct arena scratch = {0};
    const struct rows rows = work->measured[part];
    const struct hardware *hardware = &work->own[part].hardware;
    double *us = arena_array(&scratch, rows.count, sizeof *us);
    for (uint32_t i = 0; i < rows.count; i++)
        us[i] = nearest_generation_us(work->family, work->held, work->part_count, hardware, &rows.at[i]->kernel,
                                      hardware->name);
    add_predicted(left_out, work, us, other, part);
    arena_free(&scratch);
}

void left_out_doubt(const struct left_out *left_out, struct coefficient_set *set)
{
    set->shared = sqrt(left_out->shift_squares / left_out->devices);
    set->spread = interval_sd(left_out->width / left_out->devices, level);
}
