/* SPDX-License-Identifier: Apache-2.0 */
/* What work of a step came after, where only times say so: a full device, graphs, and what was there before it. */
#include "unit/planted.h"
#include "program_case.h"

struct recorded {
    struct planted p;
    struct arena arena;
    struct program program;
};

static int open_trace(void **state)
{
    static struct recorded r;
    r = (struct recorded){.p = planted_new()};
    *state = &r;
    return 0;
}

static int close_trace(void **state)
{
    struct recorded *r = *state;
    trace_free(r->p.trace);
    arena_free(&r->arena);
    return 0;
}

static void launch(struct recorded *r, int64_t stream, int64_t call_us, int64_t us, int64_t dur_us)
{
    plant_work(&r->p, (struct planted_work){
                          .launch_us = call_us, .launch_dur_us = 5, .stream = stream, .us = us, .dur_us = dur_us});
}

static const struct program *step(struct recorded *r, uint32_t number)
{
    if (!r->p.trace->step_count)
        trace_finish(r->p.trace);
    r->program = program_of_step(r->p.trace, work_classes_new(r->p.trace, &r->arena), number, &r->arena);
    check_program(&r->program);
    return &r->program;
}

static void assert_order(const struct program *program, uint32_t at, uint32_t launch_at, uint32_t after)
{
    assert_true(at < program->order_count);
    assert_int_equal(program->orders[at].launch, launch_at);
    assert_int_equal(program->orders[at].after, after);
}

/* A kernel of 1000 us fills the device; what another stream has ready since its begin starts as it drains. */
static void work_makes_way_for_a_kernel_that_fills_the_device(void **state)
{
    struct recorded *r = *state;
    plant_step(&r->p, 1, 0, 3000);
    launch(r, 7, 10, 20, 1000);
    launch(r, 8, 40, 1005, 50);
    launch(r, 8, 60, 1056, 50);
    const struct program *program = step(r, 0);
    assert_int_equal(program->order_count, 1);
    assert_order(program, 0, 1, 0);
}

static void work_beside_a_long_kernel_waits_for_nothing(void **state)
{
    struct recorded *r = *state;
    plant_step(&r->p, 1, 0, 3000);
    launch(r, 7, 10, 20, 1000);
    launch(r, 8, 40, 500, 50);    /* in its middle */
    launch(r, 8, 1000, 1010, 50); /* at its end, at once */
    assert_int_equal(step(r, 0)->order_count, 0);
}

/* The device is done with the step before the host is 300 us into this one. */
static void a_device_may_be_behind(void **state)
{
    struct recorded *r = *state;
    plant_step(&r->p, 1, 0, 1000);
    launch(r, 7, 10, 20, 1280);
    plant_step(&r->p, 2, 1000, 1000);
    launch(r, 7, 1010, 1301, 600);
    assert_int_equal(step(r, 0)->behind_ns, 0);
    assert_int_equal(step(r, 1)->behind_ns, 300000);
    assert_int_equal(r->program.held_ns, 0);
}

/* The host waits 800 us for work that was called before the recording. */
static void a_wait_for_what_is_not_recorded_is_told(void **state)
{
    struct recorded *r = *state;
    plant_linked(&r->p, EVENT_KERNEL, planted_stream(&r->p, 0, 7), "sgemm", -100, 990, 999);
    plant_step(&r->p, 1, 0, 2000);
    plant_host(&r->p, EVENT_RUNTIME, "cudaDeviceSynchronize", 100, 800);
    launch(r, 7, 910, 920, 500);
    plant_step(&r->p, 2, 2000, 1000);
    launch(r, 7, 2010, 2020, 500);
    assert_int_equal(step(r, 0)->held_ns, 790000); /* until that is done */
    assert_int_equal(step(r, 1)->held_ns, 0);
}

/* The first launch of all takes 5 ms, in which nothing runs. A later one waits for room while the device works. */
static void a_launch_that_loads_code_is_told(void **state)
{
    struct recorded *r = *state;
    plant_step(&r->p, 1, 0, 20000);
    plant_work(&r->p, (struct planted_work){.launch_us = 10, .launch_dur_us = 5000, .us = 5005, .dur_us = 9000});
    plant_work(&r->p, (struct planted_work){.launch_us = 6000, .launch_dur_us = 2000, .us = 14006, .dur_us = 10});
    for (int i = 0; i < 3; i++)
        launch(r, 7, 14100 + 20 * i, 14110 + 20 * i, 5);
    assert_int_equal(step(r, 0)->held_ns, 4995000);
}

/* Captured on stream 9, launched into the stream of the others. */
static void a_graph_stands_where_it_was_launched(void **state)
{
    struct recorded *r = *state;
    plant_step(&r->p, 1, 0, 3000);
    launch(r, 7, 10, 20, 80);
    const uint32_t first = plant_work(
        &r->p,
        (struct planted_work){
            .call = "cudaGraphLaunch", .launch_us = 30, .launch_dur_us = 5, .stream = 9, .us = 101, .dur_us = 40});
    plant_linked(&r->p, EVENT_KERNEL, planted_stream(&r->p, 0, 9), "sgemm", 142, 40, r->p.correlation - 1);
    launch(r, 7, 50, 183, 20);
    launch(r, 7, 60, 204, 20);
    const struct program *program = step(r, 0);
    assert_int_equal(program->launches[1].row, first);
    assert_int_equal(program->order_count, 2);
    assert_order(program, 0, 1, 0);
    assert_order(program, 1, 3, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_trace, close_trace)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(work_makes_way_for_a_kernel_that_fills_the_device),
        TEST(work_beside_a_long_kernel_waits_for_nothing),
        TEST(a_device_may_be_behind),
        TEST(a_wait_for_what_is_not_recorded_is_told),
        TEST(a_launch_that_loads_code_is_told),
        TEST(a_graph_stands_where_it_was_launched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
