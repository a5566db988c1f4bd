/* SPDX-License-Identifier: Apache-2.0 */
#include "price.h"

#include <stdlib.h>

#include "base/error.h"

/* ---- what bounds it: each side made to take no time ---- */

static bool without_host(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    plan_scale_host(plan, 0);
    return true;
}

static bool without_device(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    for (uint32_t i = 0; i < plan->launch_count; i++)
        plan->launches[i].us = 0;
    return true;
}

static bool step_with(const struct predict_source *source, const struct predict_asked *asked,
                      bool (*change)(const void *context, struct plan *plan, struct arena *arena,
                                     struct steptime_error *err),
                      double *step_us, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct prediction changed;
    struct predict_asked other = *asked;
    other.change = change;
    other.level = 0;
    other.energy = false;
    const bool good = predict(source, &other, &scratch, &changed, err);
    *step_us = good ? changed.walked.step_us : 0;
    arena_free(&scratch);
    return good;
}

static bool find_bound(const struct predict_source *source, const struct predict_asked *asked, struct price *price,
                       struct steptime_error *err)
{
    if (!step_with(source, asked, without_host, &price->without_host_us, err) ||
        !step_with(source, asked, without_device, &price->without_device_us, err))
        return false;
    price->bound = price->without_device_us < price->without_host_us ? PRICE_BY_DEVICE : PRICE_BY_HOST;
    return true;
}

/* ---- devices ---- */

static void price_one(const struct predict_source *source, const struct predict_asked *asked, struct price *price,
                      struct arena *arena)
{
    struct steptime_error err = {.offset = -1};
    struct predict_asked on = *asked;
    on.plan.hardware = &price->hardware;
    on.only_steps = on.energy = true;
    price->why = S("");
    if (!predict(source, &on, arena, &price->step, &err) || !find_bound(source, &on, price, &err))
        price->why = error_line(arena, &err);
}

/* The price of an hour is one for all, so the cheapest is the fastest. */
static int by_time(const void *a, const void *b)
{
    const struct price *const x = a, *const y = b;
    if (x->why.len || y->why.len)
        return (x->why.len > 0) - (y->why.len > 0);
    const double ahead = x->step.walked.step_us - y->step.walked.step_us;
    return (ahead > 0) - (ahead < 0);
}

struct prices price_all(const struct predict_source *source, const struct predict_asked *asked,
                        const struct hardware *devices, uint32_t count, struct arena *arena)
{
    struct prices prices = {.at = arena_array(arena, count, sizeof *prices.at),
                            .count = count,
                            .level = asked->level,
                            .per_hour = asked->per_hour};
    for (uint32_t i = 0; i < count; i++) {
        prices.at[i] = (struct price){.hardware = devices[i]};
        price_one(source, asked, &prices.at[i], arena);
    }
    qsort(prices.at, count, sizeof *prices.at, by_time);
    return prices;
}
