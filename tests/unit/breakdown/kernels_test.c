/* SPDX-License-Identifier: Apache-2.0 */
/* Device work in groups, on traces whose numbers were planted. Times in microseconds. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "breakdown/kernels/kernels.h"
#include "unit/planted.h"

struct scene {
    struct planted p;
    struct arena arena;
    struct kernels result;
};

static struct scene scene_new(void)
{
    return (struct scene){.p = planted_new()};
}

static void run(struct scene *s, enum kernel_grouping by, struct selection selection, const char *device)
{
    trace_finish(s->p.trace);
    kernels_run(s->p.trace, &(struct kernels_asked){.by = by, .selection = &selection, .device = str_of(device)},
                &s->arena, &s->result);
    trace_free(s->p.trace); /* the result outlives it */
}

static void done(struct scene *s)
{
    arena_free(&s->arena);
}

static const struct kernel_group *group(const struct scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->result.groups.count; i++)
        if (str_eq(s->result.groups.at[i].name, str_of(name)))
            return &s->result.groups.at[i];
    fail_msg("no group is called %s", name);
    return NULL;
}

static struct stat_summary summary(const struct samples *samples)
{
    return samples_summary(&samples, 1);
}

static uint32_t work(struct scene *s, const char *call, const char *name, int64_t launch_us, int64_t us, int64_t dur_us)
{
    return plant_work(
        &s->p, (struct planted_work){
                   .call = call, .name = name, .launch_us = launch_us, .launch_dur_us = 2, .us = us, .dur_us = dur_us});
}

static void shaped(struct scene *s, const char *name, const char *dims, int64_t us, int64_t dur_us)
{
    struct event event = planted_event(&s->p, EVENT_OPERATOR, planted_thread(&s->p, PLANTED_MAIN), name, us, dur_us);
    event_set(&event, ATTR_INPUT_DIMS, intern_id(trace_names(s->p.trace), str_of(dims)));
    event_set(&event, ATTR_INPUT_TYPES,
              intern_id(trace_names(s->p.trace), S("[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]")));
    trace_add(s->p.trace, &event);
    s->p.rows++;
}

static void durations_and_delays_by_name(void **state)
{
    struct scene s = scene_new();
    work(&s, "cudaLaunchKernel", "a_kernel", 0, 12, 10);  /* the call ends at 2: 10 late */
    work(&s, "cuLaunchKernelEx", "a_kernel", 10, 42, 30); /* 30 late */
    work(&s, "hipLaunchKernel", "another", 20, 21, 5);    /* started before the call returned: 0 */
    run(&s, KERNELS_BY_NAME, (struct selection){0}, "");
    assert_int_equal(s.result.groups.count, 2);
    assert_int_equal(s.result.count, 3);
    assert_int_equal(s.result.total_ns, 45000);
    assert_int_equal(s.result.busy_ns, 40000 + 5000 - 1000); /* 12..22, 21..26, 42..72 */
    const struct stat_summary times = summary(&group(&s, "a_kernel")->dur_ns),
                              delays = summary(&group(&s, "a_kernel")->delay_ns);
    assert_int_equal(times.count, 2);
    assert_int_equal(times.sum, 40000);
    assert_int_equal((int64_t)times.p50, 20000);
    assert_int_equal((int64_t)delays.mean, 20000);
    assert_int_equal(summary(&group(&s, "another")->delay_ns).sum, 0);
    done(&s);
}

static void work_without_a_call_has_no_delay(void **state)
{
    struct scene s = scene_new();
    plant(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "orphan", 5, 10);
    run(&s, KERNELS_BY_NAME, (struct selection){0}, "");
    assert_int_equal(group(&s, "orphan")->delay_ns.count, 0);
    assert_int_equal(group(&s, "orphan")->dur_ns.count, 1);
    done(&s);
}

static void devices_are_busy_beside_each_other(void **state)
{
    struct scene s = scene_new();
    plant(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "k", 0, 10);
    plant(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 8), "k", 5, 10);
    plant(&s.p, EVENT_KERNEL, planted_stream(&s.p, 1, 7), "k", 0, 10);
    run(&s, KERNELS_BY_STREAM, (struct selection){0}, "");
    assert_int_equal(s.result.busy_ns, 15000 + 10000);
    assert_int_equal(s.result.groups.count, 3);
    assert_int_equal(group(&s, "device 0 stream 8")->total_ns, 10000);
    done(&s);
}

static void a_selection_picks_what_was_launched_in_it(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 5, 0, 100);
    plant_step(&s.p, 6, 100, 100);
    work(&s, NULL, "late", 90, 150, 10); /* launched in step 5, ran in step 6 */
    work(&s, NULL, "own", 110, 160, 10);
    run(&s, KERNELS_BY_NAME, (struct selection){.limited = true, .first = 6, .last = 6}, "");
    assert_int_equal(s.result.groups.count, 1);
    assert_int_equal(group(&s, "own")->total_ns, 10000);
    assert_int_equal(s.result.launches.count, 1);
    assert_int_equal(s.result.launches.groups[0].dur_ns.count, 1);
    assert_int_equal(s.result.launches.groups[0].work, 1);
    done(&s);
}

/* 2 * 1024^3 flop in 10 us, 3 MiB * 2 in the same. */
static void arithmetic_of_an_operator_with_one_kernel(void **state)
{
    struct scene s = scene_new();
    shaped(&s, "aten::mm", "[[1024, 1024], [1024, 1024]]", 0, 20);
    work(&s, NULL, "gemm_kernel", 5, 50, 10);
    run(&s, KERNELS_BY_NAME, (struct selection){0}, "H100");
    const struct kernel_group *g = group(&s, "gemm_kernel");
    assert_int_equal(g->flops.amount, 2LL << 30);
    assert_int_equal(g->flops.ns, 10000);
    assert_float_equal((float)(g->flops.peaked / g->flops.most), (float)((2LL << 30) / (989e12 * 10e-6)), 1e-6F);
    assert_int_equal(g->bytes.amount, 6 << 20);
    assert_float_equal((float)(g->bytes.peaked / g->bytes.most), (float)((6 << 20) / (3350e9 * 10e-6)), 1e-6F);
    done(&s);
}

static void of_several_kernels_only_the_one_that_multiplies_has_the_arithmetic(void **state)
{
    struct scene s = scene_new();
    shaped(&s, "aten::mm", "[[64, 64], [64, 64]]", 0, 40);
    work(&s, NULL, "batched_transpose_16x32_half", 5, 50, 10);
    work(&s, NULL, "gemm_kernel", 15, 70, 10);
    shaped(&s, "aten::mm", "[[64, 64], [64, 64]]", 100, 40);
    work(&s, NULL, "gemm_a", 105, 150, 10);
    work(&s, NULL, "gemm_b", 115, 170, 10); /* two that multiply: who did how much is not known */
    run(&s, KERNELS_BY_NAME, (struct selection){0}, "");
    assert_int_equal(group(&s, "gemm_kernel")->flops.amount, 2 * 64 * 64 * 64);
    assert_int_equal(group(&s, "gemm_kernel")->bytes.ns, 0);
    assert_int_equal(group(&s, "batched_transpose_16x32_half")->flops.ns, 0);
    assert_int_equal(group(&s, "gemm_a")->flops.ns, 0);
    assert_int_equal(group(&s, "gemm_b")->flops.ns, 0);
    done(&s);
}

static void shapes_tell_kernels_apart(void **state)
{
    struct scene s = scene_new();
    shaped(&s, "aten::mm", "[[64, 64], [64, 64]]", 0, 40);
    work(&s, NULL, "gemm", 5, 50, 10);
    shaped(&s, "aten::mm", "[[8, 8], [8, 8]]", 100, 40);
    work(&s, NULL, "gemm", 105, 150, 20);
    run(&s, KERNELS_BY_SHAPE, (struct selection){0}, "");
    assert_int_equal(s.result.groups.count, 2);
    assert_string_equal(str_z(&s.arena, s.result.groups.at[0].shape), "[[64, 64], [64, 64]]");
    done(&s);
}

static void copies_have_their_recorded_bytes(void **state)
{
    struct scene s = scene_new();
    plant_work(&s.p, (struct planted_work){.call = "cudaMemcpyAsync",
                                           .name = "Memcpy HtoD (Pageable -> Device)",
                                           .kind = EVENT_COPY,
                                           .launch_us = 0,
                                           .launch_dur_us = 2,
                                           .us = 10,
                                           .dur_us = 20});
    run(&s, KERNELS_BY_NAME, (struct selection){0}, "");
    const struct kernel_group *g = group(&s, "Memcpy HtoD (Pageable -> Device)");
    assert_string_equal(str_z(&s.arena, g->class), "copy H2D");
    assert_int_equal(g->bytes.amount, 20000);
    assert_int_equal(g->bytes.ns, 20000);
    done(&s);
}

static void frame(struct scene *s, const char *name, int64_t us, int64_t dur_us, const char *called_from)
{
    struct event event = planted_event(&s->p, EVENT_PYTHON, planted_thread(&s->p, PLANTED_MAIN), name, us, dur_us);
    if (*called_from)
        event_set(&event, ATTR_CALL_FROM, intern_id(trace_names(s->p.trace), str_of(called_from)));
    trace_add(s->p.trace, &event);
    s->p.rows++;
}

/* train.py calls a module, whose forward calls into torch; backward runs on another thread. */
static struct scene with_frames(void)
{
    struct scene s = scene_new();
    frame(&s, "train.py(10): main", 0, 1000, "");
    frame(&s, "nn.Module: Net_0", 10, 100, "train.py:20");
    frame(&s, "model.py(5): forward", 12, 90, "");
    frame(&s, "torch/nn/functional.py(1): linear", 14, 80, "model.py:7");
    frame(&s, "<built-in function linear>", 16, 70, "torch/nn/functional.py:9");
    struct event forward =
        planted_event(&s.p, EVENT_OPERATOR, planted_thread(&s.p, PLANTED_MAIN), "aten::linear", 20, 50);
    event_set(&forward, ATTR_SEQUENCE, 77);
    trace_add(s.p.trace, &forward);
    s.p.rows++;
    work(&s, NULL, "gemm", 25, 50, 10);
    struct event backward = planted_event(&s.p, EVENT_OPERATOR, planted_thread(&s.p, PLANTED_BACKWARD),
                                          "autograd::engine::evaluate_function: AddmmBackward0", 200, 50);
    event_set(&backward, ATTR_SEQUENCE, 77);
    event_set(&backward, ATTR_FORWARD_THREAD, 1);
    trace_add(s.p.trace, &backward);
    s.p.rows++;
    plant_work(
        &s.p,
        (struct planted_work){
            .thread = PLANTED_BACKWARD, .name = "gemm", .launch_us = 210, .launch_dur_us = 2, .us = 300, .dur_us = 40});
    return s;
}

static void backward_work_belongs_to_the_module_of_its_forward(void **state)
{
    struct scene s = with_frames();
    run(&s, KERNELS_BY_MODULE, (struct selection){0}, "");
    assert_int_equal(s.result.groups.count, 1);
    assert_int_equal(group(&s, "nn.Module: Net_0")->total_ns, 50000);
    done(&s);
}

static void the_line_is_the_users_own(void **state)
{
    struct scene s = with_frames();
    run(&s, KERNELS_BY_PYTHON, (struct selection){0}, "");
    assert_int_equal(s.result.groups.count, 1);
    assert_int_equal(group(&s, "model.py:7")->total_ns, 50000);
    done(&s);
}

static void packed_samples_are_the_samples(void **state)
{
    struct arena arena = {0};
    const int64_t values[] = {0, 0, 1, 127, 128, 129, 1000000, 1000000, INT64_C(1) << 40, INT64_MAX};
    int64_t back[10];
    const struct samples samples = samples_pack(values, 10, &arena);
    samples_unpack(&samples, back);
    assert_memory_equal(values, back, sizeof values);
    const struct samples none = samples_pack(values, 0, &arena);
    assert_int_equal(summary(&none).count, 0);
    arena_free(&arena);
}

static void samples_are_dealt_to_their_groups_in_order(void **state)
{
    struct arena arena = {0};
    const int64_t values[] = {5, -1, 3, 9, 1, -1};
    const uint32_t groups[] = {0, 0, 1, 0, 1, 2};
    const struct samples *dealt = samples_deal(values, groups, 6, 3, &arena);
    int64_t back[2];
    samples_unpack(&dealt[0], back);
    assert_true(dealt[0].count == 2 && back[0] == 5 && back[1] == 9);
    samples_unpack(&dealt[1], back);
    assert_true(dealt[1].count == 2 && back[0] == 1 && back[1] == 3);
    assert_int_equal(dealt[2].count, 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_and_delays_by_name),
        cmocka_unit_test(work_without_a_call_has_no_delay),
        cmocka_unit_test(devices_are_busy_beside_each_other),
        cmocka_unit_test(a_selection_picks_what_was_launched_in_it),
        cmocka_unit_test(arithmetic_of_an_operator_with_one_kernel),
        cmocka_unit_test(of_several_kernels_only_the_one_that_multiplies_has_the_arithmetic),
        cmocka_unit_test(shapes_tell_kernels_apart),
        cmocka_unit_test(copies_have_their_recorded_bytes),
        cmocka_unit_test(backward_work_belongs_to_the_module_of_its_forward),
        cmocka_unit_test(the_line_is_the_users_own),
        cmocka_unit_test(packed_samples_are_the_samples),
        cmocka_unit_test(samples_are_dealt_to_their_groups_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
