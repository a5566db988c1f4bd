/* SPDX-License-Identifier: Apache-2.0 */
#include "misfit.h"

#include <math.h>

/* Of Student's distribution of four degrees of freedom the mean of |x| over the standard deviation. */
static const double mean_share = 0.7071067811865476;

/* Where no device says what the form leaves over: half of the variance of what an estimate has for its own. */
static const double untold_share = 0.5;

/* As little as misfits differ between the devices of most families, ln; so few devices may show less. */
static const double least_differs = 0.3;

double misfit_of_form(const struct group_model *group)
{
    for (uint32_t i = 0; group && i < group->candidate_count; i++)
        if (str_eq(group->candidates[i].name, S("own")))
            return group->candidates[i].error / mean_share;
    return 0;
}

double left_by_devices(const struct group_model *group)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 1; i < group->set_count; i++)
        if (group->sets[i].spread > 0) {
            sum += group->sets[i].spread;
            count++;
        }
    return count ? sum / count : misfit_of_form(group);
}

/* The standard deviation of ln of what measured devices each leave over. */
static double spreads_differ(const struct group_model *group)
{
    double sum = 0, squares = 0, count = 0;
    for (uint32_t i = 1; group && i < group->set_count; i++)
        if (group->sets[i].spread > 0) {
            const double spread = log(group->sets[i].spread);
            sum += spread;
            squares += spread * spread;
            count++;
        }
    return count > 1 ? sqrt(fmax(0, squares - sum * sum / count) / (count - 1)) : 0;
}

double misfit_of_carried(const struct group_model *group, double own, bool learned, double *differs)
{
    const double told = learned ? own : misfit_of_form(group);
    *differs = fmax(least_differs, spreads_differ(group));
    return fmin(own, told > 0 ? told : own * sqrt(untold_share));
}
