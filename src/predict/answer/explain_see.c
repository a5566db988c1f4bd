/* SPDX-License-Identifier: Apache-2.0 */
/* Takes what a number is made of from the walks, as they are made. */
#include <math.h>

#include "base/sort.h"
#include "base/span.h"
#include "base/sum.h"
#include "explain_private.h"
#include "model/estimate/interval.h"

struct seeing {
    struct predict_explain *explain;
    struct explained_rank *rank;
    const struct plan *plan;
    const struct walked *walked;
    double share; /* of the step in the mean */
};

/* ---- the largest ---- */

static void keep(struct explained_rank *rank, struct explained_event event)
{
    uint32_t at = rank->count;
    if (at == EXPLAINED_MOST && event.amount <= rank->events[at - 1].amount)
        return;
    if (at < EXPLAINED_MOST)
        rank->count++;
    else
        at--;
    for (; at && rank->events[at - 1].amount < event.amount; at--)
        rank->events[at] = rank->events[at - 1];
    rank->events[at] = event;
}

static void add(const struct seeing *s, struct explained_event event)
{
    if (!(event.amount > 0))
        return;
    event.amount *= s->share;
    event.step = s->plan->program->step;
    s->rank->all++;
    s->rank->sum += event.amount;
    keep(s->rank, event);
}

/* ---- operators ---- */

static str op_name(const struct plan *plan, uint32_t op)
{
    return op == OP_NONE ? S("(outside operators)") : plan->program->ops[op].name;
}

static void add_op(const struct seeing *s, uint32_t i, double amount)
{
    const uint32_t op = s->plan->ops[i].op;
    const str name = str_copy(s->explain->arena, op_name(s->plan, op));
    add(s, (struct explained_event){
               .event = op == OP_NONE ? -1 : s->plan->program->ops[op].id,
               .name = name,
               .around = name,
               .amount = amount,
               .start_us = s->walked->op_start_us[i],
               .dur_us = s->walked->op_end_us[i] - s->walked->op_start_us[i],
           });
}

static void add_tail(const struct seeing *s)
{
    add(s, (struct explained_event){.event = -1,
                                    .name = OVERHEAD_END_OF_STEP,
                                    .around = OVERHEAD_END_OF_STEP,
                                    .amount = s->plan->tail_us,
                                    .start_us = s->walked->host_us - s->plan->tail_us,
                                    .dur_us = s->plan->tail_us});
}

static uint32_t live_launches(const struct plan *plan, const struct plan_op *op)
{
    uint32_t live = 0;
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++)
        live += !plan->launches[i].gone;
    return live;
}

static void see_ops(const struct seeing *s, enum behind behind)
{
    if (behind == BEHIND_HOST)
        add_tail(s);
    for (uint32_t i = 0; i < s->plan->count; i++) {
        const struct plan_op *op = &s->plan->ops[i];
        if (op->gone)
            continue;
        if (behind == BEHIND_HOST)
            add_op(s, i, s->walked->op_end_us[i] - s->walked->op_start_us[i] + plan_before_us(s->plan, op));
        else if (behind == BEHIND_WAITS)
            add_op(s, i, s->walked->op_wait_us[i]);
        else if (behind == BEHIND_LAUNCHED)
            add_op(s, i, live_launches(s->plan, op));
        else if (op->op != OP_NONE)
            add_op(s, i, 1);
    }
}

static bool lacks_shapes(const struct program_op *op)
{
    return !op->label && !op->arguments.dims.len && operator_has_cost(op->name);
}

/* Calls inside others too, so they are none of the plan. */
static void see_calls(const struct seeing *s, enum behind behind)
{
    const struct program *program = s->plan->program;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_op *op = &program->ops[i];
        if (!(behind == BEHIND_SHAPELESS ? lacks_shapes(op) : !program_sizes_usable(op, NULL)))
            continue;
        const str name = str_copy(s->explain->arena, op->name);
        add(s, (struct explained_event){
                   .event = op->id, .name = name, .around = name, .amount = 1, .start_us = NAN, .dur_us = NAN});
    }
}

/* ---- launches ---- */

static str launch_name(const struct plan *plan, const struct plan_launch *launch)
{
    const str kernel = launch->source == PLAN_NONE ? S("") : plan->program->launches[launch->source].kernel;
    return kernel.len ? kernel : op_name(plan, plan->ops[launch->op].op);
}

static void add_launch(const struct seeing *s, uint32_t i, double amount)
{
    const struct plan *plan = s->plan;
    const struct plan_launch *launch = &plan->launches[i];
    const uint32_t op = plan->ops[launch->op].op;
    const int64_t row = launch->source == PLAN_NONE ? -1 : plan->program->launches[launch->source].row;
    add(s, (struct explained_event){
               .event = row >= 0 || op == OP_NONE ? row : plan->program->ops[op].id,
               .name = str_copy(s->explain->arena, launch_name(plan, launch)),
               .around = str_copy(s->explain->arena, op_name(plan, op)),
               .amount = amount,
               .start_us = s->walked->launch_came_us[i],
               .dur_us = s->walked->launch_end_us[i] - s->walked->launch_came_us[i],
           });
}

static bool worked(const struct seeing *s, uint32_t i)
{
    return !isnan(s->walked->launch_start_us[i]);
}

static bool communicates(const struct seeing *s, uint32_t i)
{
    return s->plan->launches[i].work == WORK_COMMUNICATION;
}

static int64_t ns_of(double us)
{
    return sum_rounded(us * 1e3);
}

/* Launches by when they came to the device. */
static struct keyed *in_order(const struct seeing *s, struct arena *scratch, uint32_t *count)
{
    struct keyed *order = arena_array(scratch, s->plan->launch_count, sizeof *order);
    *count = 0;
    for (uint32_t i = 0; i < s->plan->launch_count; i++)
        if (worked(s, i))
            order[(*count)++] = (struct keyed){ns_of(s->walked->launch_came_us[i]), i};
    sort_keyed(order, *count);
    return order;
}

static void see_union(const struct seeing *s, bool only_communication, const struct spans *hidden)
{
    struct arena scratch = {0};
    uint32_t count;
    const struct keyed *order = in_order(s, &scratch, &count);
    int64_t covered_ns = INT64_MIN;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = order[k].row;
        const int64_t end_ns = ns_of(s->walked->launch_end_us[i]);
        const int64_t from_ns = order[k].key > covered_ns ? order[k].key : covered_ns;
        if ((only_communication && !communicates(s, i)) || end_ns <= from_ns)
            continue;
        const int64_t hidden_ns = hidden ? spans_length_within(hidden, from_ns, end_ns) : 0;
        add_launch(s, i, (double)(end_ns - from_ns - hidden_ns) / 1e3);
        covered_ns = end_ns;
    }
    arena_free(&scratch);
}

static void see_exposed(const struct seeing *s)
{
    struct spans own = {0};
    for (uint32_t i = 0; i < s->plan->launch_count; i++)
        if (worked(s, i) && !communicates(s, i))
            spans_add(&own, ns_of(s->walked->launch_came_us[i]), ns_of(s->walked->launch_end_us[i]));
    spans_tidy(&own);
    see_union(s, true, &own);
    spans_free(&own);
}

static void see_gaps(const struct seeing *s)
{
    struct arena scratch = {0};
    uint32_t count;
    const struct keyed *order = in_order(s, &scratch, &count);
    int64_t covered_ns = count ? order[0].key : 0;
    for (uint32_t k = 0; k < count; k++) {
        const int64_t end_ns = ns_of(s->walked->launch_end_us[order[k].row]);
        if (order[k].key > covered_ns)
            add_launch(s, order[k].row, (double)(order[k].key - covered_ns) / 1e3);
        covered_ns = end_ns > covered_ns ? end_ns : covered_ns;
    }
    arena_free(&scratch);
}

static double amount_of(const struct plan_launch *launch, enum behind behind)
{
    const bool modelled = launch->basis == TIMED_MODEL || launch->basis == TIMED_SCALED;
    switch (behind) {
    case BEHIND_RECORDED:
        return launch->basis == TIMED_RECORDED ? launch->us : 0;
    case BEHIND_MODELLED:
        return modelled ? launch->us : 0;
    case BEHIND_GUESSED:
        return launch->basis == TIMED_GUESS ? launch->us : 0;
    case BEHIND_DOUBT:
        return launch->basis == TIMED_RECORDED ? 0 : launch->us * estimate_sd(&launch->estimate);
    default:
        return modelled && !isnan(launch->estimate.error) ? launch->us * launch->estimate.error : 0;
    }
}

static void see_basis(const struct seeing *s, enum behind behind)
{
    for (uint32_t i = 0; i < s->plan->launch_count; i++)
        if (worked(s, i))
            add_launch(s, i, amount_of(&s->plan->launches[i], behind));
}

/* ---- all ---- */

static void see(const struct seeing *s, enum behind behind)
{
    switch (behind) {
    case BEHIND_HOST:
    case BEHIND_WAITS:
    case BEHIND_OPERATORS:
    case BEHIND_LAUNCHED:
        see_ops(s, behind);
        return;
    case BEHIND_SHAPELESS:
    case BEHIND_UNUSABLE:
        see_calls(s, behind);
        return;
    case BEHIND_LAUNCHES:
    case BEHIND_COLLECTIVE:
        see_union(s, behind == BEHIND_COLLECTIVE, NULL);
        return;
    case BEHIND_EXPOSED:
        see_exposed(s);
        return;
    case BEHIND_GAPS:
        see_gaps(s);
        return;
    case BEHIND_RECORDED:
    case BEHIND_MODELLED:
    case BEHIND_GUESSED:
    case BEHIND_ERROR:
    case BEHIND_DOUBT:
        see_basis(s, behind);
        return;
    default: /* told by the prediction itself */
        return;
    }
}

static struct explained_rank *rank_of(struct predict_explain *explain, int64_t rank)
{
    for (uint32_t i = 0; i < explain->rank_count; i++)
        if (explain->ranks[i].rank == rank)
            return &explain->ranks[i];
    struct explained_rank *more = arena_array(explain->arena, explain->rank_count + 1, sizeof *more);
    if (explain->rank_count)
        memcpy(more, explain->ranks, explain->rank_count * sizeof *more);
    explain->ranks = more;
    more[explain->rank_count] = (struct explained_rank){
        .rank = rank, .events = arena_array(explain->arena, EXPLAINED_MOST, sizeof *more->events)};
    return &more[explain->rank_count++];
}

/* What was walked with the other ranks replaces what was walked alone. */
void predict_explain_see(void *context, const struct predict_seen *seen)
{
    struct predict_explain *explain = context;
    if (!explain->number)
        return;
    struct explained_rank *rank = rank_of(explain, seen->rank);
    if (seen->together && !rank->together) {
        rank->together = true;
        rank->count = 0;
        rank->all = 0;
        rank->sum = 0;
    }
    const struct seeing s = {explain, rank, seen->plan, seen->walked, 1.0 / seen->steps};
    see(&s, explain->number->behind);
}
