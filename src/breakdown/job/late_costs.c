/* SPDX-License-Identifier: Apache-2.0 */
#include "late_costs.h"

/* A cost of so much of all of its rank, or more, is told whatever else is known of it. */
static const double must_be_told = 0.2;

struct late_costs late_costs_of(const struct job *job, struct arena *arena)
{
    if (!job->lined || job->late == RANK_NONE_LATE)
        return (struct late_costs){0};
    return (struct late_costs){job, arena_array(arena, job->delays.count, sizeof(bool))};
}

/* The cause that a class of ordinary execution has among causes of host time. */
static enum cause cause_of(const struct line_kind *kind)
{
    if (kind->cause != CAUSE_NONE)
        return (enum cause)kind->cause;
    switch ((int)kind->class) {
    case PATH_FORWARD:
    case PATH_BACKWARD:
    case PATH_OPTIMIZER:
        return CAUSE_OPERATOR;
    case PATH_PYTHON:
        return CAUSE_PYTHON;
    case PATH_LAUNCH:
        return CAUSE_LAUNCH;
    case PATH_RUNTIME:
        return CAUSE_RUNTIME;
    case PATH_SYNC:
        return CAUSE_SYNC;
    default:
        return CAUSE_NONE;
    }
}

static int64_t take(struct late_costs *costs, uint32_t i)
{
    const struct delay_cost *cost = &costs->job->delays.at[i];
    costs->told[i] = true;
    return cost->short_ns + cost->long_ns;
}

static bool is_open(const struct late_costs *costs, uint32_t i)
{
    return costs->job->delays.at[i].rank == costs->job->late && !costs->told[i];
}

int64_t late_costs_take(struct late_costs *costs, enum cause cause, bool is_long, str what)
{
    const uint32_t count = costs->job ? costs->job->delays.count : 0;
    const bool by_name = is_long && what.len && cause != CAUSE_NO_LAUNCH;
    int64_t ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct line_kind *kind = &costs->job->lines.kinds[costs->job->delays.at[i].kind];
        if (is_open(costs, i) && cause_of(kind) == cause && (!by_name || str_eq(kind->name, what)))
            ns += take(costs, i);
    }
    return ns;
}

int64_t late_costs_take_class(struct late_costs *costs, enum path_class class)
{
    const uint32_t count = costs->job ? costs->job->delays.count : 0;
    int64_t ns = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_open(costs, i) && costs->job->lines.kinds[costs->job->delays.at[i].kind].class == class)
            ns += take(costs, i);
    return ns;
}

const struct delay_cost *late_costs_untold(struct late_costs *costs, double *share)
{
    const uint32_t count = costs->job ? costs->job->delays.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_open(costs, i))
            continue;
        *share = (double)take(costs, i) / (double)costs->job->delays.of_rank[costs->job->late];
        return *share >= must_be_told ? &costs->job->delays.at[i] : NULL;
    }
    return NULL;
}
