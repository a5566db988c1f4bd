/* SPDX-License-Identifier: Apache-2.0 */
/* Planted traces whose numbers are known; that the parts of a step sum to it is asserted by breakdown_run itself. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "breakdown/step/breakdown.h"
#include "unit/planted.h"

struct scene {
    struct planted p;
    struct arena arena;
    struct breakdown result;
    bool wanted[ACCOUNTS];
};

static struct scene scene_new(void)
{
    return (struct scene){.p = planted_new()};
}

static const struct breakdown_device *run_selected(struct scene *s, struct selection selection)
{
    trace_finish(s->p.trace);
    breakdown_run(s->p.trace, &selection, s->wanted, &s->arena, &s->result);
    trace_free(s->p.trace); /* the result outlives it */
    return s->result.devices;
}

static const struct breakdown_device *run(struct scene *s)
{
    return run_selected(s, (struct selection){0});
}

static void done(struct scene *s)
{
    arena_free(&s->arena);
}

static void work(struct scene *s, int64_t device, int64_t stream, enum event_kind kind, const char *name, int64_t us,
                 int64_t dur_us)
{
    plant(&s->p, kind, planted_stream(&s->p, device, stream), name, us, dur_us);
}

static void expect_us(const int64_t *values, int i, int64_t us)
{
    assert_int_equal(values[i], us * 1000);
}

static void an_overlap_of_40_percent(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    work(&s, 0, 7, EVENT_KERNEL, "sgemm", 0, 400);
    work(&s, 0, 20, EVENT_KERNEL, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 200, 500);
    const struct breakdown_device *d = run(&s);
    expect_us(d->total, ACCOUNT_COMMUNICATION, 500);
    expect_us(d->total, ACCOUNT_COMMUNICATION_UNDER_COMPUTE, 200);
    expect_us(d->total, ACCOUNT_EXPOSED_COMMUNICATION, 300);
    expect_us(d->steps[0].part_ns, PART_EXPOSED_COMMUNICATION, 300);
    expect_us(d->steps[0].part_ns, PART_COMPUTE, 400);
    done(&s);
}

static void compute_hides_communication_hides_copies_hide_memsets(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    work(&s, 0, 1, EVENT_MEMSET, "Memset (Device)", 0, 1000);
    work(&s, 0, 2, EVENT_COPY, "Memcpy HtoD (Pinned -> Device)", 0, 700);
    work(&s, 0, 3, EVENT_COPY, "Memcpy DtoH (Device -> Pageable)", 600, 200);
    work(&s, 0, 4, EVENT_KERNEL, "ncclKernel_AllReduce_RING_LL_Sum_float", 0, 500);
    work(&s, 0, 5, EVENT_KERNEL, "elementwise_kernel", 0, 100);
    const struct breakdown_device *d = run(&s);
    const int64_t *part = d->steps[0].part_ns;
    expect_us(part, PART_COMPUTE, 100);
    expect_us(part, PART_EXPOSED_COMMUNICATION, 400);
    expect_us(part, PART_COPY_H2D_PINNED, 200);
    expect_us(part, PART_COPY_D2H_PAGEABLE, 100);
    expect_us(part, PART_MEMSET, 200);
    expect_us(d->total, ACCOUNT_MEMORY, 1000);
    expect_us(d->total, ACCOUNT_COPY, 800);
    expect_us(d->total, ACCOUNT_COPY_UNDER_COMPUTE, 100);
    expect_us(d->total, ACCOUNT_COPY_UNDER_COMMUNICATION, 500);
    expect_us(d->total, ACCOUNT_BUSY, 1000);
    expect_us(d->total, ACCOUNT_IDLE, 0);
    done(&s);
}

static void synchronisation_and_annotations_are_no_device_work(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    work(&s, 0, 7, EVENT_KERNEL, "k", 100, 100);
    work(&s, 0, 7, EVENT_KERNEL, "k", 400, 100);
    work(&s, 0, 7, EVENT_SYNC, "Stream Sync", 0, 1000);
    work(&s, 0, 7, EVENT_DEVICE_ANNOTATION, "forward", 0, 1000);
    const struct breakdown_device *d = run(&s);
    assert_int_equal(d->events, 2);
    expect_us(d->total, ACCOUNT_SPAN, 400);
    expect_us(d->total, ACCOUNT_BUSY, 200);
    expect_us(d->total, ACCOUNT_IDLE, 200);
    done(&s);
}

static void a_kernel_is_never_memory_whatever_its_name(void **state)
{
    struct scene s = scene_new();
    work(&s, 0, 7, EVENT_KERNEL, "Memcpy DtoD (Device -> Device)", 0, 100);
    work(&s, 0, 7, EVENT_KERNEL, "hipLaunchSomething", 200, 100);
    const struct breakdown_device *d = run(&s);
    expect_us(d->total, ACCOUNT_COMPUTE, 200);
    expect_us(d->total, ACCOUNT_MEMORY, 0);
    expect_us(d->total, ACCOUNT_COMMUNICATION, 0);
    done(&s);
}

static void overlapping_streams_count_once_and_their_sum_is_told_apart(void **state)
{
    struct scene s = scene_new();
    work(&s, 0, 7, EVENT_KERNEL, "a", 0, 100);
    work(&s, 0, 8, EVENT_KERNEL, "b", 50, 100);
    const struct breakdown_device *d = run(&s);
    expect_us(d->total, ACCOUNT_COMPUTE, 150);
    expect_us(d->total, ACCOUNT_KERNEL_SUM, 200);
    done(&s);
}

static void steps_take_what_lies_in_them_and_what_they_launched(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 900);
    plant_step(&s.p, 1, 1000, 900);
    plant_work(&s.p, (struct planted_work){.launch_us = 100, .launch_dur_us = 5, .us = 900, .dur_us = 300});
    plant_work(&s.p, (struct planted_work){.launch_us = 1100, .launch_dur_us = 5, .us = 1900, .dur_us = 300});
    const struct breakdown_device *d = run(&s);
    assert_int_equal(d->step_count, 2);
    expect_us(&d->steps[0].wall_ns, 0, 1000);
    expect_us(&d->steps[1].wall_ns, 0, 1200); /* up to the end of what it launched */
    expect_us(d->steps[0].part_ns, PART_COMPUTE, 100);
    expect_us(d->steps[1].part_ns, PART_COMPUTE, 500);
    expect_us(&d->steps[0].launched_compute_ns, 0, 300);
    expect_us(&d->steps[1].launched_compute_ns, 0, 300);
    expect_us(d->total, ACCOUNT_LAUNCHED_COMPUTE, 600);
    done(&s);
}

static void a_selection_cuts_at_its_steps(void **state)
{
    struct scene s = scene_new();
    for (int i = 0; i < 4; i++) {
        plant_step(&s.p, 10 + i, 1000 * i, 1000);
        plant_work(&s.p, (struct planted_work){.launch_us = 1000 * i, .us = 1000 * i + 800, .dur_us = 400});
    }
    const struct breakdown_device *d = run_selected(&s, (struct selection){.limited = true, .first = 11, .last = 12});
    assert_int_equal(d->step_count, 2);
    assert_int_equal(d->steps[0].number, 11);
    assert_int_equal(d->events, 3); /* the first one began in the step before */
    expect_us(d->total, ACCOUNT_SPAN, 2000);
    expect_us(d->total, ACCOUNT_COMPUTE, 800);
    expect_us(d->steps[0].part_ns, PART_COMPUTE, 400);
    done(&s);
}

static void a_selection_of_nothing_is_empty(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    work(&s, 0, 7, EVENT_KERNEL, "a", 10, 100);
    const struct breakdown_device *d = run_selected(&s, (struct selection){.limited = true, .first = 7, .last = 9});
    assert_int_equal(d->step_count, 0);
    assert_int_equal(d->events, 0);
    expect_us(d->total, ACCOUNT_SPAN, 0);
    done(&s);
}

static void each_device_has_a_row_of_its_own(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    work(&s, 3, 7, EVENT_KERNEL, "a", 0, 100);
    work(&s, 1, 7, EVENT_KERNEL, "b", 0, 250);
    run(&s);
    assert_int_equal(s.result.device_count, 2);
    assert_int_equal(s.result.devices[0].device, 1);
    expect_us(s.result.devices[0].total, ACCOUNT_COMPUTE, 250);
    expect_us(s.result.devices[1].total, ACCOUNT_COMPUTE, 100);
    expect_us(s.result.devices[1].steps[0].part_ns, PART_COMPUTE, 100);
    done(&s);
}

static void copies_are_counted_by_kind(void **state)
{
    struct scene s = scene_new();
    plant_work(&s.p, (struct planted_work){.kind = EVENT_COPY,
                                           .call = "cudaMemcpyAsync",
                                           .name = "Memcpy HtoD (Pageable -> Device)",
                                           .us = 10,
                                           .dur_us = 5});
    plant_work(&s.p, (struct planted_work){.kind = EVENT_COPY,
                                           .call = "cudaMemcpyAsync",
                                           .name = "Memcpy HtoD (Pageable -> Device)",
                                           .us = 12,
                                           .dur_us = 5});
    const struct breakdown_device *d = run(&s);
    const int kind = PART_COPY_H2D_PAGEABLE - PART_FIRST_COPY;
    assert_int_equal(d->copies[kind], 2);
    assert_int_equal(d->total[ACCOUNT_COPY_BYTES + kind], 10000);
    expect_us(d->total, ACCOUNT_COPY_TIME + kind, 10);
    expect_us(d->total, ACCOUNT_COPY, 7);
    done(&s);
}

static void the_four_parts_of_the_cluster_framework(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    work(&s, 0, 1, EVENT_COPY, "Memcpy HtoD (Pageable -> Device)", 0, 110);
    work(&s, 0, 2, EVENT_KERNEL, "ampere_sgemm_128x64_tn", 100, 300);
    work(&s, 0, 2, EVENT_KERNEL, "void at::native::vectorized_elementwise_kernel<4, x>", 400, 200);
    work(&s, 0, 3, EVENT_KERNEL, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 500, 250);
    const struct breakdown_device *d = run(&s);
    expect_us(d->total, ACCOUNT_INPUT_COPY, 110); /* no overlap in that framework */
    expect_us(d->total, ACCOUNT_COMPUTE_BOUND, 300);
    expect_us(d->total, ACCOUNT_MEMORY_BOUND, 200);
    expect_us(d->total, ACCOUNT_WEIGHT_COMMUNICATION, 250);
    done(&s);
}

static void phases_of_device_and_host(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 0, 100);
    plant_work(&s.p, (struct planted_work){.launch_us = 10, .launch_dur_us = 5, .us = 20, .dur_us = 300});
    plant(&s.p, EVENT_OPERATOR, planted_thread(&s.p, PLANTED_BACKWARD),
          "autograd::engine::evaluate_function: MmBackward0", 200, 200);
    plant_work(&s.p, (struct planted_work){
                         .thread = PLANTED_BACKWARD, .launch_us = 210, .launch_dur_us = 5, .us = 320, .dur_us = 500});
    plant_host(&s.p, EVENT_ANNOTATION, "Optimizer.step#SGD.step", 500, 100);
    plant_host(&s.p, EVENT_OPERATOR, "aten::add_", 510, 50);
    plant_work(&s.p, (struct planted_work){.launch_us = 520, .launch_dur_us = 5, .us = 820, .dur_us = 40});
    const struct breakdown_device *d = run(&s);
    expect_us(d->total, ACCOUNT_PHASE_DEVICE + PHASE_FORWARD, 300);
    expect_us(d->total, ACCOUNT_PHASE_DEVICE + PHASE_BACKWARD, 500);
    expect_us(d->total, ACCOUNT_PHASE_DEVICE + PHASE_OPTIMIZER, 40);
    expect_us(d->total, ACCOUNT_PHASE_HOST + PHASE_FORWARD, 100);
    expect_us(d->total, ACCOUNT_PHASE_HOST + PHASE_BACKWARD, 200);
    expect_us(d->total, ACCOUNT_PHASE_HOST + PHASE_OPTIMIZER, 50);
    done(&s);
}

static void a_host_only_step_is_split_by_the_innermost_event(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    plant_host(&s.p, EVENT_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 100);
    plant_host(&s.p, EVENT_OPERATOR, "aten::stack", 10, 50);
    plant_host(&s.p, EVENT_OPERATOR, "aten::linear", 150, 100);
    plant_host(&s.p, EVENT_OPERATOR, "autograd::engine::evaluate_function: AddmmBackward0", 300, 200);
    plant(&s.p, EVENT_ANNOTATION, planted_thread(&s.p, PLANTED_GLOO), "gloo:all_reduce", 400, 200);
    plant_host(&s.p, EVENT_ANNOTATION, "Optimizer.step#SGD.step", 700, 100);
    plant_host(&s.p, EVENT_OPERATOR, "aten::add_", 710, 50);
    const struct breakdown_device *d = run(&s);
    const int64_t *part = d->steps[0].part_ns;
    assert_false(d->recorded);
    expect_us(part, PART_DATA_LOADING, 100);
    expect_us(part, PART_FORWARD, 100);
    expect_us(part, PART_BACKWARD, 200);
    expect_us(part, PART_COMMUNICATION, 100); /* what overlaps the backward operator is no wait */
    expect_us(part, PART_OPTIMIZER, 50);
    expect_us(part, PART_PYTHON, 450);
    expect_us(part, PART_COMPUTE, 0);
    done(&s);
}

static void a_number_is_the_sum_of_its_events(void **state)
{
    struct scene s = scene_new();
    for (int account = 0; account < ACCOUNTS; account++)
        s.wanted[account] = true;
    for (int i = 0; i < 20; i++) {
        plant_step(&s.p, i, 1000 * i, 1000);
        plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 1000 * i + 10, 300);
        plant_work(&s.p, (struct planted_work){
                             .launch_us = 1000 * i + 20, .launch_dur_us = 5, .us = 1000 * i + 100, .dur_us = 20 * i});
        plant_work(&s.p, (struct planted_work){.launch_us = 1000 * i + 20,
                                               .launch_dur_us = 5,
                                               .us = 1000 * i + 110,
                                               .dur_us = 15 * i,
                                               .stream = 20,
                                               .name = "ncclDevKernel_AllReduce"});
        plant_host(&s.p, EVENT_RUNTIME, "cudaDeviceSynchronize", 1000 * i + 400, 500);
    }
    const struct breakdown_device *d = run(&s);
    assert_int_equal(d->explained_count, ACCOUNTS);
    for (uint32_t i = 0; i < d->explained_count; i++) {
        const struct breakdown_explained *explained = &d->explained[i];
        int64_t sum = 0;
        for (uint32_t k = 0; k < explained->count; k++) {
            sum += explained->first[k].amount;
            assert_true(k == 0 || explained->first[k - 1].amount >= explained->first[k].amount);
        }
        assert_int_equal(explained->count, explained->events);
        assert_int_equal(sum, d->total[explained->account]);
    }
    assert_int_equal(d->explained[PART_COMPUTE].events, 19); /* the one of no length counts for nothing */
    done(&s);
}

/* Every second launch is for another device; what is launched there is recorded or not. */
static void plant_devices(struct scene *s, bool first, bool second)
{
    memset(s->wanted, true, sizeof s->wanted);
    plant_step(&s->p, 0, 0, 30000);
    for (int i = 0; i < 30; i++) {
        const struct planted_work work = {
            .launch_us = 1000 * i + 50, .launch_dur_us = 9, .device = i % 2, .us = 1000 * i + 80, .dur_us = 40 + i % 2};
        plant_host(&s->p, EVENT_OPERATOR, i % 3 ? "aten::mm" : "aten::add", 1000 * i, 600);
        if (i % 2 ? second : first)
            plant_work(&s->p, work);
        else
            plant_host(&s->p, EVENT_RUNTIME, "cudaLaunchKernel", work.launch_us, work.launch_dur_us);
        plant_host(&s->p, EVENT_RUNTIME, "cudaDeviceSynchronize", 1000 * i + 700, 200);
    }
}

static void same_device(const struct breakdown_device *a, const struct breakdown_device *b)
{
    assert_memory_equal(a->total, b->total, sizeof a->total);
    assert_memory_equal(a->steps[0].part_ns, b->steps[0].part_ns, sizeof a->steps[0].part_ns);
    for (int cause = 0; cause < PARTS; cause++) {
        assert_int_equal(a->idle[cause].stretches, b->idle[cause].stretches);
        assert_int_equal(a->idle[cause].longest_ns, b->idle[cause].longest_ns);
    }
    for (uint32_t i = 0; i < a->explained_count; i++)
        assert_int_equal(a->explained[i].events, b->explained[i].events);
}

static void a_device_among_others_is_what_it_is_alone(void **state)
{
    struct scene both = scene_new(), one = scene_new(), other = scene_new();
    plant_devices(&both, true, true);
    plant_devices(&one, true, false);
    plant_devices(&other, false, true);
    const struct breakdown_device *d = run(&both);
    same_device(&d[0], run(&one));
    same_device(&d[1], run(&other));
    assert_true(d[0].total[ACCOUNT_PHASE_HOST + PHASE_FORWARD] > 0);
    done(&both);
    done(&one);
    done(&other);
}

static void a_trace_of_one_event_has_a_step(void **state)
{
    struct scene s = scene_new();
    plant_host(&s.p, EVENT_OTHER, "something", 0, 100);
    const struct breakdown_device *d = run(&s);
    assert_int_equal(d->step_count, 1);
    expect_us(d->steps[0].part_ns, PART_UNKNOWN, 100);
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overlap_of_40_percent),
        cmocka_unit_test(compute_hides_communication_hides_copies_hide_memsets),
        cmocka_unit_test(synchronisation_and_annotations_are_no_device_work),
        cmocka_unit_test(a_kernel_is_never_memory_whatever_its_name),
        cmocka_unit_test(overlapping_streams_count_once_and_their_sum_is_told_apart),
        cmocka_unit_test(steps_take_what_lies_in_them_and_what_they_launched),
        cmocka_unit_test(a_selection_cuts_at_its_steps),
        cmocka_unit_test(a_selection_of_nothing_is_empty),
        cmocka_unit_test(each_device_has_a_row_of_its_own),
        cmocka_unit_test(copies_are_counted_by_kind),
        cmocka_unit_test(the_four_parts_of_the_cluster_framework),
        cmocka_unit_test(phases_of_device_and_host),
        cmocka_unit_test(a_host_only_step_is_split_by_the_innermost_event),
        cmocka_unit_test(a_number_is_the_sum_of_its_events),
        cmocka_unit_test(a_device_among_others_is_what_it_is_alone),
        cmocka_unit_test(a_trace_of_one_event_has_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
