/* SPDX-License-Identifier: Apache-2.0 */
/* Forward, backward, optimizer. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "ops/rows/phase.h"
#include "unit/planted.h"

struct phased {
    struct planted p;
    struct arena arena;
    const uint8_t *phases;
};

static struct phased start(void)
{
    return (struct phased){.p = planted_new()};
}

static void finish(struct phased *t)
{
    trace_finish(t->p.trace);
    t->phases = phases_of(t->p.trace, &t->arena);
}

static void end(struct phased *t)
{
    arena_free(&t->arena);
    trace_free(t->p.trace);
}

static uint32_t on(struct phased *t, int64_t thread, enum event_kind kind, const char *name, int64_t us, int64_t dur_us)
{
    return plant(&t->p, kind, planted_thread(&t->p, thread), name, us, dur_us);
}

static void a_step_has_three_phases(void **state)
{
    struct phased t = start();
    const uint32_t forward = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::linear", 0, 20);
    const uint32_t inner = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::addmm", 2, 10);
    const uint32_t engine =
        on(&t, PLANTED_BACKWARD, EVENT_OPERATOR, "autograd::engine::evaluate_function: AddmmBackward0", 30, 20);
    const uint32_t product = on(&t, PLANTED_BACKWARD, EVENT_OPERATOR, "aten::mm", 32, 10);
    const uint32_t bucket = on(&t, PLANTED_BACKWARD, EVENT_OPERATOR, "c10d::allreduce_", 55, 5);
    const uint32_t step = on(&t, PLANTED_MAIN, EVENT_ANNOTATION, "Optimizer.step#Adam.step", 60, 20);
    const uint32_t update = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::_foreach_add_", 65, 5);
    const uint32_t zero = on(&t, PLANTED_MAIN, EVENT_ANNOTATION, "Optimizer.zero_grad#Adam.zero_grad", 82, 10);
    const uint32_t fill = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::zero_", 84, 2);
    finish(&t);
    assert_int_equal(t.phases[forward], PHASE_FORWARD);
    assert_int_equal(t.phases[inner], PHASE_FORWARD);
    assert_int_equal(t.phases[engine], PHASE_BACKWARD);
    assert_int_equal(t.phases[product], PHASE_BACKWARD);
    assert_int_equal(t.phases[bucket], PHASE_BACKWARD);
    assert_int_equal(t.phases[step], PHASE_OPTIMIZER);
    assert_int_equal(t.phases[update], PHASE_OPTIMIZER);
    assert_int_equal(t.phases[zero], PHASE_OPTIMIZER);
    assert_int_equal(t.phases[fill], PHASE_OPTIMIZER);
    end(&t);
}

/* On the CPU autograd runs on the thread that called it. */
static void backward_on_the_main_thread_is_told_by_the_engine(void **state)
{
    struct phased t = start();
    const uint32_t forward = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::mm", 0, 10);
    const uint32_t engine =
        on(&t, PLANTED_MAIN, EVENT_OPERATOR, "autograd::engine::evaluate_function: MmBackward0", 20, 10);
    const uint32_t inner = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::mm", 22, 5);
    for (int64_t i = 0; i < 5; i++) /* a graph has more nodes than the forward pass has operators */
        on(&t, PLANTED_MAIN, EVENT_OPERATOR, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
           30 + i, 1);
    const uint32_t later = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::item", 40, 5);
    finish(&t);
    assert_int_equal(t.phases[forward], PHASE_FORWARD);
    assert_int_equal(t.phases[engine], PHASE_BACKWARD);
    assert_int_equal(t.phases[inner], PHASE_BACKWARD);
    assert_int_equal(t.phases[later], PHASE_FORWARD);
    end(&t);
}

static void older_traces_have_no_engine_and_record_the_optimizer_as_an_operator(void **state)
{
    struct phased t = start();
    const uint32_t node = on(&t, PLANTED_BACKWARD, EVENT_OPERATOR, "AddmmBackward", 0, 10);
    const uint32_t step = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "Optimizer.step#SGD.step", 20, 10);
    const uint32_t update = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::add_", 22, 5);
    finish(&t);
    assert_int_equal(t.phases[node], PHASE_BACKWARD);
    assert_int_equal(t.phases[step], PHASE_OPTIMIZER);
    assert_int_equal(t.phases[update], PHASE_OPTIMIZER);
    end(&t);
}

static void a_closure_in_the_optimizer_is_no_part_of_it(void **state)
{
    struct phased t = start();
    on(&t, PLANTED_MAIN, EVENT_ANNOTATION, "Optimizer.step#LBFGS.step", 0, 100);
    const uint32_t forward = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::linear", 5, 10);
    const uint32_t backward =
        on(&t, PLANTED_BACKWARD, EVENT_OPERATOR, "autograd::engine::evaluate_function: AddmmBackward0", 30, 20);
    const uint32_t update = on(&t, PLANTED_MAIN, EVENT_OPERATOR, "aten::add_", 60, 5);
    finish(&t);
    assert_int_equal(t.phases[forward], PHASE_FORWARD);
    assert_int_equal(t.phases[backward], PHASE_BACKWARD);
    assert_int_equal(t.phases[update], PHASE_OPTIMIZER);
    end(&t);
}

static void device_work_has_the_phase_of_its_launch(void **state)
{
    struct phased t = start();
    on(&t, PLANTED_BACKWARD, EVENT_OPERATOR, "autograd::engine::evaluate_function: MmBackward0", 0, 50);
    const uint32_t work = plant_work(
        &t.p,
        (struct planted_work){.thread = PLANTED_BACKWARD, .launch_us = 5, .launch_dur_us = 5, .us = 200, .dur_us = 10});
    const uint32_t outside = plant_work(
        &t.p,
        (struct planted_work){.thread = PLANTED_GLOO, .launch_us = 60, .launch_dur_us = 5, .us = 300, .dur_us = 10});
    finish(&t);
    assert_int_equal(t.phases[work], PHASE_BACKWARD);
    assert_int_equal(t.phases[outside], PHASE_NONE);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_has_three_phases),
        cmocka_unit_test(backward_on_the_main_thread_is_told_by_the_engine),
        cmocka_unit_test(older_traces_have_no_engine_and_record_the_optimizer_as_an_operator),
        cmocka_unit_test(a_closure_in_the_optimizer_is_no_part_of_it),
        cmocka_unit_test(device_work_has_the_phase_of_its_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
