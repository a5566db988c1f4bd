/* SPDX-License-Identifier: Apache-2.0 */
/* A gap of 3 ms of each cause between two kernels is found as exactly 3 ms of that cause, and of nothing else. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "breakdown/step/breakdown.h"
#include "unit/planted.h"

enum { GAP_START = 1000, GAP_END = 4000, GAP_NS = 3000 * 1000 };

/* The step is [0, 5000) us; the device works in [0, 1000) and [4000, 5000). */
struct scene {
    struct planted p;
    uint32_t last; /* the kernel that ends the gap */
    struct arena arena;
    struct breakdown result;
};

static struct scene scene_new(int64_t launch_us, int64_t launch_dur_us)
{
    struct scene s = {.p = planted_new()};
    plant_step(&s.p, 0, 0, 5000);
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 0, 1);
    plant_work(&s.p, (struct planted_work){.launch_us = 0, .launch_dur_us = 0, .us = 0, .dur_us = GAP_START});
    s.last = plant_work(
        &s.p,
        (struct planted_work){.launch_us = launch_us, .launch_dur_us = launch_dur_us, .us = GAP_END, .dur_us = 1000});
    return s;
}

static const struct breakdown_step *run(struct scene *s)
{
    trace_finish(s->p.trace);
    breakdown_run(s->p.trace, &(struct selection){0}, NULL, &s->arena, &s->result);
    assert_int_equal(s->result.device_count, 1);
    assert_int_equal(s->result.devices[0].step_count, 1);
    return s->result.devices[0].steps;
}

static void done(struct scene *s)
{
    trace_free(s->p.trace);
    arena_free(&s->arena);
}

/* Runs the scene and expects the gap to be of these parts and no other. */
static void expect(struct scene *s, enum part a, int64_t a_us, enum part b, int64_t b_us)
{
    const struct breakdown_step *step = run(s);
    for (int part = PART_BLOCKED; part < PARTS; part++) {
        const int64_t us = part == (int)a ? a_us : part == (int)b ? b_us : 0;
        assert_int_equal(step->part_ns[part], us * 1000);
    }
    assert_int_equal(step->part_ns[PART_COMPUTE], 2000 * 1000);
    assert_int_equal(step->wall_ns, 5000 * 1000);
    done(s);
}

static void expect_one(struct scene *s, enum part cause)
{
    expect(s, cause, 3000, cause, 3000);
}

static void in_the_data_loader(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", GAP_START, 3000);
    plant_host(&s.p, EVENT_OPERATOR, "aten::stack", 1500, 400); /* collating is loading too */
    expect_one(&s, PART_DATA_LOADING);
}

static void in_a_data_loader_recorded_as_an_operator(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_OPERATOR, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", GAP_START, 3000);
    plant_host(&s.p, EVENT_OPERATOR, "aten::to", 1500, 400);
    expect_one(&s, PART_DATA_LOADING);
}

static void in_a_synchronisation(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_OPERATOR, "aten::item", 900, 3100);
    plant_host(&s.p, EVENT_RUNTIME, "cudaStreamSynchronize", 950, 3050);
    expect_one(&s, PART_BLOCKED);
}

static void in_a_copy_that_blocks(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_RUNTIME, "cudaMemcpy", 500, 3500);
    expect_one(&s, PART_BLOCKED);
}

static void in_a_launch_call(void **state)
{
    struct scene s = scene_new(GAP_START, 3000);
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", GAP_START, 3500);
    expect_one(&s, PART_LAUNCHING);
}

static void in_an_operator(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_OPERATOR, "aten::nonzero", GAP_START, 3100);
    plant_host(&s.p, EVENT_RUNTIME, "cudaMalloc", 2000, 100); /* neither launches nor waits */
    expect_one(&s, PART_FRAMEWORK);
}

static void in_no_operator(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", GAP_END, 10);
    expect_one(&s, PART_BETWEEN_OPERATORS);
}

static void past_the_launch(void **state)
{
    struct scene s = scene_new(500, 5);
    plant_host(&s.p, EVENT_RUNTIME, "cudaStreamSynchronize", 600, 4400); /* what the host does by then is no cause */
    expect_one(&s, PART_LAUNCH_LATENCY);
}

static void queued_behind_another_stream(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_step(&s.p, 0, 0, 5000);
    plant_work(&s.p, (struct planted_work){.stream = 20, .us = 0, .dur_us = GAP_START});
    plant_work(&s.p, (struct planted_work){.launch_us = 500, .launch_dur_us = 5, .us = GAP_END, .dur_us = 1000});
    expect_one(&s, PART_DEPENDENCY);
}

static void queued_behind_an_event_that_its_stream_waits_for(void **state)
{
    struct scene s = scene_new(500, 5);
    plant(&s.p, EVENT_SYNC, planted_stream(&s.p, 0, 7), "Stream Wait Event", 400, 2);
    expect_one(&s, PART_DEPENDENCY);
}

static void a_wait_before_earlier_work_holds_nothing_back_any_more(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_step(&s.p, 0, 0, 5000);
    plant_work(&s.p, (struct planted_work){.launch_us = 10, .launch_dur_us = 5, .us = 10, .dur_us = 990});
    plant_work(&s.p, (struct planted_work){.launch_us = 500, .launch_dur_us = 5, .us = GAP_END, .dur_us = 1000});
    plant(&s.p, EVENT_SYNC, planted_stream(&s.p, 0, 7), "Stream Wait Event", 5, 2);
    const struct breakdown_step *step = run(&s);
    assert_int_equal(step->part_ns[PART_LAUNCH_LATENCY], GAP_NS);
    done(&s);
}

static void waiting_for_a_collective_on_the_host(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_ANNOTATION, "gloo:all_reduce", GAP_START, 3000);
    expect_one(&s, PART_DEPENDENCY);
}

static void in_the_profiler(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    const uint32_t lane = trace_lane(s.p.trace, (struct lane){.process = -1, .id = 0});
    plant(&s.p, EVENT_OVERHEAD, lane, "Buffer Flush", GAP_START, 3000);
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 900, 3200);
    expect_one(&s, PART_PROFILER);
}

static void in_a_compiler(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_OPERATOR, "_compile.compile_inner (dynamo_timed)", 900, 3200);
    plant_host(&s.p, EVENT_OPERATOR, "aten::detach", 2000, 100); /* what is inside belongs to it */
    expect_one(&s, PART_COMPILATION);
}

static void in_a_frame_of_a_compiler(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_PYTHON, "/venv/torch/_inductor/compile_fx.py(610): compile_fx_inner", 900, 3200);
    plant_host(&s.p, EVENT_OPERATOR, "aten::detach", 2000, 100);
    expect_one(&s, PART_COMPILATION);
}

/* To look a compiled function up, and to run it, is no compilation. */
static void in_a_compiled_function(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_OPERATOR, "Torch-Compiled Region: 0/1", 900, 3200);
    plant_host(&s.p, EVENT_OPERATOR, "TorchDynamo Cache Lookup", 1000, 3000);
    expect_one(&s, PART_FRAMEWORK);
}

static void on_a_thread_that_was_not_recorded(void **state)
{
    struct scene s = {.p = planted_new()};
    plant(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "a", 0, GAP_START);
    plant(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "b", GAP_END, 1000);
    expect_one(&s, PART_UNKNOWN);
}

static void a_gap_is_cut_where_the_host_goes_on(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_ANNOTATION, "enumerate(DataLoader)#_X.__next__", GAP_START, 2000);
    plant_host(&s.p, EVENT_RUNTIME, "cudaStreamSynchronize", 3000, 1000);
    expect(&s, PART_DATA_LOADING, 2000, PART_BLOCKED, 1000);
}

static void the_launch_divides_host_and_queue(void **state)
{
    struct scene s = scene_new(2000, 500);
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", GAP_START, 2000);
    const struct breakdown_step *step = run(&s);
    assert_int_equal(step->part_ns[PART_FRAMEWORK], 1000 * 1000);
    assert_int_equal(step->part_ns[PART_LAUNCHING], 500 * 1000);
    assert_int_equal(step->part_ns[PART_LAUNCH_LATENCY], 1500 * 1000);
    done(&s);
}

static void the_backward_thread_counts_where_it_launches_next(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_step(&s.p, 0, 0, 5000);
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 0, 2000); /* the forward part goes on for the first ms of the gap */
    plant_work(&s.p, (struct planted_work){.us = 0, .dur_us = GAP_START});
    plant(&s.p, EVENT_OPERATOR, planted_thread(&s.p, PLANTED_BACKWARD), "MmBackward0", 3000, 1200);
    plant_work(
        &s.p, (struct planted_work){
                  .thread = PLANTED_BACKWARD, .launch_us = GAP_END, .launch_dur_us = 5, .us = GAP_END, .dur_us = 1000});
    expect(&s, PART_FRAMEWORK, 2000, PART_BETWEEN_OPERATORS, 1000);
}

static void the_end_of_a_step_is_told_by_the_main_thread(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_step(&s.p, 0, 0, 4000);
    plant_work(&s.p, (struct planted_work){.us = 0, .dur_us = 2000});
    plant_host(&s.p, EVENT_RUNTIME, "cudaDeviceSynchronize", 1000, 1500);
    const struct breakdown_step *step = run(&s);
    assert_int_equal(step->part_ns[PART_BLOCKED], 500 * 1000);
    assert_int_equal(step->part_ns[PART_UNKNOWN] + step->part_ns[PART_BETWEEN_OPERATORS], 1500 * 1000);
    done(&s);
}

static void gaps_inside_a_graph_are_the_devices_own(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_step(&s.p, 0, 0, 5000);
    const uint32_t thread = planted_thread(&s.p, PLANTED_MAIN);
    plant_linked(&s.p, EVENT_RUNTIME, thread, "cudaGraphLaunch", 0, 100, 1);
    plant_linked(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "a", 100, 900, 1);
    plant_linked(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "b", 1500, 500, 1);
    plant_linked(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 8), "c", 3000, 2000, 1);
    const struct breakdown_step *step = run(&s);
    assert_int_equal(step->part_ns[PART_LAUNCHING], 100 * 1000);
    assert_int_equal(step->part_ns[PART_LAUNCH_LATENCY], 500 * 1000);
    assert_int_equal(step->part_ns[PART_DEPENDENCY], 1000 * 1000);
    done(&s);
}

static void blocked_names_the_call_and_its_operator(void **state)
{
    struct scene s = scene_new(GAP_END, 5);
    plant_host(&s.p, EVENT_OPERATOR, "aten::item", 900, 3100);
    plant_host(&s.p, EVENT_PYTHON, "train.py(30): step", 800, 3200);
    const uint32_t call = plant_host(&s.p, EVENT_RUNTIME, "cudaStreamSynchronize", 950, 3050);
    run(&s);
    const struct breakdown_device *device = s.result.devices;
    assert_int_equal(device->blocking_count, 1);
    assert_true(str_eq(device->blocking[0].call, S("cudaStreamSynchronize")));
    assert_true(str_eq(device->blocking[0].op, S("aten::item")));
    assert_true(str_eq(device->blocking[0].frame, S("train.py(30): step")));
    assert_int_equal(device->blocking[0].longest_row, call);
    assert_int_equal(device->blocking[0].total_ns, GAP_NS);
    assert_int_equal(device->idle[PART_BLOCKED].longest_ns, GAP_NS);
    assert_int_equal(device->idle[PART_BLOCKED].stretches, 1);
    done(&s);
}

/* ---- the coarse split ---- */

static void expect_waits(struct scene *s, int64_t host_us, int64_t kernel_us, int64_t other_us)
{
    run(s);
    const int64_t *total = s->result.devices[0].total;
    assert_int_equal(total[ACCOUNT_HOST_WAIT], host_us * 1000);
    assert_int_equal(total[ACCOUNT_KERNEL_WAIT], kernel_us * 1000);
    assert_int_equal(total[ACCOUNT_OTHER_IDLE], other_us * 1000);
    assert_int_equal(total[ACCOUNT_IDLE], (host_us + kernel_us + other_us) * 1000);
    done(s);
}

static void a_launch_after_the_device_went_idle_is_host_wait(void **state)
{
    struct scene s = scene_new(GAP_START + 1, 5);
    expect_waits(&s, 3000, 0, 0);
}

static void a_launch_at_that_very_time_is_none(void **state)
{
    struct scene s = scene_new(GAP_START, 5);
    expect_waits(&s, 0, 0, 3000);
}

static struct scene short_gap(int64_t gap_us)
{
    struct scene s = {.p = planted_new()};
    plant_step(&s.p, 0, 0, 5000);
    plant_work(&s.p, (struct planted_work){.us = 0, .dur_us = 1000});
    plant_work(&s.p, (struct planted_work){.launch_us = 10, .launch_dur_us = 5, .us = 1000 + gap_us, .dur_us = 100});
    return s;
}

static void below_30_us_it_is_kernel_wait(void **state)
{
    struct scene below = short_gap(29), at = short_gap(30);
    expect_waits(&below, 0, 29, 0);
    expect_waits(&at, 0, 0, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_data_loader),
        cmocka_unit_test(in_a_data_loader_recorded_as_an_operator),
        cmocka_unit_test(in_a_synchronisation),
        cmocka_unit_test(in_a_copy_that_blocks),
        cmocka_unit_test(in_a_launch_call),
        cmocka_unit_test(in_an_operator),
        cmocka_unit_test(in_no_operator),
        cmocka_unit_test(past_the_launch),
        cmocka_unit_test(queued_behind_another_stream),
        cmocka_unit_test(queued_behind_an_event_that_its_stream_waits_for),
        cmocka_unit_test(a_wait_before_earlier_work_holds_nothing_back_any_more),
        cmocka_unit_test(waiting_for_a_collective_on_the_host),
        cmocka_unit_test(in_the_profiler),
        cmocka_unit_test(in_a_compiler),
        cmocka_unit_test(in_a_frame_of_a_compiler),
        cmocka_unit_test(in_a_compiled_function),
        cmocka_unit_test(on_a_thread_that_was_not_recorded),
        cmocka_unit_test(a_gap_is_cut_where_the_host_goes_on),
        cmocka_unit_test(the_launch_divides_host_and_queue),
        cmocka_unit_test(the_backward_thread_counts_where_it_launches_next),
        cmocka_unit_test(the_end_of_a_step_is_told_by_the_main_thread),
        cmocka_unit_test(gaps_inside_a_graph_are_the_devices_own),
        cmocka_unit_test(blocked_names_the_call_and_its_operator),
        cmocka_unit_test(a_launch_after_the_device_went_idle_is_host_wait),
        cmocka_unit_test(a_launch_at_that_very_time_is_none),
        cmocka_unit_test(below_30_us_it_is_kernel_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
