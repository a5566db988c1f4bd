/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the work of each launch takes: as recorded, as recorded times the
 * ratio of two estimates, or as the models say. An operator's kernels are
 * estimated together, since a model's kernel may be several on the device (a
 * product of matrices and the sum of its parts), and their sum is dealt to its
 * launches in proportion to what was recorded.
 */
#include <math.h>

#include "base/error.h"
#include "model/estimate/interval.h"
#include "plan_private.h"

static const double least_us = 1.5; /* the shortest kernels take about that on any device of the last ten years */

static bool models_asked(const struct planning *p)
{
    return p->options->models && p->options->hardware;
}

static bool fail_op(const struct planning *p, uint32_t op, const struct steptime_error *why, struct steptime_error *err)
{
    const struct program_op *at = &p->program->ops[op];
    return fail(err, STEPTIME_INPUT, "operator %.*s (%lld): %s", (int)at->name.len, at->name.at, (long long)at->id,
                why->message);
}

static enum timing_basis basis_of(const struct estimate *estimate, enum timing_basis otherwise)
{
    return estimate->basis == BASIS_BYTES ? TIMED_GUESS : otherwise;
}

/*
 * Kernels of one operator are estimated together and err together: the family is that of the longest. An error is known
 * where those of all are; a known one of some says nothing of the others.
 */
bool estimate_unit(const struct planning *p, const struct hardware *hardware, const struct unit *unit,
                   struct estimate *sum, struct steptime_error *err)
{
    struct steptime_error why = {0};
    *sum = (struct estimate){.basis = BASIS_MEASURED};
    double largest_us = 0, error_us = 0, shared_us = 0, unlike_us = 0, own_us = 0;
    for (uint32_t i = 0; i < unit->lowering.count; i++) {
        struct estimate one;
        if (!models_estimate(p->options->models, hardware, &unit->lowering.kernels[i], &one, &why) &&
            (why.code == STEPTIME_USAGE || !estimate_bytes(hardware, &unit->lowering.kernels[i], &one)))
            return fail_op(p, unit->op, &why, err);
        sum->us += one.us;
        error_us += one.error * one.us;
        shared_us += one.shared * one.us;
        unlike_us += one.unlike * one.us;
        own_us = hypot(own_us, one.own * one.us);
        sum->basis = one.basis > sum->basis ? one.basis : sum->basis;
        if (one.us > largest_us) {
            sum->model = one.model;
            sum->from = one.from;
            sum->family = one.family;
            largest_us = one.us;
        }
    }
    if (sum->us <= 0)
        return true;
    sum->error = error_us / sum->us;
    sum->shared = shared_us / sum->us;
    sum->unlike = unlike_us / sum->us;
    sum->own = own_us / sum->us;
    return true;
}

/* Of what no kernel is known. */
static struct estimate guessed(double us)
{
    struct estimate estimate = {.us = us, .basis = BASIS_BYTES, .family = ESTIMATE_NO_FAMILY, .model = S("bytes")};
    estimate_prior(&estimate);
    return estimate;
}

/* ---- launches as recorded ---- */

static double recorded_us(const struct planning *p, const struct plan_launch *launch)
{
    const int64_t dur_ns = launch->source == PLAN_NONE ? -1 : p->program->launches[launch->source].dur_ns;
    return dur_ns >= 0 ? (double)dur_ns / 1e3 : -1;
}

/* Its bytes over the bandwidth; a kernel of which nothing is known takes what the shortest take. */
static double guess_us(const struct planning *p, const struct plan_launch *launch)
{
    const int64_t bytes = launch->source == PLAN_NONE ? -1 : p->program->launches[launch->source].bytes;
    const struct hardware *hardware = p->options->hardware;
    const bool between = launch->work == WORK_COPY && p->program->launches[launch->source].direction != COPY_D2D;
    const double rate = hardware ? hardware->figure[between ? HW_HOST_LINK : HW_MEMORY_RATE] : 0;
    const double us = bytes > 0 && rate > 0 ? (double)bytes / rate * 1e6 : 0;
    return us > least_us ? us : least_us;
}

static void time_as_recorded(const struct planning *p, struct plan_launch *launch)
{
    const double us = recorded_us(p, launch);
    launch->us = us >= 0 ? us : guess_us(p, launch);
    launch->basis = us >= 0 ? TIMED_RECORDED : TIMED_GUESS;
    if (us < 0)
        launch->estimate = guessed(launch->us);
}

/* ---- units ---- */

static double sum_recorded(const struct planning *p, uint32_t first, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double us = recorded_us(p, &p->plan->launches[p->launch_of[first + i]]);
        sum += us > 0 ? us : 0;
    }
    return sum;
}

/* Deals the estimate to the launches of the unit. */
static void deal(const struct planning *p, const struct unit *unit, const struct estimate *estimate, bool ratio)
{
    const struct program_op *op = &p->program->ops[unit->op];
    const double sum = sum_recorded(p, op->first_launch, op->launches);
    for (uint32_t i = 0; i < op->launches; i++) {
        struct plan_launch *launch = &p->plan->launches[p->launch_of[op->first_launch + i]];
        const double recorded = recorded_us(p, launch);
        if (ratio)
            launch->us = (recorded > 0 ? recorded : least_us) * estimate->us;
        else
            launch->us = estimate->us * (sum > 0 ? (recorded > 0 ? recorded : 0) / sum : 1.0 / op->launches);
        launch->basis = basis_of(estimate, ratio ? TIMED_SCALED : TIMED_MODEL);
        launch->estimate = *estimate;
        launch->has_kernel = i < unit->lowering.count;
        if (launch->has_kernel)
            launch->kernel = unit->lowering.kernels[i];
    }
}

/* The ratio of the time on the device asked for to that on the device of the recording. */
static bool estimate_ratio(const struct planning *p, const struct unit *unit, struct estimate *estimate,
                           struct steptime_error *err)
{
    struct estimate before;
    if (!estimate_unit(p, p->options->hardware, unit, estimate, err) ||
        !estimate_unit(p, p->options->recorded_on, unit, &before, err))
        return false;
    estimate->us = before.us > 0 ? estimate->us / before.us : 1;
    estimate_over(estimate, &before);
    return true;
}

static bool time_unit(const struct planning *p, const struct unit *unit, struct steptime_error *err)
{
    const struct program_op *op = &p->program->ops[unit->op];
    struct estimate estimate;
    if (!unit->lowering.count || !op->launches)
        return true;
    const bool ratio = p->options->replay;
    if (!(ratio ? estimate_ratio(p, unit, &estimate, err)
                : estimate_unit(p, p->options->hardware, unit, &estimate, err)))
        return false;
    deal(p, unit, &estimate, ratio);
    return true;
}

/* Work of no known operator goes with the memory's rate, copies to and from the host with the link's. */
static void scale_unknown(const struct planning *p, struct plan_launch *launch)
{
    const bool between = launch->work == WORK_COPY && p->program->launches[launch->source].direction != COPY_D2D;
    const enum hw_key key = between ? HW_HOST_LINK : HW_MEMORY_RATE;
    const double now = p->options->hardware->figure[key], then = p->options->recorded_on->figure[key];
    if (recorded_us(p, launch) > 0 && now > 0 && then > 0)
        launch->us = recorded_us(p, launch) * then / now;
    launch->basis = TIMED_GUESS;
    launch->estimate = guessed(launch->us);
}

bool time_launches(const struct planning *p, struct steptime_error *err)
{
    struct plan *plan = p->plan;
    const bool scales = p->options->replay && models_asked(p) && p->options->recorded_on;
    for (uint32_t i = 0; i < plan->launch_count; i++)
        if (plan->launches[i].source != PLAN_NONE)
            time_as_recorded(p, &plan->launches[i]);
    if (!models_asked(p) || (p->options->replay && !scales))
        return true;
    for (uint32_t i = 0; scales && i < plan->launch_count; i++)
        if (plan->launches[i].work != WORK_COMMUNICATION)
            scale_unknown(p, &plan->launches[i]);
    for (uint32_t i = 0; i < p->units.count; i++)
        if (!time_unit(p, &p->units.at[i], err))
            return false;
    return true;
}
