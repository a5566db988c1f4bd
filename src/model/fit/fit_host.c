/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shortest lone calls take is the host's, not the GPU's: its processor, its driver, the versions on it. So host
 * figures are no part of what one GPU tells of another. Without a measured row they are in the middle of what the hosts
 * of measured GPUs had; the smallest measured row of the new GPU's own host tells them.
 */
#include <math.h>
#include <stdlib.h>

#include "fit_work.h"
#include "base/order.h"
#include "base/stat.h"
#include "model/estimate/models.h"

bool has_host(const struct family *family)
{
    for (uint32_t i = 0; i < family->parameter_count; i++)
        if (family->parameters[i].host)
            return true;
    return false;
}

/*
 * Of these the one from which all are off least, as models are judged: the mean of |it / value - 1|, so the median with 1 / value
 * for a weight. Hosts are slow by more than they are fast, and who takes a fast one for a slow one errs by more than the other
 * way round; between the two in the middle of four (26, 26, 32 and 45 us) it is the lower one.
 */
static double middle(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, ascending_reals);
    double all = 0, below = 0;
    for (uint32_t i = 0; i < count; i++)
        all += 1 / values[i];
    uint32_t at = 0;
    while (at + 1 < count && (below += 1 / values[at]) < all / 2)
        at++;
    return values[at];
}

void host_in_the_middle(const struct work *work, const bool *taken, struct coefficient_set *set)
{
    for (uint32_t i = 0; i < work->family->parameter_count; i++) {
        double values[MOST_DEVICES];
        uint32_t count = 0;
        for (uint32_t part = 0; part < work->part_count; part++)
            if (taken[part])
                values[count++] = work->own[part].value[i];
        if (work->family->parameters[i].host && count)
            set->value[i] = middle(values, count);
    }
}

/* The middle of the figure over the parts of a vendor. */
static double vendor_middle(const struct work *work, str vendor, uint32_t figure)
{
    double values[MOST_DEVICES];
    uint32_t count = 0;
    for (uint32_t part = 0; part < work->part_count; part++)
        if (str_eq(vendor_of(work->own[part].device), vendor))
            values[count++] = work->own[part].value[figure];
    return middle(values, count);
}

double host_spread(const struct work *work)
{
    double squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->family->parameter_count; i++)
        for (uint32_t part = 0; work->family->parameters[i].host && part < work->part_count; part++) {
            const double usual = vendor_middle(work, vendor_of(work->own[part].device), i);
            const double off = log(work->own[part].value[i] / usual);
            squares += off * off;
            count++;
        }
    return count ? sqrt(squares / count) : 0;
}

static double us_of(const struct work *work, const struct coefficient_set *set, const struct measurement *row)
{
    return set_us(work->family, set, &work->devices[row->device], &row->kernel, false);
}

/* The row of the least bytes whose time goes with the coefficient; NULL. */
static const struct measurement *smallest_row(const struct work *work, struct rows rows,
                                              const struct coefficient_set *set, uint32_t coefficient)
{
    const struct measurement *smallest = NULL;
    struct coefficient_set moved = *set;
    moved.value[coefficient] *= 1.1;
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct measurement *row = rows.at[i];
        if (smallest && kernel_bytes(&row->kernel) >= kernel_bytes(&smallest->kernel))
            continue;
        if (us_of(work, &moved, row) > us_of(work, set, row) * 1.05)
            smallest = row;
    }
    return smallest;
}

/* Times go nearly as host figures do where these count, so a few turns of proportion suffice. */
void host_of_rows(const struct work *work, struct rows rows, struct coefficient_set *set)
{
    enum { TURNS = 4 };
    for (uint32_t i = 0; i < work->family->parameter_count; i++) {
        const struct parameter *parameter = &work->family->parameters[i];
        const struct measurement *row = parameter->host ? smallest_row(work, rows, set, i) : NULL;
        for (int turn = 0; row && turn < TURNS; turn++) {
            const double value = set->value[i] * row->us / us_of(work, set, row);
            set->value[i] = fmin(parameter->high, fmax(parameter->low, value));
        }
    }
}

/* ---- a host that was measured ---- */

/* Fewer rows than this have no middle; less than this (ln) is no shift. */
enum { FEWEST_LAUNCHES = 8 };
static const double least_shift = 0.05, launch_share = 0.5;

/* Whether at least half of the row's time goes with the coefficient. */
static bool is_launch(const struct work *work, const struct coefficient_set *set, const struct coefficient_set *moved,
                      const struct measurement *row)
{
    return us_of(work, moved, row) > us_of(work, set, row) * (1 + 0.1 * launch_share);
}

/* The middle of ln(measured / predicted) of rows that are mostly this launch; 0 of too few. */
static double shift_of_launches(const struct work *work, struct rows rows, const struct coefficient_set *set,
                                uint32_t coefficient)
{
    struct arena scratch = {0};
    double *logs = arena_array(&scratch, rows.count, sizeof *logs);
    struct coefficient_set moved = *set;
    uint32_t count = 0;
    moved.value[coefficient] *= 1.1;
    for (uint32_t i = 0; i < rows.count; i++)
        if (is_launch(work, set, &moved, rows.at[i]))
            logs[count++] = log(rows.at[i]->us / us_of(work, set, rows.at[i]));
    const double shift = count >= FEWEST_LAUNCHES ? stat_median(logs, count) : 0;
    arena_free(&scratch);
    return shift;
}

/*
 * Rows that took longer than predicted weigh little (light_us), as of a board that was slow only now and then. A host that is
 * slow as often as not would be taken for its fast state; what is predicted of it is to be in the middle.
 */
void host_to_the_middle(const struct work *work, struct rows rows, struct coefficient_set *set)
{
    for (uint32_t i = 0; i < work->family->parameter_count; i++) {
        const struct parameter *parameter = &work->family->parameters[i];
        const double shift = parameter->host ? shift_of_launches(work, rows, set, i) : 0;
        if (fabs(shift) > least_shift)
            set->value[i] = fmin(parameter->high, fmax(parameter->low, set->value[i] * exp(shift)));
    }
}
