/* SPDX-License-Identifier: Apache-2.0 */
/* How long a walk takes: a plan of 100,000 operators with a launch each on four streams, events between them. */
#include <stdio.h>
#include <time.h>

#include "predict/plan/walk.h"

enum { OPERATORS = 100 * 1000, STREAMS = 4, RUNS = 9 };

static double now_ms(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

static void fill(struct plan *plan, uint32_t *waits)
{
    for (uint32_t i = 0; i < OPERATORS; i++) {
        plan->ops[i] = (struct plan_op){.op = OP_NONE,
                                        .before_us = 3,
                                        .last_us = 5,
                                        .wait_stream = i % 1000 ? WAITS_FOR_NOTHING : WAITS_FOR_ALL,
                                        .first_launch = i,
                                        .launches = 1,
                                        .follows = PLAN_NONE};
        plan->launches[i] = (struct plan_launch){.op = i,
                                                 .source = PLAN_NONE,
                                                 .us = 4 + i % 13,
                                                 .gap_us = 6,
                                                 .call_us = 4,
                                                 .wait_stream = WAITS_FOR_NOTHING,
                                                 .first_wait = i,
                                                 .waits = i % 7 == 6,
                                                 .stream = i % STREAMS,
                                                 .collective = UINT32_MAX};
        waits[i] = i ? i - 1 : 0;
    }
}

int main(void)
{
    struct arena arena = {0};
    uint32_t *waits = arena_array(&arena, OPERATORS, sizeof *waits);
    struct program program = {0};
    struct plan plan = {.program = &program, .waits = waits, .streams = STREAMS, .threads = 1, .repeats = true};
    plan.count = plan.launch_count = OPERATORS;
    plan.ops = arena_array(&arena, OPERATORS, sizeof *plan.ops);
    plan.launches = arena_array(&arena, OPERATORS, sizeof *plan.launches);
    plan.device.queue_room = 1022;
    fill(&plan, waits);
    double best_ms = 1e9;
    struct walked walked = {0};
    for (int run = 0; run < RUNS; run++) {
        struct arena scratch = {0};
        const double begin_ms = now_ms();
        struct steptime_error err;
        if (!walk(&plan, &scratch, &walked, &err))
            return 1;
        const double ms = now_ms() - begin_ms;
        best_ms = ms < best_ms ? ms : best_ms;
        arena_free(&scratch);
    }
    printf("{\"operators\": %d, \"walk_ms\": %.2f, \"step_ms\": %.1f}\n", OPERATORS, best_ms, walked.step_us / 1e3);
    arena_free(&arena);
    return 0;
}
