/* SPDX-License-Identifier: Apache-2.0 */
/* Questions put to plans whose times can be told by hand: what changes, what does not, and that the order is the same. */
#include "planted_plan.h"

#include <stdlib.h>

#include "predict/question/question.h"
#include "predict/question/what_if_sweep.h"

static int open_plan(void **state)
{
    *state = malloc(sizeof(struct planted_plan));
    planted_plan_open(*state);
    return 0;
}

static int close_plan(void **state)
{
    struct planted_plan *p = *state;
    arena_free(&p->arena);
    free(p);
    return 0;
}

/* The step after the question; the plan itself stays. */
static double asked_us(struct planted_plan *p, const struct question *question)
{
    const struct question_context context = {0};
    struct steptime_error err = {0};
    struct plan plan = plan_copy(&p->plan, &p->arena);
    struct walked walked = {0};
    if (!question_apply(question, &context, &plan, &p->arena, NULL, &err) || !walk(&plan, &p->arena, &walked, &err))
        fail_msg("%s", err.message);
    return walked.step_us;
}

static struct plan asked_plan(struct planted_plan *p, const struct question *question)
{
    const struct question_context context = {0};
    struct steptime_error err = {0};
    struct plan plan = plan_copy(&p->plan, &p->arena);
    if (!question_apply(question, &context, &plan, &p->arena, NULL, &err))
        fail_msg("%s", err.message);
    return plan;
}

static void refused(struct planted_plan *p, const struct question *question, const char *message)
{
    const struct question_context context = {0};
    struct steptime_error err = {0};
    struct plan plan = plan_copy(&p->plan, &p->arena);
    assert_false(question_apply(question, &context, &plan, &p->arena, NULL, &err));
    assert_string_equal(err.message, message);
}

static struct kernel linear(int64_t m, int64_t n, int64_t k)
{
    return (struct kernel){.form = FORM_LINEAR, .dtype = DTYPE_F32, .product = {1, m, n, k}};
}

static struct kernel elementwise(int64_t rows, int64_t accesses)
{
    return (struct kernel){
        .form = FORM_ELEMENTWISE, .dtype = DTYPE_F32, .elements = {.rows = rows, .cols = 1, .accesses = accesses}};
}

static struct plan_launch *with_kernel(struct plan_launch *launch, struct kernel kernel)
{
    launch->kernel = kernel;
    launch->has_kernel = true;
    return launch;
}

/* ---- the host ---- */

/* 3 + (10 + 2 + 4) on the host; its work ends at 13 + 5 + 20. */
static void one_operator(struct planted_plan *p)
{
    add_op(p, "aten::mm", 3, 4);
    add_launch(p, 0, 10, 20);
}

static void nothing_asked_changes_nothing(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    assert_us(asked_us(p, &(struct question){0}), 38);
    assert_us(asked_us(p, &(struct question){.cpu_speed = 1}), 38);
    assert_us(asked_us(p, &(struct question){.scale = (struct question_scale[]){{S("*"), 1}}, .scale_count = 1}), 38);
    assert_true(question_is_empty(&(struct question){.cpu_speed = 1}));
    assert_false(question_is_empty(&(struct question){.no_sync = true}));
}

static void a_host_twice_as_fast(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    assert_us(asked_us(p, &(struct question){.cpu_speed = 2}), 6.5 + 5 + 20);
    p->launches[0].us = 0.5;
    p->plan.tail_us = 21;
    assert_us(asked_us(p, &(struct question){.cpu_speed = 2}), (3 + 10 + 2 + 4 + 21) / 2.0);
}

static void a_host_that_waits_no_more(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    p->launches[0].wait_stream = 0;
    add_op(p, "aten::add", 1, 50)->wait_stream = WAITS_FOR_ALL;
    assert_us(asked_us(p, &(struct question){0}), 38 + 3 + 4 + 1 + 50);
    assert_us(asked_us(p, &(struct question){.no_sync = true}), 3 + 10 + 2 + 4 + 1 + 50);
}

static void a_step_launched_at_once(void **state)
{
    struct planted_plan *p = *state;
    for (int i = 0; i < 10; i++) {
        add_op(p, "aten::mm", 3, 4);
        add_launch(p, 0, 10, 1);
    }
    assert_us(asked_us(p, &(struct question){0}), 10 * 19); /* the host is the later one */
    assert_us(asked_us(p, &(struct question){.cuda_graph = true}), 3 + 10 + 5 + 10 * 1 + 9 * GAP_US);
}

static void a_wait_cuts_the_graph_in_two(void **state)
{
    struct planted_plan *p = *state;
    for (int i = 0; i < 4; i++) {
        add_op(p, i == 2 ? "aten::item" : "aten::mm", 3, 4);
        add_launch(p, 0, 10, 1)->wait_stream = i == 2 ? 0 : WAITS_FOR_NOTHING;
    }
    const struct plan plan = asked_plan(p, &(struct question){.cuda_graph = true});
    const double expected[] = {10, 0, 10, 10};
    for (int i = 0; i < 4; i++) {
        assert_us(plan.launches[i].gap_us, expected[i]);
        assert_int_equal(plan.launches[i].graphed, i != 2);
    }
}

static void pinned_copies_let_the_host_go_on(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "aten::to", 3, 4);
    struct plan_launch *copy = with_kernel(add_launch(p, 0, 10, 100), (struct kernel){.form = FORM_HOST_COPY});
    copy->kernel.moved.bytes = 1 << 20;
    copy->wait_stream = 0;
    add_op(p, "aten::mm", 3, 200);
    assert_us(asked_us(p, &(struct question){0}), 13 + 5 + 100 + 3 + 4 + 3 + 200);
    assert_us(asked_us(p, &(struct question){.pinned = true}), 13 + 2 + 4 + 3 + 200);
}

/* ---- by name ---- */

static void what_is_removed_takes_no_time(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    add_op(p, "aten::add_", 1, 2);
    add_launch(p, 0, 10, 30);
    const str names[] = {S("aten::add*")};
    assert_us(asked_us(p, &(struct question){0}), 38 + 1 + 30);
    assert_us(asked_us(p, &(struct question){.remove = names, .remove_count = 1}), 38);
}

static void a_name_must_fit_somewhere(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    const str names[] = {S("aten::mm"), S("aten::addmm")};
    refused(p, &(struct question){.remove = names + 1, .remove_count = 1},
            "--remove: nothing in the step is 'aten::addmm'");
    uint64_t met[2] = {0};
    const struct question question = {.remove = names, .remove_count = 2};
    const struct question_context context = {.met = met};
    struct steptime_error err = {0};
    struct plan plan = plan_copy(&p->plan, &p->arena);
    assert_true(question_apply(&question, &context, &plan, &p->arena, NULL, &err));
    assert_int_equal(met[0], 1);
    assert_false(question_check_met(&question, met, &err));
}

static void removing_never_lengthens(void **state)
{
    struct planted_plan *p = *state;
    srand(7);
    const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 40; i++) {
        add_op(p, names[rand() % 4], rand() % 10, rand() % 10);
        struct plan_launch *launch = add_launch(p, (uint32_t)(rand() % 3), rand() % 10, rand() % 60);
        if (rand() % 5 == 0)
            launch->wait_stream = launch->stream;
    }
    const double before = asked_us(p, &(struct question){0});
    for (int i = 0; i < 4; i++) {
        const str name = str_of(names[i]);
        assert_true(asked_us(p, &(struct question){.remove = &name, .remove_count = 1}) <= before);
    }
    assert_true(asked_us(p, &(struct question){.no_sync = true}) <= before);
    assert_true(asked_us(p, &(struct question){.cuda_graph = true}) <= before);
    assert_true(asked_us(p, &(struct question){.cpu_speed = 1.5}) <= before);
}

static void scaled_work_takes_so_many_times_as_long(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    const struct question_scale half = {S("aten::mm"), 0.5}, none = {S("*"), 0};
    assert_us(asked_us(p, &(struct question){.scale = &half, .scale_count = 1}), 28);
    assert_us(asked_us(p, &(struct question){.scale = &none, .scale_count = 1}), 19);
}

static void events_are_named_by_their_ids(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    add_op(p, "aten::add", 1, 2);
    add_launch(p, 0, 10, 30);
    p->calls[0].id = 17;
    p->calls[1].id = 23;
    const int64_t ids[] = {23, 99};
    assert_us(asked_us(p, &(struct question){.without = ids, .without_count = 1}), 38);
    struct plan copy = plan_copy(&p->plan, &p->arena);
    struct steptime_error err = {0};
    assert_false(question_apply(&(struct question){.without = ids, .without_count = 2}, &(struct question_context){0},
                                &copy, &p->arena, NULL, &err));
    assert_int_equal(err.code, STEPTIME_USAGE);
    assert_non_null(strstr(err.message, "99"));
}

static void parts_in_either_order(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    p->launches[0].wait_stream = 0;
    add_op(p, "aten::add", 6, 8);
    add_launch(p, 0, 10, 30);
    const struct question_scale half = {S("aten::add"), 0.5};
    const struct question parts[] = {{.cpu_speed = 2}, {.no_sync = true}, {.scale = &half, .scale_count = 1}};
    const struct question all = {.cpu_speed = 2, .no_sync = true, .scale = &half, .scale_count = 1};
    const double whole = asked_us(p, &all);
    const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    const struct plan original = p->plan;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++)
            p->plan = asked_plan(p, &parts[orders[i][k]]);
        assert_us(asked_us(p, &parts[orders[i][2]]), whole);
        p->plan = original;
    }
}

/* ---- joined operators ---- */

static void a_chain_of_names_becomes_one(void **state)
{
    struct planted_plan *p = *state;
    for (int i = 0; i < 2; i++) {
        add_op(p, "aten::mm", 3, 4);
        add_launch(p, 0, 10, 20);
        add_op(p, "aten::view", 1, 1); /* launches nothing: breaks no chain */
        add_op(p, "aten::relu", 3, 6);
        add_launch(p, 0, 10, 30);
    }
    const str what = S("aten::mm+aten::relu");
    const struct plan plan = asked_plan(p, &(struct question){.fuse = &what, .fuse_count = 1});
    assert_us(plan.launches[0].us, 50);
    assert_us(plan.launches[2].us, 50);
    assert_true(plan.ops[2].gone && plan.ops[5].gone && !plan.ops[1].gone);
    assert_us(plan.ops[0].last_us, 6);
}

static void fused_elementwise_work_reads_and_writes_less(void **state)
{
    struct planted_plan *p = *state;
    const int64_t accesses[] = {2, 3, 2};
    for (int i = 0; i < 3; i++) {
        add_op(p, "aten::mul", 3, 4);
        p->calls[i].family = FAMILY_ELEMENTWISE;
        with_kernel(add_launch(p, 0, 10, 10.0 * (double)accesses[i]), elementwise(1000, accesses[i]));
    }
    const str what = S("elementwise");
    const struct plan plan = asked_plan(p, &(struct question){.fuse = &what, .fuse_count = 1});
    assert_us(plan.launches[0].us, 70.0 * 3 / 7); /* 7 accesses, of which 4 were to what lay between */
    assert_true(plan.launches[1].gone && plan.launches[2].gone);
}

static void lookups_become_one_of_all_tables(void **state)
{
    struct planted_plan *p = *state;
    for (int i = 0; i < 8; i++) {
        add_op(p, "aten::embedding_bag", 3, 4);
        p->calls[i].family = FAMILY_EMBEDDING;
        with_kernel(add_launch(p, 0, 10, 5),
                    (struct kernel){.form = FORM_EMBEDDING, .dtype = DTYPE_F32, .lookup = {512, 1, 1000, 10, 64}});
    }
    const str what = S("embeddings");
    const struct plan plan = asked_plan(p, &(struct question){.fuse = &what, .fuse_count = 1});
    uint32_t live = 0;
    for (int i = 0; i < 8; i++)
        live += !plan.ops[i].gone;
    assert_int_equal(live, 1);
    assert_us(plan.launches[7].us, 40); /* the bytes are the same */
}

/* ---- numbers of the work ---- */

static void half_precision_moves_half_the_bytes(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "aten::mm", 3, 4);
    with_kernel(add_launch(p, 0, 10, 100), linear(64, 64, 64));
    add_op(p, "aten::softmax", 3, 4);
    with_kernel(add_launch(p, 0, 10, 100), (struct kernel){.form = FORM_SOFTMAX, .dtype = DTYPE_F32, .rows = {64, 64}});
    const struct plan plan = asked_plan(p, &(struct question){.amp = DTYPE_BF16});
    assert_us(plan.launches[0].us, 50);
    assert_us(plan.launches[1].us, 100);
    assert_us(plan.ops[0].before_us, 3 + 10 + CALL_US); /* the cast of the weight is launched too */
}

static void collectives_of_other_ranks_take_the_bus_factor(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "nccl:all_reduce", 3, 4);
    add_all_reduce(p, 1, 1, 1, 100);
    p->program.world_size = 2;
    p->groups[1].size = 2;
    assert_us(asked_plan(p, &(struct question){.ranks = 8}).launches[0].us, 100 * 1.75);
    assert_us(asked_plan(p, &(struct question){.ranks = 2}).launches[0].us, 100);
    assert_true(asked_plan(p, &(struct question){.ranks = 1}).launches[0].gone);
    assert_us(asked_plan(p, &(struct question){.overlap = 0.25}).launches[0].us, 75);
}

static void groups_smaller_than_the_job_stay(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "nccl:all_reduce", 3, 4);
    add_all_reduce(p, 1, 1, 1, 100);
    p->program.world_size = 16;
    p->groups[1].size = 2;
    assert_us(asked_plan(p, &(struct question){.ranks = 32}).launches[0].us, 100);
}

static void without_collectives_there_are_no_ranks(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    refused(p, &(struct question){.ranks = 8}, "--ranks: the step has no collectives on a device to scale");
}

/* ---- order ---- */

/* A collective, what needs its result, and what does not; by the tensors they touch. */
static void independent_work_goes_before_what_waits(void **state)
{
    struct planted_plan *p = *state;
    static const int64_t tensors[] = {1, 2, 2, 3, 4, 5};
    add_op(p, "nccl:all_gather", 0, 0);
    add_all_reduce(p, 1, 1, 1, 100);
    add_op(p, "needs", 0, 0);
    add_wait(p, add_launch(p, 0, 0, 50), 0);
    add_op(p, "free", 0, 0);
    add_launch(p, 0, 0, 80);
    p->program.tensors = tensors;
    p->program.tensor_count = 6;
    for (uint32_t i = 0; i < 3; i++) {
        p->calls[i].first_input = 2 * i;
        p->calls[i].first_output = 2 * i + 1;
        p->calls[i].inputs = p->calls[i].outputs = 1;
    }
    const double before = asked_us(p, &(struct question){0}), after = asked_us(p, &(struct question){.reorder = true});
    assert_us(before, START_US + 100 + GAP_US + 50 + GAP_US + 80);
    assert_us(after, START_US + 100 + GAP_US + 50);
}

static void without_tensors_nothing_is_moved(void **state)
{
    struct planted_plan *p = *state;
    one_operator(p);
    refused(p, &(struct question){.reorder = true},
            "--reorder needs to know what depends on what: an execution trace, alone or beside its trace");
}

/* ---- words ---- */

static struct sweep swept(struct arena *arena, const char *text)
{
    struct sweep sweep;
    struct steptime_error err = {0};
    if (!sweep_read(str_of(text), arena, &sweep, &err))
        fail_msg("%s", err.message);
    return sweep;
}

static void ranges_double_or_are_counted(void **state)
{
    struct planted_plan *p = *state;
    struct sweep sweep = swept(&p->arena, "batch=512..8192");
    assert_int_equal(sweep.count, 5);
    assert_us(sweep.values[4], 8192);
    sweep = swept(&p->arena, "batch=512..8000");
    assert_int_equal(sweep.count, 5);
    assert_us(sweep.values[3], 4096);
    assert_us(sweep.values[4], 8000);
    sweep = swept(&p->arena, "cpu-speed=1..16:5");
    assert_int_equal(sweep.count, 5);
    assert_us(sweep.values[1], 2);
    sweep = swept(&p->arena, "network=25..100Gbps");
    assert_true(str_eq(sweep.texts[1], S("50Gbps")));
    sweep = swept(&p->arena, "network=25,400Gbps");
    assert_true(str_eq(sweep.texts[0], S("25Gbps")));
    sweep = swept(&p->arena, "hw=V100,A100 80GB");
    assert_true(str_eq(sweep.texts[1], S("A100 80GB")));
}

static void what_is_no_sweep_is_refused(void **state)
{
    struct planted_plan *p = *state;
    const char *const bad[] = {"batch",        "batch=",     "batch=8..2", "batch=x..y",           "batch=0..8",
                               "batch=1..9:1", "speed=1..2", "=1..2",      "network=1Gbps..2GB/s", "cpu-speed=1..nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sweep sweep;
        struct steptime_error err = {0};
        assert_false(sweep_read(str_of(bad[i]), &p->arena, &sweep, &err));
        assert_int_equal(err.code, STEPTIME_USAGE);
    }
}

static void factors_are_numbers(void **state)
{
    struct question_scale scale;
    struct steptime_error err = {0};
    assert_true(question_read_scale(S("a=b=0.5"), &scale, &err));
    assert_true(str_eq(scale.name, S("a=b")));
    const char *const bad[] = {"a", "a=", "=1", "a=x", "a=-1", "a=nan", "a=1x", ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(question_read_scale(str_of(bad[i]), &scale, &err));
}

#define plan_test(f) cmocka_unit_test_setup_teardown(f, open_plan, close_plan)

int main(void)
{
    const struct CMUnitTest tests[] = {
        plan_test(nothing_asked_changes_nothing),
        plan_test(a_host_twice_as_fast),
        plan_test(a_host_that_waits_no_more),
        plan_test(a_step_launched_at_once),
        plan_test(a_wait_cuts_the_graph_in_two),
        plan_test(pinned_copies_let_the_host_go_on),
        plan_test(what_is_removed_takes_no_time),
        plan_test(a_name_must_fit_somewhere),
        plan_test(removing_never_lengthens),
        plan_test(scaled_work_takes_so_many_times_as_long),
        plan_test(events_are_named_by_their_ids),
        plan_test(parts_in_either_order),
        plan_test(a_chain_of_names_becomes_one),
        plan_test(fused_elementwise_work_reads_and_writes_less),
        plan_test(lookups_become_one_of_all_tables),
        plan_test(half_precision_moves_half_the_bytes),
        plan_test(collectives_of_other_ranks_take_the_bus_factor),
        plan_test(groups_smaller_than_the_job_stay),
        plan_test(without_collectives_there_are_no_ranks),
        plan_test(independent_work_goes_before_what_waits),
        plan_test(without_tensors_nothing_is_moved),
        plan_test(ranges_double_or_are_counted),
        plan_test(what_is_no_sweep_is_refused),
        cmocka_unit_test(factors_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
