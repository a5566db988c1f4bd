/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace shows of copies, waits and preparation, planted to the microsecond. */
#include "evidence_case.h"

/* ---- the table ---- */

static void a_copy_and_the_wait_behind_it_are_one_move(void **state)
{
    struct scene s = scene_new();
    op(&s, "aten::copy_", 100, 400);
    copy(&s, "cudaMemcpyAsync", upload, 110, 20, 125, 300);
    sync(&s, "cudaStreamSynchronize", 135, 300);
    ready(&s);
    assert_int_equal(s.evidence.movement.count, 1);
    const struct move *move = s.evidence.movement.at;
    assert_true(move->blocking);
    assert_int_equal(move->direction, COPY_H2D);
    assert_int_equal(move->memory, HOST_PAGEABLE);
    assert_int_equal(move->bytes, 300 * 1000);
    assert_int_equal(move->call_ns, 20 * US);
    assert_int_equal(move->sync_ns, 300 * US);
    assert_int_equal(move->blocked_ns, (20 + 300 - 300) * US);
    done(&s);
}

static void a_wait_in_another_operator_is_a_move_of_its_own(void **state)
{
    struct scene s = scene_new();
    op(&s, "aten::copy_", 100, 40);
    copy(&s, "cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", 110, 20, 125, 300);
    sync(&s, "cudaStreamSynchronize", 150, 300);
    ready(&s);
    assert_int_equal(s.evidence.movement.count, 2);
    assert_false(s.evidence.movement.at[0].blocking);
    assert_int_equal(s.evidence.movement.at[0].blocked_ns, 0);
    assert_false(move_is_copy(&s.evidence.movement.at[1]));
    assert_int_equal(s.evidence.movement.at[1].blocked_ns, 300 * US);
    done(&s);
}

static void what_neither_copies_nor_waits_may_lie_between(void **state)
{
    struct scene s = scene_new();
    op(&s, "aten::copy_", 100, 400);
    copy(&s, "cudaMemcpyAsync", upload, 110, 20, 125, 300);
    sync(&s, "cudaStreamIsCapturing", 131, 1);
    sync(&s, "cudaStreamSynchronize", 135, 300);
    ready(&s);
    assert_int_equal(s.evidence.movement.count, 1);
    assert_int_equal(s.evidence.movement.at[0].sync_ns, 300 * US);
    done(&s);
}

/* One call, no synchronisation, and no word of the memory. */
static void a_copy_of_rocm_blocks_in_its_call(void **state)
{
    struct scene s = scene_new();
    op(&s, "aten::copy_", 100, 400);
    copy(&s, "hipMemcpyWithStream", "Memcpy HtoD (Host -> Device)", 110, 350, 150, 300);
    ready(&s);
    assert_int_equal(s.evidence.movement.count, 1);
    assert_int_equal(s.evidence.movement.at[0].memory, HOST_UNKNOWN);
    assert_int_equal(s.evidence.movement.at[0].blocked_ns, 50 * US);
    done(&s);
}

static void an_item_of_a_cpu_tensor_moves_nothing(void **state)
{
    struct scene s = scene_new();
    for (int i = 0; i < 100; i++)
        op(&s, "aten::item", 10 * i, 5);
    kernel(&s, 1001, 1020, 10);
    ready(&s);
    assert_int_equal(s.evidence.movement.count, 0);
    done(&s);
}

static void synchronisations_of_all_kinds_are_moves(void **state)
{
    static const char *const calls[] = {"cudaDeviceSynchronize", "cudaEventSynchronize", "cudaStreamSynchronize",
                                        "hipDeviceSynchronize", "cudaFree"};
    struct scene s = scene_new();
    kernel(&s, 0, 20, 10);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        sync(&s, calls[i], 100 + 10 * (int64_t)i, 5);
    sync(&s, "cudaEventQuery", 200, 5);
    ready(&s);
    assert_int_equal(s.evidence.movement.count, sizeof calls / sizeof *calls);
    done(&s);
}

/* ---- the device beside and behind a move ---- */

/* The floor is what a launch takes on an idle stream: here 5. */
static void a_gap_counts_once_and_less_what_a_launch_takes(void **state)
{
    struct scene s = scene_new();
    kernel(&s, 0, 15, 85);
    op(&s, "aten::item", 20, 100);
    copy(&s, "cudaMemcpyAsync", download, 25, 80, 100, 2);
    sync(&s, "cudaStreamSynchronize", 106, 4);
    sync(&s, "cudaDeviceSynchronize", 130, 4); /* finds nothing to wait for */
    kernel(&s, 185, 200, 100);
    kernel(&s, 400, 415, 100);
    ready(&s);
    assert_int_equal(s.evidence.graph->launch_floor_ns, 5 * US);
    assert_int_equal(s.evidence.movement.count, 2);
    assert_int_equal(s.evidence.movement.at[0].bubble_ns, (200 - 102 - 5) * US);
    assert_int_equal(s.evidence.movement.at[1].bubble_ns, 0);
    done(&s);
}

static void a_device_that_works_on_leaves_no_bubble(void **state)
{
    struct scene s = scene_new();
    plant_work(&s.p, (struct planted_work){.launch_us = 0, .launch_dur_us = 5, .stream = 20, .us = 10, .dur_us = 500});
    op(&s, "aten::item", 20, 100);
    copy(&s, "cudaMemcpyAsync", download, 25, 80, 100, 2);
    kernel(&s, 585, 600, 100);
    ready(&s);
    assert_int_equal(s.evidence.movement.at[0].bubble_ns, 0);
    assert_int_equal(s.evidence.movement.at[0].exposed_ns, 0);
    done(&s);
}

static void the_part_of_a_copy_beside_no_kernel_is_exposed(void **state)
{
    struct scene s = scene_new();
    plant_work(&s.p, (struct planted_work){.launch_us = 0, .launch_dur_us = 5, .stream = 20, .us = 10, .dur_us = 140});
    copy(&s, "cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", 25, 10, 100, 200);
    ready(&s);
    assert_int_equal(s.evidence.movement.at[0].exposed_ns, 150 * US);
    done(&s);
}

/* ---- places ---- */

static void item_at(struct scene *s, int64_t t)
{
    frame(s, "<built-in method item of Tensor object at 0x7f11>", t, 50);
    op(s, "aten::item", t + 5, 40);
    copy(s, "cudaMemcpyAsync", download, t + 10, 20, t + 22, 2);
    sync(s, "cudaStreamSynchronize", t + 32, 4);
}

static void two_reads_of_a_function_are_two_places(void **state)
{
    struct scene s = scene_new();
    for (int64_t k = 0; k < 3; k++) {
        plant_step(&s.p, k, 1000 * k, 1000);
        frame(&s, "/root/job/train.py(12): step", 1000 * k + 100, 500);
        item_at(&s, 1000 * k + 150);
        item_at(&s, 1000 * k + 250);
    }
    ready(&s);
    assert_int_equal(s.evidence.groups.count, 2);
    for (uint32_t g = 0; g < 2; g++) {
        const struct move_group *group = &s.evidence.groups.at[g];
        assert_int_equal(group->count, 3);
        assert_int_equal(group->steps, 3);
        assert_true(str_eq(group->place.function.name, S("step")));
        assert_int_equal(group->place.function.line, 12);
        assert_true(str_eq(group->place.callee.name, S("item")));
        assert_true(str_eq(group->place.op, S("aten::item")));
        assert_int_equal(group->place.of, 2);
        assert_true(group_has(group, PATTERN_SCALAR) && group_has(group, PATTERN_REPEATED));
    }
    assert_int_equal(s.evidence.groups.at[0].place.order + s.evidence.groups.at[1].place.order, 1);
    done(&s);
}

static void frames_of_the_framework_are_passed_over(void **state)
{
    struct scene s = scene_new();
    frame(&s, "job/train.py(12): step", 100, 500);
    frame(&s, "torch/_tensor.py(990): __format__", 140, 100);
    item_at(&s, 150);
    ready(&s);
    const struct place *place = &s.evidence.groups.at[0].place;
    assert_true(str_eq(place->function.file, S("job/train.py")));
    assert_true(str_eq(place->callee.name, S("__format__")));
    assert_true(str_eq(place->builtin, S("item")));
    done(&s);
}

static void the_exact_line_comes_from_the_callee(void **state)
{
    struct scene s = scene_new();
    frame(&s, "job/train.py(12): step", 100, 500);
    struct event e = planted_event(&s.p, EVENT_PYTHON, planted_thread(&s.p, PLANTED_MAIN),
                                   "<built-in method item of Tensor object at 0x7f11>", 150, 50);
    event_set(&e, ATTR_CALL_FROM, intern_id(trace_names(s.p.trace), S("train.py:31")));
    trace_add(s.p.trace, &e);
    s.p.rows++;
    copy(&s, "cudaMemcpyAsync", download, 160, 20, 172, 2);
    ready(&s);
    assert_int_equal(s.evidence.groups.at[0].place.line, 31);
    done(&s);
}

static void a_call_stack_beside_the_operator_will_do(void **state)
{
    struct scene s = scene_new();
    struct event e = planted_event(&s.p, EVENT_OPERATOR, planted_thread(&s.p, PLANTED_MAIN), "aten::to", 150, 50);
    event_set(&e, ATTR_CALL_STACK,
              intern_id(trace_names(s.p.trace), S("torch/nn/x.py(9): f;job/train.py(44): <module>;a.py(2): b")));
    trace_add(s.p.trace, &e);
    s.p.rows++;
    copy(&s, "cudaMemcpyAsync", upload, 160, 20, 172, 2);
    ready(&s);
    const struct place *place = &s.evidence.groups.at[0].place;
    assert_int_equal(place->line, 44);
    assert_true(str_eq(place->function.name, S("<module>")));
    done(&s);
}

static void without_frames_a_place_is_a_chain_of_operators(void **state)
{
    struct scene s = scene_new();
    plant_host(&s.p, EVENT_ANNOTATION, "forward", 140, 100);
    op(&s, "aten::to", 150, 50);
    op(&s, "aten::copy_", 155, 40);
    copy(&s, "cudaMemcpyAsync", upload, 160, 20, 172, 2);
    ready(&s);
    assert_true(str_eq(s.evidence.groups.at[0].operators, S("aten::to > aten::copy_")));
    assert_true(str_eq(s.evidence.groups.at[0].annotation, S("forward")));
    done(&s);
}

/* ---- patterns ---- */

static bool any_has(const struct scene *s, enum pattern pattern)
{
    for (uint32_t g = 0; g < s->evidence.groups.count; g++)
        if (group_has(&s->evidence.groups.at[g], pattern))
            return true;
    return false;
}

static void there_and_back_again(void **state)
{
    struct scene s = scene_new();
    for (int64_t k = 0; k < 2; k++) {
        plant_step(&s.p, k, 1000 * k, 1000);
        copy(&s, "cudaMemcpyAsync", download, 1000 * k + 100, 50, 1000 * k + 110, 30);
        copy(&s, "cudaMemcpyAsync", upload, 1000 * k + 500, 50, 1000 * k + 510, 30);
    }
    ready(&s);
    assert_true(any_has(&s, PATTERN_ROUND_TRIP));
    assert_false(any_has(&s, PATTERN_ECHO));
    done(&s);
}

static void copies_of_other_sizes_are_no_round_trip(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 1000);
    copy(&s, "cudaMemcpyAsync", download, 100, 50, 110, 30);
    copy(&s, "cudaMemcpyAsync", upload, 500, 50, 510, 31);
    ready(&s);
    assert_false(any_has(&s, PATTERN_ROUND_TRIP));
    done(&s);
}

static void many_small_copies_in_a_row(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 5000);
    for (int64_t i = 0; i < 6; i++)
        copy(&s, "cudaMemcpyAsync", upload, 100 + 20 * i, 10, 105 + 20 * i, 2);
    ready(&s);
    assert_true(any_has(&s, PATTERN_MANY_SMALL));
    assert_false(any_has(&s, PATTERN_REPEATED)); /* of one step nothing is known */
    done(&s);
}

static void a_size_that_is_read_back(void **state)
{
    struct scene s = scene_new();
    op(&s, "aten::index", 100, 100);
    op(&s, "aten::nonzero", 105, 80);
    copy(&s, "cudaMemcpyAsync", download, 110, 50, 120, 2);
    ready(&s);
    assert_true(any_has(&s, PATTERN_DYNAMIC_SHAPE));
    assert_false(any_has(&s, PATTERN_SCALAR));
    done(&s);
}

static void a_tensor_that_grows(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 5000);
    for (int64_t i = 0; i < 12; i++) {
        op(&s, "aten::cat", 100 + 100 * i, 50);
        copy(&s, "cudaMemcpyAsync", "Memcpy DtoD (Device -> Device)", 105 + 100 * i, 10, 120 + 100 * i, 2 + i);
    }
    ready(&s);
    assert_true(any_has(&s, PATTERN_GROWING));
    done(&s);
}

/* ---- preparation ---- */

static const struct preparation *prepared(const struct scene *s, const char *function)
{
    for (uint32_t i = 0; i < s->evidence.preparations.count; i++)
        if (str_eq(s->evidence.preparations.at[i].function.name, str_of(function)))
            return &s->evidence.preparations.at[i];
    return NULL;
}

/* The device works in [0, 1000) and [4000, 5000). */
static void preparation_is_what_a_function_does_while_the_device_rests(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 5000);
    plant_work(&s.p, (struct planted_work){.us = 0, .dur_us = 1000});
    frame(&s, "train.py(3): main", 0, 5000);
    frame(&s, "data.py(7): prepare", 500, 3000);
    frame(&s, "data.py(30): pad", 2000, 400);
    frame(&s, "data.py(30): pad", 2100, 100); /* in itself */
    sync(&s, "cudaDeviceSynchronize", 500, 600);
    kernel(&s, 3900, 4000, 1000);
    ready(&s);
    assert_int_equal(s.evidence.preparations.idle_ns, 3000 * US);
    assert_int_equal(s.evidence.preparations.working_ns, (3000 - 100) * US);
    assert_int_equal(prepared(&s, "prepare")->idle_ns, (3500 - 1000 - 100) * US);
    assert_int_equal(prepared(&s, "prepare")->own_idle_ns, (3500 - 1000 - 100 - 400) * US);
    assert_int_equal(prepared(&s, "pad")->idle_ns, 400 * US);
    assert_int_equal(prepared(&s, "pad")->total_ns, 400 * US);
    assert_int_equal(prepared(&s, "pad")->count, 1);
    done(&s);
}

static void a_loader_on_the_training_thread_is_told_apart(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 5000);
    plant_work(&s.p, (struct planted_work){.us = 0, .dur_us = 1000});
    plant_host(&s.p, EVENT_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 500, 1500);
    kernel(&s, 3900, 4000, 1000);
    ready(&s);
    assert_int_equal(s.evidence.preparations.loader_ns, 1500 * US);
    assert_int_equal(s.evidence.preparations.loader_idle_ns, 1000 * US);
    done(&s);
}

static void a_place_is_found_through_any_number_of_frames(void **state)
{
    enum { DEPTH = 20000 };
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 3 * DEPTH);
    frame(&s, "train.py(3): main", 0, 3 * DEPTH);
    for (int64_t i = 1; i < DEPTH; i++)
        frame(&s, "torch/nn/modules/module.py(7): visit", i, 3 * DEPTH - 2 * i);
    item_at(&s, DEPTH);
    ready(&s);
    const struct place *place = &s.evidence.groups.at[0].place;
    assert_true(str_eq(place->function.name, S("main")));
    assert_true(str_eq(place->callee.name, S("visit")));
    assert_true(str_eq(place->builtin, S("item")));
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_and_the_wait_behind_it_are_one_move),
        cmocka_unit_test(a_wait_in_another_operator_is_a_move_of_its_own),
        cmocka_unit_test(what_neither_copies_nor_waits_may_lie_between),
        cmocka_unit_test(a_copy_of_rocm_blocks_in_its_call),
        cmocka_unit_test(an_item_of_a_cpu_tensor_moves_nothing),
        cmocka_unit_test(synchronisations_of_all_kinds_are_moves),
        cmocka_unit_test(a_gap_counts_once_and_less_what_a_launch_takes),
        cmocka_unit_test(a_device_that_works_on_leaves_no_bubble),
        cmocka_unit_test(the_part_of_a_copy_beside_no_kernel_is_exposed),
        cmocka_unit_test(two_reads_of_a_function_are_two_places),
        cmocka_unit_test(a_place_is_found_through_any_number_of_frames),
        cmocka_unit_test(frames_of_the_framework_are_passed_over),
        cmocka_unit_test(the_exact_line_comes_from_the_callee),
        cmocka_unit_test(a_call_stack_beside_the_operator_will_do),
        cmocka_unit_test(without_frames_a_place_is_a_chain_of_operators),
        cmocka_unit_test(there_and_back_again),
        cmocka_unit_test(copies_of_other_sizes_are_no_round_trip),
        cmocka_unit_test(many_small_copies_in_a_row),
        cmocka_unit_test(a_size_that_is_read_back),
        cmocka_unit_test(a_tensor_that_grows),
        cmocka_unit_test(preparation_is_what_a_function_does_while_the_device_rests),
        cmocka_unit_test(a_loader_on_the_training_thread_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
