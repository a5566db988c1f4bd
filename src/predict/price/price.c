/* SPDX-License-Identifier: Apache-2.0 */
#include "price.h"

#include <math.h>
#include <stdlib.h>

#include "alone.h"
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

static bool find_bound(const struct predict_source *source, const struct predict_asked *asked, struct price *price,
                       struct steptime_error *err)
{
    const struct alone no_host = {.change = without_host}, no_device = {.change = without_device};
    struct alone_step host, device;
    if (!step_alone(source, asked, &no_host, &host, err) || !step_alone(source, asked, &no_device, &device, err))
        return false;
    price->without_host_us = host.step_us;
    price->without_device_us = device.step_us;
    price->bound = price->without_device_us < price->without_host_us ? PRICE_BY_DEVICE : PRICE_BY_HOST;
    return true;
}

/* ---- devices ---- */

void price_one(const struct predict_source *source, const struct predict_asked *asked, const struct price_step *step,
               const struct hardware *hardware, struct price *price, struct arena *arena)
{
    struct steptime_error err = {.offset = -1};
    struct predict_asked on = *asked;
    *price = (struct price){.hardware = *hardware, .why = S(""), .per_hour = NAN};
    on.plan.hardware = &price->hardware;
    on.only_steps = on.energy = true;
    if (!predict(source, &on, arena, &price->step, &err) || !find_bound(source, &on, price, &err))
        price->why = error_line(arena, &err);
    else if (step->doubt.step > 0 && price->step.range.high_us >= 0)
        price->step.range =
            range_with_error(price->step.range, price->step.walked.step_us, step->doubt.step, asked->level);
    price->fit = fit_on(step->lives, step->peak, hardware);
    fit_widen(&price->fit, step->doubt.memory, hardware);
}

double price_cost(const struct price *price)
{
    return price->why.len ? NAN : price->step.walked.step_us / 3600e6 * price->per_hour;
}

double price_utilisation(const struct price_step *step, const struct price *price)
{
    const double seconds = program_flops_seconds(&step->flops, &price->hardware);
    return !price->why.len && seconds > 0 && price->step.walked.step_us > 0 ? seconds * 1e6 / price->step.walked.step_us
                                                                            : NAN;
}

static int by_number(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* By cost; of those whose price is not known by time. */
static int by_cost(const void *a, const void *b)
{
    const struct price *const x = a, *const y = b;
    if (x->why.len || y->why.len)
        return (x->why.len > 0) - (y->why.len > 0);
    const int order = by_number(price_cost(x), price_cost(y));
    return order ? order : by_number(x->step.walked.step_us, y->step.walked.step_us);
}

struct prices price_all(const struct predict_source *source, const struct predict_asked *asked,
                        const struct price_step *step, const struct price_list *list, const struct hardware *devices,
                        uint32_t count, struct arena *arena)
{
    struct prices prices = {.at = arena_array(arena, count, sizeof *prices.at),
                            .count = count,
                            .level = asked->level,
                            .priced = list->any,
                            .step = step};
    for (uint32_t i = 0; i < count; i++) {
        price_one(source, asked, step, &devices[i], &prices.at[i], arena);
        prices.at[i].per_hour = list->of(list->context, &devices[i]);
    }
    qsort(prices.at, count, sizeof *prices.at, by_cost);
    return prices;
}
