/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_energy.h"

#include <math.h>

#include "base/arena.h"
#include "plan_doubt.h"
#include "units.h"

struct drawing {
    const struct plan *plan;
    const struct models *models;
    const struct hardware *hardware;
    double share, idle_w;
    struct estimate unknown; /* watts of work of which no kernel is known */
    struct energy_sum *sum;
    uint32_t *launch_of; /* by launch of the program: that of the plan; PLAN_NONE */
    bool *drawn;         /* by launch of the plan */
};

static bool is_there(const struct plan *plan, uint32_t i)
{
    return !plan->launches[i].gone && !plan->ops[plan->launches[i].op].gone;
}

static void draw(struct drawing *d, uint32_t i, const struct estimate *watts)
{
    const struct plan_launch *launch = &d->plan->launches[i];
    const bool recorded = launch->basis == TIMED_RECORDED;
    d->drawn[i] = true;
    energy_sum_add(d->sum, recorded ? NULL : &launch->estimate, watts, launch->us * d->share, d->idle_w);
}

/* ---- units ---- */

/* The least sure of both; watts are means by the time, and so are doubts, as of kernels that err together. */
static void mix(struct estimate *watts, const struct estimate *one, double share)
{
    watts->us += one->us * share;
    watts->shared += one->shared * share;
    watts->own += one->own * share;
    watts->family = one->family;
    watts->basis = one->basis > watts->basis ? one->basis : watts->basis;
}

/* How the models share the unit's time among its kernels; false where they do not know one. */
static bool find_shares(const struct drawing *d, const struct lowering *lowering, double *shares)
{
    double sum_us = 0;
    struct estimate one = {.us = 1};
    for (uint32_t i = 0; i < lowering->count; i++) {
        if (lowering->count > 1 && !models_estimate(d->models, d->hardware, &lowering->kernels[i], &one, NULL))
            return false;
        shares[i] = one.us;
        sum_us += one.us;
    }
    for (uint32_t i = 0; i < lowering->count; i++)
        shares[i] /= sum_us;
    return lowering->count > 0;
}

/* Of an operator's kernels that take `us` in all; false where the models do not know one. */
static bool unit_watts(const struct drawing *d, const struct unit *unit, double us, struct estimate *watts)
{
    struct arena scratch = {0};
    const struct lowering *lowering = &unit->lowering;
    double *const shares = arena_array(&scratch, lowering->count, sizeof *shares);
    struct estimate one;
    bool known = find_shares(d, lowering, shares);
    *watts = (struct estimate){.basis = BASIS_MEASURED, .from = S(""), .model = S("")};
    for (uint32_t i = 0; i < lowering->count && known; i++) {
        known = models_watts(d->models, d->hardware, &lowering->kernels[i], us * shares[i], &one);
        if (known)
            mix(watts, &one, shares[i]);
    }
    arena_free(&scratch);
    return known;
}

static void draw_unit(struct drawing *d, const struct unit *unit)
{
    const struct program_op *op = &d->plan->program->ops[unit->op];
    struct estimate watts;
    double us = 0;
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++)
        us += d->launch_of[i] != PLAN_NONE && is_there(d->plan, d->launch_of[i]) ? d->plan->launches[d->launch_of[i]].us
                                                                                 : 0;
    if (!(us > 0) || !unit_watts(d, unit, us, &watts))
        return;
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++)
        if (d->launch_of[i] != PLAN_NONE && is_there(d->plan, d->launch_of[i]))
            draw(d, d->launch_of[i], &watts);
}

/* ---- all others ---- */

/* What is supposed has its kernel beside it. */
static void draw_rest(struct drawing *d)
{
    for (uint32_t i = 0; i < d->plan->launch_count; i++) {
        const struct plan_launch *launch = &d->plan->launches[i];
        struct estimate watts = d->unknown;
        if (d->drawn[i] || !is_there(d->plan, i))
            continue;
        if (launch->source == PLAN_NONE && launch->has_kernel &&
            !models_watts(d->models, d->hardware, &launch->kernel, launch->us, &watts))
            watts = d->unknown;
        draw(d, i, &watts);
    }
}

static void find_launches(struct drawing *d, struct arena *arena)
{
    const struct plan *plan = d->plan;
    d->launch_of = arena_array(arena, plan->program->launch_count, sizeof *d->launch_of);
    d->drawn = arena_array(arena, plan->launch_count, sizeof *d->drawn);
    for (uint32_t i = 0; i < plan->program->launch_count; i++)
        d->launch_of[i] = PLAN_NONE;
    for (uint32_t i = 0; i < plan->launch_count; i++)
        if (plan->launches[i].source != PLAN_NONE)
            d->launch_of[plan->launches[i].source] = i;
}

bool plan_energy(const struct plan *plan, const struct models *models, const struct hardware *hardware, double share,
                 struct energy_sum *sum)
{
    struct arena scratch = {0};
    struct estimate idle;
    struct drawing d = {.plan = plan, .models = models, .hardware = hardware, .share = share, .sum = sum};
    if (!models || !hardware || !models_idle_watts(models, hardware, &idle) ||
        !models_unknown_watts(models, hardware, &d.unknown))
        return false;
    d.idle_w = idle.us;
    sum->by_time.whole = plan_whole_doubt(plan);
    find_launches(&d, &scratch);
    const struct units *units = units_known(plan->units, plan->program, &scratch);
    for (uint32_t i = 0; i < units->count; i++)
        draw_unit(&d, &units->at[i]);
    draw_rest(&d);
    arena_free(&scratch);
    return true;
}
