/* SPDX-License-Identifier: Apache-2.0 */
/* What a walk comes to. */
#include "base/span.h"
#include "base/sum.h"
#include "walk_private.h"

static int64_t ns_of(double us)
{
    return sum_rounded(us * 1e3);
}

static void add_work(const struct rank *rank, bool communication, struct spans *spans)
{
    for (uint32_t i = 0; i < rank->plan->launch_count; i++)
        if (known(rank->launch_start[i]) && (rank->plan->launches[i].work == WORK_COMMUNICATION) == communication)
            spans_add(spans, ns_of(rank->came[i]), ns_of(rank->launch_end[i]));
    spans_tidy(spans);
}

static void sum_device(const struct rank *rank)
{
    struct spans own = {0}, communication = {0}, both = {0};
    add_work(rank, false, &own);
    add_work(rank, true, &communication);
    spans_union(&own, &communication, &both);
    struct walked *walked = rank->walked;
    walked->active_us = (double)spans_length(&both) / 1e3;
    walked->communication_us = (double)spans_length(&communication) / 1e3;
    walked->exposed_communication_us = walked->active_us - (double)spans_length(&own) / 1e3;
    walked->idle_us = later(walked->step_us - walked->active_us, 0);
    spans_free(&own);
    spans_free(&communication);
    spans_free(&both);
}

static void shift(double *at, uint32_t count, double by)
{
    for (uint32_t i = 0; i < count; i++)
        at[i] -= by;
}

void walk_sum(struct rank *rank, double begin_us, double step_us)
{
    const struct plan *plan = rank->plan;
    shift(rank->came, plan->launch_count, begin_us);
    shift(rank->launch_start, plan->launch_count, begin_us);
    shift(rank->launch_end, plan->launch_count, begin_us);
    shift(rank->op_start, plan->count, begin_us);
    shift(rank->op_end, plan->count, begin_us);
    *rank->walked = (struct walked){
        .step_us = step_us,
        .host_us = walk_host_end_us(rank) - begin_us,
        .wait_us = rank->waited_us,
        .launch_start_us = rank->launch_start,
        .launch_end_us = rank->launch_end,
        .launch_came_us = rank->came,
        .op_start_us = rank->op_start,
        .op_end_us = rank->op_end,
        .op_wait_us = rank->op_wait,
    };
    sum_device(rank);
}
