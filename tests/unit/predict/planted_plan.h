/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a few operators whose times can be told by hand. Every number is there because it was put there. */
#ifndef PLANTED_PLAN_H
#define PLANTED_PLAN_H

#include "unit/cmocka_first.h"

#include <math.h>
#include <string.h>

#include "predict/plan/walk.h"

enum { PLANTED_ROOM = 64 };

struct planted_plan {
    struct program program;
    struct program_op calls[PLANTED_ROOM];
    struct collective collectives[PLANTED_ROOM];
    struct collective_group groups[4];
    struct plan plan;
    struct plan_op ops[PLANTED_ROOM];
    struct plan_launch launches[PLANTED_ROOM];
    uint32_t waits[PLANTED_ROOM], wait_count;
    struct arena arena;
    struct walked walked;
};

/* A call takes 2 us, its work begins 5 us after the call does, 1 us lies between works, a wait returns 3 us late. */
enum { CALL_US = 2, START_US = 5, GAP_US = 1, RETURN_US = 3 };

static inline void planted_plan_open(struct planted_plan *p)
{
    memset(p, 0, sizeof *p);
    p->program = (struct program){.ops = p->calls, .collectives = p->collectives, .groups = p->groups};
    p->plan = (struct plan){.program = &p->program, .ops = p->ops, .launches = p->launches, .waits = p->waits};
    p->plan.streams = 3;
    p->plan.threads = 2;
    for (int class = 0; class < WORK_CLASSES; class ++) {
        p->plan.device.start_us[class] = START_US;
        p->plan.device.gap_us[class] = GAP_US;
    }
    p->plan.device.return_us = RETURN_US;
}

static inline struct plan_op *add_op(struct planted_plan *p, const char *name, double before_us, double last_us)
{
    const uint32_t i = p->plan.count++;
    p->calls[i] = (struct program_op){.name = str_of(name), .parent = OP_NONE, .end = i + 1, .forward = OP_NONE};
    p->program.count = p->plan.count;
    p->ops[i] = (struct plan_op){.op = i,
                                 .before_us = before_us,
                                 .last_us = last_us,
                                 .wait_stream = WAITS_FOR_NOTHING,
                                 .first_launch = p->plan.launch_count,
                                 .follows = PLAN_NONE};
    return &p->ops[i];
}

/* Into the operator added last. */
static inline struct plan_launch *add_launch(struct planted_plan *p, uint32_t stream, double gap_us, double us)
{
    const uint32_t i = p->plan.launch_count++;
    p->ops[p->plan.count - 1].launches++;
    p->launches[i] = (struct plan_launch){.op = p->plan.count - 1,
                                          .source = PLAN_NONE,
                                          .us = us,
                                          .gap_us = gap_us,
                                          .call_us = CALL_US,
                                          .wait_stream = WAITS_FOR_NOTHING,
                                          .stream = stream,
                                          .collective = UINT32_MAX};
    return &p->launches[i];
}

static inline void add_wait(struct planted_plan *p, struct plan_launch *launch, uint32_t on)
{
    if (!launch->waits)
        launch->first_wait = p->wait_count;
    p->waits[p->wait_count++] = on;
    launch->waits++;
}

static inline void add_all_reduce(struct planted_plan *p, uint32_t stream, int64_t seq, uint32_t group, double us)
{
    struct plan_launch *launch = add_launch(p, stream, 0, us);
    launch->work = WORK_COMMUNICATION;
    launch->collective = p->program.collective_count++;
    p->program.group_count = group + 1 > p->program.group_count ? group + 1 : p->program.group_count;
    p->groups[group].identity = group + 1;
    p->collectives[launch->collective] =
        (struct collective){.seq = seq, .group = group, .kind = COLLECTIVE_ALL_REDUCE, .dur_ns = (int64_t)us * 1000};
}

#define assert_us(value, expected) assert_true(fabs((value) - (double)(expected)) < 1e-6)

#endif
