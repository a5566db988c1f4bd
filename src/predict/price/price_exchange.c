/* SPDX-License-Identifier: Apache-2.0 */
#include "price_exchange.h"

#include <math.h>
#include <stdlib.h>

#include "model/estimate/interval.h"

/* ---- collectives of a step ---- */

struct looking {
    struct arena *arena;
    struct price_exchange *into;
    struct price_collective *at;
    uint32_t room;
    struct estimate_sum sum;
};

static bool is_collective(const struct plan_launch *launch)
{
    return !launch->gone && launch->has_kernel && launch->kernel.form == FORM_COLLECTIVE;
}

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

static void add(struct looking *l, const struct plan_launch *launch, double waiting_us)
{
    struct price_collective *const place = place_of(l, launch);
    place->times++;
    place->us += launch->us - waiting_us;
    l->into->times++;
    l->into->us += launch->us - waiting_us;
    l->into->bytes += (double)launch->kernel.collective.bytes;
    estimate_sum_add(&l->sum, &launch->estimate, launch->us);
}

static int longest_first(const void *a, const void *b)
{
    const double ahead = ((const struct price_collective *)b)->us - ((const struct price_collective *)a)->us;
    return (ahead > 0) - (ahead < 0);
}

static void look(void *context, const struct predict_seen *seen)
{
    struct looking *const l = context;
    const struct plan *const plan = seen->plan;
    uint32_t count = 0;
    if (l->at)
        return; /* of one step */
    for (uint32_t i = 0; i < plan->launch_count; i++)
        count += is_collective(&plan->launches[i]);
    l->at = arena_array(l->arena, count + 1, sizeof *l->at);
    for (uint32_t i = 0; i < plan->launch_count; i++)
        if (is_collective(&plan->launches[i]))
            add(l, &plan->launches[i], i == plan->waiting ? plan->waiting_us : 0);
    l->into->waiting_us = plan->waiting_us;
    qsort(l->at, l->into->count, sizeof *l->at, longest_first);
    l->into->at = l->at;
}

/* ---- what of it is exposed ---- */

static bool scale(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    const double factor = *(const double *)context;
    for (uint32_t i = 0; i < plan->launch_count; i++)
        plan->launches[i].us *= is_collective(&plan->launches[i]) ? factor : 1;
    return true;
}

static bool step_at(const struct predict_source *source, const struct predict_asked *asked, double factor,
                    double *step_us, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct prediction changed;
    struct predict_asked other = *asked;
    other.change = scale;
    other.context = &factor;
    other.level = 0;
    other.energy = false;
    const bool good = predict(source, &other, &scratch, &changed, err);
    *step_us = good ? changed.walked.step_us : 0;
    arena_free(&scratch);
    return good;
}

static bool find_exposed(const struct predict_source *source, const struct predict_asked *asked, double step_us,
                         const struct estimate_sum *sum, struct price_exchange *exchange, struct steptime_error *err)
{
    double without_us, low_us, high_us, shared, own;
    if (!step_at(source, asked, 0, &without_us, err))
        return false;
    exchange->exposed_us = fmax(step_us - without_us, 0);
    if (!(asked->level > 0))
        return true;
    estimate_sum_sd(sum, &shared, &own);
    const double width = interval_half_width(hypot(shared, own), asked->level);
    if (!step_at(source, asked, exp(-width), &low_us, err) || !step_at(source, asked, exp(width), &high_us, err))
        return false;
    exchange->exposed_low_us = fmax(low_us - without_us, 0);
    exchange->exposed_high_us = fmax(high_us - without_us, 0);
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
           (!exchange->times || find_exposed(source, asked, step_us, &l.sum, exchange, err));
}
