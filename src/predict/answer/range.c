/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between which times a step lies (doc/numbers/prediction.md). What models and guesses may be off changes the step only
 * where it waits for that work, and the host's means only where it waits for the host: so the step is walked again at
 * both ends of work, of collectives (which may be hidden behind work, and be off by more) and of the host. What comes of one and of
 * the others is added as independent, and so is what steps that were predicted from the step beside them were off.
 */
#include <math.h>

#include "predict/plan/plan_doubt.h"
#include "predict_private.h"

/*
 * Means of another run, given as a table, and means that are built in: of every host, so of none. Nine of ten hosts are
 * taken to lie within these factors; the published tables of three machines differ by up to that.
 */
static const double given_factor = 1.4, built_in_factor = 2, prior_level = 0.9;

/* The mean of |x| of Student's distribution of four degrees of freedom, over its standard deviation. */
static const double mean_share = 0.7071067811865476;

static double host_doubt(const struct predict_asked *asked, const struct overheads *overheads)
{
    if (!overheads)
        return interval_sd(log(built_in_factor), prior_level);
    return asked->plan.overheads ? interval_sd(log(given_factor), prior_level) : 0;
}

/* The step at both ends of work and of the host, as distances from the step; what is nearer than it counts nothing. */
struct ends {
    double low_us, high_us;
};

/* The widths are of logarithms; those of which nothing is doubted cost no walk. */
static bool walk_ends(struct plan *plan, double step_us, struct plan_scale width, struct ends *ends,
                      struct steptime_error *err)
{
    const struct plan_scale low = {exp(-width.work), exp(-width.collectives), exp(-width.host)};
    const struct plan_scale high = {exp(width.work), exp(width.collectives), exp(width.host)};
    double low_us, high_us;
    if (!(width.work > 0 || width.collectives > 0 || width.host > 0))
        return true;
    if (!walk_scaled_us(plan, low, &low_us, err) || !walk_scaled_us(plan, high, &high_us, err))
        return false;
    ends->low_us = hypot(ends->low_us, fmax(step_us - low_us, 0));
    ends->high_us = hypot(ends->high_us, fmax(high_us - step_us, 0));
    return true;
}

static double width_of(const struct plan *plan, bool collectives, double level)
{
    struct estimate_sum sum = {0};
    double shared, own;
    plan_doubt_part(plan, collectives, &sum);
    estimate_sum_sd(&sum, &shared, &own);
    return interval_half_width(hypot(shared, own), level);
}

bool range_step(const struct predict_asked *asked, const struct overheads *overheads, struct plan *plan,
                struct predicted_step *step, struct prediction *into, struct steptime_error *err)
{
    struct estimate_sum sum = {0};
    struct ends ends = {0};
    double shared, own;
    plan_doubt(plan, &sum);
    estimate_sum_sd(&sum, &shared, &own);
    const double host = host_doubt(asked, overheads);
    const struct plan_scale work = {.work = width_of(plan, false, asked->level)};
    const struct plan_scale collectives = {.collectives = width_of(plan, true, asked->level)};
    const struct plan_scale by_host = {.host = interval_half_width(host, asked->level)};
    if (!walk_ends(plan, step->step_us, work, &ends, err) || !walk_ends(plan, step->step_us, collectives, &ends, err) ||
        !walk_ends(plan, step->step_us, by_host, &ends, err))
        return false;
    step->range = (struct predicted_range){fmax(step->step_us - ends.low_us, 0), step->step_us + ends.high_us};
    into->shared = fmax(into->shared, shared);
    into->own = fmax(into->own, own);
    into->host_doubt = host;
    return true;
}

/*
 * Where steps are off each other by more there are several kinds of them, and a few tell no distribution: their interval would
 * reach from a third to three times, then from nothing to years.
 */
static const double most_unlike = 0.5;

bool range_too_unlike(double steps_error)
{
    return steps_error > most_unlike;
}

/* What was predicted from other steps and was off is of the host and of steps that differ. */
struct predicted_range range_with_error(struct predicted_range range, double us, double error, double level)
{
    if (range_too_unlike(error))
        return (struct predicted_range){-1, -1};
    const double half = interval_half_width(error / mean_share, level);
    const double low = hypot(us - range.low_us, us * (1 - exp(-half)));
    const double high = hypot(range.high_us - us, us * (exp(half) - 1));
    return (struct predicted_range){fmax(us - low, 0), us + high};
}

/*
 * Of a lone step nothing tests the walk, and nothing tells how far steps lie apart. Steps predicted from the step beside
 * them are 0.1 to 10 % off on recorded jobs, mostly below this.
 */
static const double untested_error = 0.03;

double range_error_of_mean(const double *step_us, uint32_t count)
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++)
        mean += step_us[i] / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (step_us[i] - mean) * (step_us[i] - mean);
    if (count < 2 || !(mean > 0))
        return untested_error;
    return mean_share * sqrt(squares / (count - 1) / count) / mean;
}

static double mean_end(const struct prediction *p, bool high)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->step_count; i++)
        sum += (high ? p->steps[i].range.high_us : p->steps[i].range.low_us) / p->step_count;
    return sum;
}

/* What the one step shows of it: a walk over recorded work is off at least by what it is off there. */
static double untested(const struct predict_asked *asked, const struct prediction *p)
{
    const bool shown = asked->plan.replay && !asked->change && p->finished_us > 0;
    return shown ? fmax(untested_error, fabs(p->walked.step_us / p->finished_us - 1)) : untested_error;
}

void range_prediction(const struct predict_asked *asked, struct prediction *into)
{
    into->untested_error = untested(asked, into);
    into->level = asked->level;
    into->estimates = (struct predicted_range){-1, -1};
    if (asked->level > 0 && into->step_count)
        into->estimates = (struct predicted_range){mean_end(into, false), mean_end(into, true)};
    into->range = into->estimates;
    if (into->range.high_us < 0)
        return;
    if (!asked->change)
        predict_range_tested(into);
}

void predict_range_tested(struct prediction *into)
{
    into->steps_error = into->tests ? into->error : into->untested_error;
    if (into->range.high_us >= 0)
        into->range = range_with_error(into->range, into->walked.step_us, into->steps_error, into->level);
}

void predict_take_errors(struct prediction *predictions, const struct prediction *as_is, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        predictions[i].error = as_is[i].error;
        predictions[i].bias = as_is[i].bias;
        predictions[i].tests = as_is[i].tests;
        predictions[i].rank_error = as_is[i].rank_error;
        predictions[i].untested_error = as_is[i].untested_error;
        predict_range_tested(&predictions[i]);
    }
}

/* ---- what makes it wide ---- */

static const double wide = 0.2;

/* How far the further end is off, as a share. */
static double reach(struct predicted_range range, double us)
{
    return us > 0 && range.high_us >= 0 ? fmax(range.high_us - us, us - range.low_us) / us : 0;
}

enum range_width range_width_of(const struct prediction *p)
{
    if (reach(p->range, p->walked.step_us) <= wide)
        return RANGE_NARROW;
    const double steps = exp(interval_half_width(p->steps_error / mean_share, p->level)) - 1;
    return steps > reach(p->estimates, p->walked.step_us) ? RANGE_WIDE_BY_STEPS : RANGE_WIDE_BY_ESTIMATES;
}

/* ---- other times ---- */

/* Walked with the other ranks a step takes another time, and is as far off as alone. */
void range_moved(struct predicted_range *range, double from_us, double to_us)
{
    const double factor = from_us > 0 ? to_us / from_us : 1;
    if (range->high_us < 0)
        return;
    range->low_us *= factor;
    range->high_us *= factor;
}
