/* SPDX-License-Identifier: Apache-2.0 */
#include "price_exchange.h"

#include <math.h>
#include <stdlib.h>

#include "alone.h"
#include "predict/plan/plan_doubt.h"

/* ---- collectives of a step ---- */

struct looking {
    struct arena *arena;
    struct price_exchange *into;
    struct price_collective *at;
    uint32_t room;
    double doubt; /* standard deviation of ln(true / us) of all of them */
};

static bool alike(const struct kernel *a, const struct kernel *b)
{
    return a->collective.kind == b->collective.kind && a->collective.bytes == b->collective.bytes &&
           a->collective.ranks == b->collective.ranks && a->collective.server_ranks == b->collective.server_ranks;
}

static struct price_collective *place_of(struct looking *l, const struct plan_launch *launch)
{
    for (uint32_t i = 0; i < l->into->count; i++)
        if (alike(&l->at[i].kernel, &launch->kernel))
            return &l->at[i];
    struct price_collective *const made = &l->at[l->into->count++];
    *made = (struct price_collective){.kernel = launch->kernel,
                                      .basis = launch->estimate.basis,
                                      .model = launch->estimate.model,
                                      .from = launch->estimate.from};
    return made;
}

static void add(struct looking *l, const struct plan_launch *launch, double us)
{
    struct price_collective *const place = place_of(l, launch);
    place->times++;
    place->us += us;
    l->into->times++;
    l->into->us += us;
    l->into->bytes += (double)launch->kernel.collective.bytes;
}

static int longest_first(const void *a, const void *b)
{
    const double ahead = ((const struct price_collective *)b)->us - ((const struct price_collective *)a)->us;
    return (ahead > 0) - (ahead < 0);
}

static double doubt_of(const struct plan *plan)
{
    struct estimate_sum sum = {0};
    double shared, own;
    plan_doubt_part(plan, true, &sum);
    estimate_sum_sd(&sum, &shared, &own);
    return hypot(shared, own);
}

static void look(void *context, const struct predict_seen *seen)
{
    struct looking *const l = context;
    const struct plan *const plan = seen->plan;
    uint32_t count = 0;
    if (l->at)
        return; /* of one step */
    for (uint32_t i = 0; i < plan->launch_count; i++)
        count += plan_is_collective(&plan->launches[i]);
    l->at = arena_array(l->arena, count + 1, sizeof *l->at);
    for (uint32_t i = 0; i < plan->launch_count; i++)
        if (plan_is_collective(&plan->launches[i]))
            add(l, &plan->launches[i], plan_launch_us(plan, i));
    l->into->waiting_us = plan->waiting_us;
    l->doubt = doubt_of(plan);
    qsort(l->at, l->into->count, sizeof *l->at, longest_first);
    l->into->at = l->at;
}

/* ---- what of it is exposed ---- */

/* The stages of a pipeline wait for each other all the same, unless nothing takes any time. */
static bool scale(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    const double factor = *(const double *)context;
    for (uint32_t i = 0; i < plan->launch_count; i++)
        if (plan_is_collective(&plan->launches[i])) {
            const double us = plan_launch_us(plan, i), waiting_us = plan->launches[i].us - us;
            plan->launches[i].us = us * factor + (factor > 0 ? waiting_us : 0);
        }
    return true;
}

static bool step_at(const struct predict_source *source, const struct predict_asked *asked, double factor,
                    double *step_us, struct steptime_error *err)
{
    const struct alone with = {.change = scale, .context = &factor};
    struct alone_step step;
    const bool good = step_alone(source, asked, &with, &step, err);
    *step_us = step.step_us;
    return good;
}

static bool find_exposed(const struct predict_source *source, const struct predict_asked *asked, double step_us,
                         double doubt, struct price_exchange *exchange, struct steptime_error *err)
{
    double without_us, low_us, high_us;
    if (!step_at(source, asked, 0, &without_us, err))
        return false;
    exchange->exposed_us = fmax(step_us - without_us, 0);
    exchange->waiting_us =
        fmin(exchange->waiting_us, exchange->exposed_us); /* what other work hides nobody waits for */
    if (!(asked->level > 0))
        return true;
    const double width = interval_half_width(doubt, asked->level);
    if (!step_at(source, asked, exp(-width), &low_us, err) || !step_at(source, asked, exp(width), &high_us, err))
        return false;
    exchange->exposed_low_us = fmin(fmax(low_us - without_us, 0), exchange->exposed_us);
    exchange->exposed_high_us = fmax(high_us - without_us, exchange->exposed_us);
    return true;
}

bool price_exchange_of(const struct predict_source *source, const struct predict_asked *asked, double step_us,
                       struct arena *arena, struct price_exchange *exchange, struct steptime_error *err)
{
    struct prediction seen;
    struct looking l = {.arena = arena, .into = exchange};
    struct predict_asked other = *asked;
    *exchange = (struct price_exchange){.exposed_low_us = -1, .exposed_high_us = -1};
    other.seen = look;
    other.seen_context = &l;
    other.level = 0;
    other.energy = false;
    return predict(source, &other, arena, &seen, err) &&
           (!exchange->times || find_exposed(source, asked, step_us, l.doubt, exchange, err));
}
