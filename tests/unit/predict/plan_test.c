/* SPDX-License-Identifier: Apache-2.0 */
/* From a program to a plan: whose numbers stand where, and that no work is left without a time. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "program/dlrm.h"
#include "unit/planted.h"
#include "predict/answer/predict.h"
#include "predict/plan/plan_doubt.h"

struct planned {
    struct planted p;
    struct arena arena;
    struct program program;
    struct plan plan;
    struct walked walked;
    struct steptime_error err;
};

static int open_trace(void **state)
{
    struct planned *t = calloc(1, sizeof *t);
    t->p = planted_new();
    *state = t;
    return 0;
}

static int close_trace(void **state)
{
    struct planned *t = *state;
    trace_free(t->p.trace);
    arena_free(&t->arena);
    free(t);
    return 0;
}

static void finish(struct planned *t)
{
    trace_finish(t->p.trace);
    t->program = program_of_step(t->p.trace, work_classes_new(t->p.trace, &t->arena), 0, &t->arena);
}

static void plan(struct planned *t, const struct plan_options *options)
{
    if (!plan_of(&t->program, options, &t->arena, &t->plan, &t->err))
        fail_msg("%s", t->err.message);
}

#define assert_us(value, expected) assert_true(fabs((value) - (double)(expected)) < 1e-6)

/* A trace walked with its own overheads gives its own times where everything happens once. */
static void a_step_of_single_stretches_comes_back(void **state)
{
    struct planned *t = *state;
    plant_host(&t->p, EVENT_OPERATOR, "aten::linear", 4, 50);
    plant_work(&t->p, (struct planted_work){.launch_us = 24, .launch_dur_us = 5, .us = 40, .dur_us = 100});
    plant_host(&t->p, EVENT_OPERATOR, "aten::item", 60, 110);
    plant_work(&t->p, (struct planted_work){.launch_us = 70, .launch_dur_us = 5, .us = 142, .dur_us = 10});
    plant_host(&t->p, EVENT_RUNTIME, "cudaStreamSynchronize", 80, 75);
    finish(t);
    plan(t, &(struct plan_options){.replay = true, .with_profiler = true});
    assert_int_equal(t->plan.count, 2);
    assert_int_equal(t->plan.launch_count, 2);
    assert_us(t->plan.ops[1].before_us, 6);
    assert_us(t->plan.launches[0].gap_us, 20);
    assert_us(t->plan.launches[0].us, 100);
    assert_int_equal(t->plan.launches[0].basis, TIMED_RECORDED);
    assert_int_equal(t->plan.launches[0].wait_stream, WAITS_FOR_NOTHING);
    assert_int_equal(t->plan.launches[1].wait_stream, 0);
    assert_us(t->plan.recorded_us, 110);
    assert_true(walk(&t->plan, &t->arena, &t->walked, &t->err));
    assert_us(t->walked.op_start_us[1], 60 - 4); /* the trace begins with its first event */
    assert_us(t->walked.active_us, 110);
}

static void work_without_a_recorded_time_is_guessed_and_counted(void **state)
{
    struct planned *t = *state;
    plant_host(&t->p, EVENT_OPERATOR, "aten::mul", 0, 50);
    plant_work(&t->p, (struct planted_work){.launch_us = 10, .launch_dur_us = 5, .us = 20, .dur_us = 10});
    plant_linked(&t->p, EVENT_RUNTIME, planted_thread(&t->p, PLANTED_MAIN), "cudaLaunchKernel", 30, 5, 999);
    finish(t);
    plan(t, &(struct plan_options){.replay = true});
    assert_int_equal(t->plan.launch_count, 2);
    assert_true(t->plan.launches[1].us > 0);
    assert_int_equal(t->plan.launches[1].basis, TIMED_GUESS);
    assert_int_equal(t->plan.guessed, 1);
}

static void backward_follows_forward_across_threads(void **state)
{
    struct planned *t = *state;
    const uint32_t backward = planted_thread(&t->p, PLANTED_BACKWARD);
    plant_host(&t->p, EVENT_OPERATOR, "forward", 0, 50);
    plant(&t->p, EVENT_OPERATOR, backward, "autograd::engine::evaluate_function: MmBackward0", 70, 30);
    plant_host(&t->p, EVENT_OPERATOR, "optimizer", 110, 20);
    finish(t);
    plan(t, &(struct plan_options){.replay = true, .with_profiler = true});
    assert_int_equal(t->plan.ops[1].follows, 0);
    assert_int_equal(t->plan.ops[2].follows, 1);
    assert_us(t->plan.ops[1].before_us, 20);
    assert_us(t->plan.ops[2].before_us, 10);
}

/* The sizes of a model and a device are enough: every unit of work has a time, and none is nothing. */
static void a_configuration_has_a_time_for_all_work(void **state)
{
    struct planned *t = *state;
    struct dlrm dlrm;
    struct hardware hardware;
    assert_true(dlrm_find(S("default"), &t->arena, &dlrm, &t->err));
    assert_true(hardware_find(S("H100"), &t->arena, &hardware, &t->err));
    t->program = program_of_dlrm(&dlrm, &t->arena);
    plan(t, &(struct plan_options){.models = models_new(&t->arena), .hardware = &hardware});
    assert_true(t->plan.launch_count > 50);
    for (uint32_t i = 0; i < t->plan.launch_count; i++) {
        assert_true(t->plan.launches[i].us > 0);
        assert_true(t->plan.launches[i].basis == TIMED_MODEL || t->plan.launches[i].basis == TIMED_GUESS);
    }
    assert_true(walk(&t->plan, &t->arena, &t->walked, &t->err));
    assert_true(t->walked.step_us >= t->walked.active_us);
}

static void an_operator_without_shapes_is_named(void **state)
{
    struct planned *t = *state;
    struct hardware hardware;
    struct program_op op = {.name = S("aten::mm"), .id = 77, .parent = OP_NONE, .end = 1, .forward = OP_NONE};
    op.start_ns = op.dur_ns = -1;
    t->program = (struct program){.source = PROGRAM_EXECUTION, .ops = &op, .count = 1, .threads = 1, .step = -1};
    trace_finish(t->p.trace);
    assert_true(hardware_find(S("V100-SXM2-16GB"), &t->arena, &hardware, &t->err));
    const struct plan_options options = {.models = models_new(&t->arena), .hardware = &hardware};
    assert_false(plan_of(&t->program, &options, &t->arena, &t->plan, &t->err));
    assert_int_equal(t->err.code, STEPTIME_INPUT);
    assert_non_null(strstr(t->err.message, "aten::mm (77)"));
}

static void sizes_that_do_not_fit_are_named(void **state)
{
    static const char *const dims[] = {"[[4294967296, 4294967296], [4, 4]]", "[[-3, 4], [4, 5]]", "[[0, 0"};
    struct planned *t = *state;
    struct hardware hardware;
    trace_finish(t->p.trace);
    assert_true(hardware_find(S("V100-SXM2-16GB"), &t->arena, &hardware, &t->err));
    const struct plan_options options = {.models = models_new(&t->arena), .hardware = &hardware};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        struct program_op op = {.name = S("aten::mm"), .id = 77, .parent = OP_NONE, .end = 1, .forward = OP_NONE};
        op.start_ns = op.dur_ns = -1;
        op.arguments.dims = str_of(dims[i]);
        t->program = (struct program){.source = PROGRAM_EXECUTION, .ops = &op, .count = 1, .threads = 1, .step = -1};
        assert_false(plan_of(&t->program, &options, &t->arena, &t->plan, &t->err));
        assert_int_equal(t->err.code, STEPTIME_INPUT);
        assert_non_null(strstr(t->err.message, "aten::mm (77)"));
        assert_non_null(strstr(t->err.message, "sizes"));
    }
}

/* ---- predictions ---- */

/* Ten equal steps: any is predicted from its neighbour without error. */
static void equal_steps_predict_each_other(void **state)
{
    struct planned *t = *state;
    enum { STEPS = 4, STEP_US = 1000 };
    struct source_step steps[STEPS];
    for (int i = 0; i < STEPS; i++) {
        const int64_t at = i * STEP_US;
        plant_step(&t->p, i, at, STEP_US);
        plant_host(&t->p, EVENT_OPERATOR, "aten::mul", at + 100, 500);
        plant_work(&t->p,
                   (struct planted_work){.launch_us = at + 200, .launch_dur_us = 5, .us = at + 210, .dur_us = 50});
    }
    finish(t);
    struct programs *programs = programs_open(t->p.trace, work_classes_new(t->p.trace, &t->arena));
    struct program_texts *texts = program_texts_new();
    struct predict_source source = {.steps = steps, .count = STEPS, .path = S("planted")};
    for (uint32_t i = 0; i < STEPS; i++) {
        const struct program program = programs_step(programs, i, &t->arena);
        predict_source_set(&source, i, &program, texts, &t->arena);
    }
    const struct predict_asked asked = {.plan = {.replay = true, .with_profiler = true}};
    struct prediction prediction;
    assert_true(predict(&source, &asked, &t->arena, &prediction, &t->err));
    assert_int_equal(prediction.tests, STEPS);
    assert_true(prediction.error < 1e-3);
    assert_us(prediction.measured_us, STEP_US);
    assert_us(prediction.walked.active_us, 50);
    assert_int_equal(prediction.top_count, 1);
    assert_true(prediction.top[0].without_us > 499);
    programs_close(programs);
    program_texts_free(texts);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_trace, close_trace)

/* Kernels of a step of training that was never timed do not sum up to it; of a recorded one, or of inference, they do. */
static void training_that_was_never_timed_is_doubted_as_a_whole(void **state)
{
    static const struct {
        enum program_source source;
        enum phase phase;
        bool doubted;
    } cases[] = {
        {PROGRAM_LIST, PHASE_BACKWARD, true},      {PROGRAM_LIST, PHASE_FORWARD, false},
        {PROGRAM_EXECUTION, PHASE_BACKWARD, true}, {PROGRAM_EXECUTION, PHASE_FORWARD, false},
        {PROGRAM_TRACE, PHASE_BACKWARD, false},    {PROGRAM_JOINED, PHASE_BACKWARD, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct program_op op = {.phase = (uint8_t)cases[i].phase};
        const struct program program = {.source = cases[i].source, .ops = &op, .count = 1};
        const struct plan plan = {.program = &program};
        assert_true((plan_whole_doubt(&plan) == training_doubt) == cases[i].doubted);
        assert_true((plan_whole_doubt(&plan) == 0) == !cases[i].doubted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_step_of_single_stretches_comes_back),
        TEST(work_without_a_recorded_time_is_guessed_and_counted),
        TEST(backward_follows_forward_across_threads),
        TEST(a_configuration_has_a_time_for_all_work),
        TEST(an_operator_without_shapes_is_named),
        TEST(sizes_that_do_not_fit_are_named),
        TEST(equal_steps_predict_each_other),
        cmocka_unit_test(training_that_was_never_timed_is_doubted_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
