/* SPDX-License-Identifier: Apache-2.0 */
#include "price.h"

#include <math.h>
#include <stdlib.h>

#include "alone.h"
#include "base/error.h"

/* ---- what bounds it: each side made to take no time ---- */

static bool without_host(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    const struct plan_load load = plan->load;
    plan_scale_host(plan, 0);
    plan->load = load;
    return true;
}

static bool without_loading(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    plan->load = (struct plan_load){0};
    return true;
}

static bool without_device(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    for (uint32_t i = 0; i < plan->launch_count; i++)
        plan->launches[i].us = 0;
    return true;
}

static bool find_bound(const struct predict_source *source, const struct predict_asked *asked,
                       const struct price_load *load, struct price *price, struct steptime_error *err)
{
    static const struct alone without[PRICE_BOUNDS] = {
        [PRICE_BY_DEVICE] = {.change = without_device},
        [PRICE_BY_HOST] = {.change = without_host},
        [PRICE_BY_LOADING] = {.change = without_loading},
    };
    price->bound = PRICE_BY_HOST;
    for (int by = 0; by < PRICE_BOUNDS; by++) {
        struct alone_step step = {.step_us = price->step.walked.step_us};
        const bool is_there = by != PRICE_BY_LOADING || load->own_us > 0 || load->feed_us > 0;
        if (is_there && !step_alone(source, asked, &without[by], &step, err))
            return false;
        price->without_us[by] = step.step_us;
    }
    for (int by = 0; by < PRICE_BOUNDS; by++)
        if (price->without_us[by] < price->without_us[price->bound])
            price->bound = (enum price_bound)by;
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
    if (!predict(source, &on, arena, &price->step, &err) || !find_bound(source, &on, &step->load, price, &err))
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
