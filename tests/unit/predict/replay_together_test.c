/* SPDX-License-Identifier: Apache-2.0 */
/* Questions put to ranks of one job at once: what one of them was waited for, all gain. */
#include "unit/cmocka_first.h"

#include <stdlib.h>

#include "predict/question/replay.h"
#include "unit/planted.h"

enum {
    RANKS = 2,
    STEPS = 4,
    SLOW_STEP = 2,
    STEP_US = 2000,
    US = 1000,
    SHORT_US = 100,
    LONG_US = 900,
    TRANSFER_US = 20
};

/* In each step a kernel, then an all-reduce that the host waits for. In one step the kernel of rank 0 takes LONG_US. */
struct rank {
    struct planted p;
    struct work_classes *classes;
    struct graph *graph;
    struct replay *replay;
};

struct job {
    struct rank ranks[RANKS];
    struct arena arena;
};

static void plant_rank_step(struct rank *r, uint32_t rank, int64_t k, bool reduces)
{
    const int64_t t = k * STEP_US, last = k == SLOW_STEP ? LONG_US : SHORT_US, own = rank ? SHORT_US : last;
    plant_step(&r->p, k, t, STEP_US);
    plant_host(&r->p, EVENT_OPERATOR, own == LONG_US ? "aten::slow" : "aten::mm", t + 5, 20);
    plant_work(&r->p, (struct planted_work){.launch_us = t + 10, .launch_dur_us = 5, .us = t + 20, .dur_us = own});
    if (reduces)
        plant_work(&r->p, (struct planted_work){.launch_us = t + 30,
                                                .launch_dur_us = 5,
                                                .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)",
                                                .us = t + 20 + own,
                                                .dur_us = last - own + TRANSFER_US});
    plant_linked(&r->p, EVENT_RUNTIME, planted_thread(&r->p, PLANTED_MAIN), "cudaDeviceSynchronize", t + 50,
                 last + TRANSFER_US - 25, r->p.correlation++);
}

/* The ranks have recorded their all-reduces from these steps on. */
static struct job *open_job(uint32_t first, uint32_t second)
{
    struct job *job = calloc(1, sizeof *job);
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank *r = &job->ranks[i];
        r->p = planted_new();
        r->p.trace->info.rank = i;
        for (uint32_t k = 0; k < STEPS; k++)
            plant_rank_step(r, i, k, k >= (i ? second : first));
        trace_finish(r->p.trace);
        r->classes = work_classes_new(r->p.trace, &job->arena);
        r->graph = graph_new(r->p.trace, r->classes);
        r->replay = replay_new(r->graph, r->classes, (struct step_range){0, STEPS});
    }
    return job;
}

static void close_job(struct job *job)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        replay_free(job->ranks[i].replay);
        graph_free(job->ranks[i].graph);
        trace_free(job->ranks[i].p.trace);
    }
    arena_free(&job->arena);
    free(job);
}

static void ask(struct job *job, struct rank *r, const struct question *question)
{
    const struct question_context context = {.trace = r->p.trace};
    const struct plan_options options = {.replay = true, .with_profiler = true};
    struct steptime_error err = {0};
    for (uint32_t i = 0; i < STEPS; i++) {
        struct program *program = arena_alloc(&job->arena, sizeof *program);
        struct plan before, after;
        *program = program_of_step(r->p.trace, r->classes, i, &job->arena);
        assert_true(plan_of(program, &options, &job->arena, &before, &err));
        after = plan_copy(&before, &job->arena);
        if (r == &job->ranks[0] && i == SLOW_STEP)
            assert_true(question_apply(question, &context, &after, &job->arena, NULL, &err));
        replay_step(r->replay, &before, &after);
    }
}

/* All kernels of the slow operator as long as the others. */
static void expect_all_gain(struct job *job)
{
    const struct question_scale scale = {S("aten::slow"), (double)SHORT_US / LONG_US};
    const struct question question = {.scale = &scale, .scale_count = 1};
    struct replay *replays[RANKS];
    struct replayed replayed[RANKS];
    struct match_doubt doubt;
    for (uint32_t i = 0; i < RANKS; i++) {
        ask(job, &job->ranks[i], &question);
        replays[i] = job->ranks[i].replay;
    }
    assert_true(replay_run_together(replays, RANKS, 1, &job->arena, replayed, &doubt));
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_int_equal(replayed[i].recorded_ns, STEP_US * US);
        assert_int_equal(replayed[i].replayed_ns, (STEP_US - (LONG_US - SHORT_US) / STEPS) * US);
        int64_t sum_ns = 0;
        for (uint32_t k = 0; k < STEPS; k++)
            sum_ns += replayed[i].steps[k].step_ns;
        assert_int_equal(sum_ns / STEPS, replayed[i].replayed_ns);
    }
    close_job(job);
}

static void what_all_waited_for_all_gain(void **state)
{
    expect_all_gain(open_job(0, 0));
}

/* Else each all-reduce meets the one of the step before. */
static void a_rank_that_lacks_the_first_collective_meets_the_others_all_the_same(void **state)
{
    expect_all_gain(open_job(1, 0));
    expect_all_gain(open_job(0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_all_waited_for_all_gain),
        cmocka_unit_test(a_rank_that_lacks_the_first_collective_meets_the_others_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
