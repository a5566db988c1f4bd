/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of traces: on small ones what becomes of each row, on real ones what must hold of all. */
#include "program_case.h"

enum { PID = 100, MAIN = 1, AUTOGRAD = 2 };

/* ---- traces, in microseconds ---- */

static struct event event_at(struct trace *t, enum event_kind kind, struct lane lane, const char *name, int64_t us,
                             int64_t dur_us)
{
    return (struct event){.start_ns = us * 1000,
                          .dur_ns = dur_us * 1000,
                          .name = intern_id(trace_names(t), str_of(name)),
                          .lane = trace_lane(t, lane),
                          .kind = kind};
}

static void add(struct trace *t, enum event_kind kind, int64_t tid, const char *name, int64_t us, int64_t dur_us)
{
    const struct event e = event_at(t, kind, (struct lane){.process = PID, .id = tid}, name, us, dur_us);
    trace_add(t, &e);
}

static void op(struct trace *t, int64_t tid, const char *name, int64_t us, int64_t dur_us)
{
    add(t, EVENT_OPERATOR, tid, name, us, dur_us);
}

static void call(struct trace *t, int64_t tid, const char *name, int64_t correlation, int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, EVENT_RUNTIME, (struct lane){.process = PID, .id = tid}, name, us, dur_us);
    event_set(&e, ATTR_CORRELATION, correlation);
    trace_add(t, &e);
}

static void work(struct trace *t, enum event_kind kind, int64_t stream, const char *name, int64_t correlation,
                 int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, kind, (struct lane){.device = true, .id = stream}, name, us, dur_us);
    event_set(&e, ATTR_CORRELATION, correlation);
    trace_add(t, &e);
}

static struct program program_of(struct trace *t, struct arena *arena)
{
    trace_finish(t);
    const struct program p = program_of_step(t, work_classes_new(t, arena), 0, arena);
    check_program(&p);
    return p;
}

static void assert_names(const struct program *p, const char *const *names, uint32_t count)
{
    assert_int_equal(p->count, count);
    for (uint32_t i = 0; i < count; i++)
        if (!str_eq(p->ops[i].name, str_of(names[i])))
            fail_msg("operator %u is %.*s, not %s", i, (int)p->ops[i].name.len, p->ops[i].name.at, names[i]);
}

/* ---- */

static void calls_are_numbered_in_pre_order(void **state)
{
    struct arena arena = {0};
    struct trace *t = trace_new();
    op(t, MAIN, "aten::linear", 10, 30);
    op(t, MAIN, "aten::t", 12, 4);
    op(t, MAIN, "aten::addmm", 20, 10);
    op(t, MAIN, "aten::relu", 50, 10);
    const struct program p = program_of(t, &arena);
    assert_names(&p, (const char *[]){"aten::linear", "aten::t", "aten::addmm", "aten::relu"}, 4);
    assert_int_equal(p.ops[0].end, 3);
    assert_int_equal(p.ops[2].parent, 0);
    assert_int_equal(p.ops[3].parent, OP_NONE);
    assert_true(program_is_top(&p, 0) && !program_is_top(&p, 1) && program_is_top(&p, 3));
    assert_int_equal(p.ops[3].start_ns, 40000);
    assert_int_equal(p.ops[0].family, FAMILY_GEMM);
    assert_int_equal(p.launch_count, 0);
    trace_free(t);
    arena_free(&arena);
}

static void annotations_are_labels_except_in_operators_and_for_the_step(void **state)
{
    struct arena arena = {0};
    struct trace *t = trace_new();
    add(t, EVENT_ANNOTATION, MAIN, "ProfilerStep#3", 0, 200);
    add(t, EVENT_ANNOTATION, MAIN, "## forward ##", 5, 50);
    op(t, MAIN, "aten::mm", 10, 30);
    add(t, EVENT_ANNOTATION, MAIN, "inside", 12, 5);
    op(t, MAIN, "aten::empty", 13, 2);
    op(t, MAIN, "aten::add", 70, 10);
    op(t, MAIN, "## as an operator ##", 90, 50);
    op(t, MAIN, "aten::mul", 100, 10);
    const struct program p = program_of(t, &arena);
    assert_names(
        &p,
        (const char *[]){"## forward ##", "aten::mm", "aten::empty", "aten::add", "## as an operator ##", "aten::mul"},
        6);
    assert_true(p.ops[0].label && p.ops[4].label && !p.ops[1].label);
    assert_int_equal(p.ops[2].parent, 1);
    assert_true(program_is_top(&p, 1) && program_is_top(&p, 5) && !program_is_top(&p, 0));
    assert_int_equal(p.step, 3);
    trace_free(t);
    arena_free(&arena);
}

static void another_thread_works_under_the_label_that_is_open(void **state)
{
    struct arena arena = {0};
    struct trace *t = trace_new();
    add(t, EVENT_ANNOTATION, MAIN, "ProfilerStep#0", 0, 200);
    op(t, MAIN, "aten::mm", 1, 5);
    add(t, EVENT_ANNOTATION, MAIN, "backward", 10, 50);
    op(t, AUTOGRAD, "autograd::engine::evaluate_function: MmBackward0", 20, 20);
    op(t, AUTOGRAD, "MmBackward0", 22, 10);
    add(t, EVENT_ANNOTATION, MAIN, "Optimizer.step#SGD.step", 70, 20);
    op(t, MAIN, "aten::add_", 75, 5);
    const struct program p = program_of(t, &arena);
    assert_names(&p,
                 (const char *[]){"aten::mm", "backward", "autograd::engine::evaluate_function: MmBackward0",
                                  "MmBackward0", "Optimizer.step#SGD.step", "aten::add_"},
                 6);
    assert_int_equal(p.ops[2].parent, 1);
    assert_int_equal(p.ops[2].thread, 1);
    assert_int_equal(p.threads, 2);
    assert_int_equal(p.ops[0].phase, PHASE_FORWARD);
    assert_int_equal(p.ops[3].phase, PHASE_BACKWARD);
    assert_int_equal(p.ops[5].phase, PHASE_OPTIMIZER);
    trace_free(t);
    arena_free(&arena);
}

/* Launches of an operator lie together, although another thread launches meanwhile. */
static void launches_follow_the_operators(void **state)
{
    struct arena arena = {0};
    struct trace *t = trace_new();
    op(t, MAIN, "aten::a", 10, 50);
    call(t, MAIN, "cudaLaunchKernel", 1, 12, 3);
    op(t, MAIN, "aten::b", 20, 20);
    call(t, MAIN, "cudaLaunchKernel", 2, 25, 3);
    call(t, MAIN, "cudaLaunchKernel", 3, 50, 3);
    op(t, AUTOGRAD, "aten::c", 15, 30);
    call(t, AUTOGRAD, "cudaLaunchKernel", 4, 22, 3);
    call(t, MAIN, "cudaDeviceSynchronize", 9, 70, 30);
    call(t, MAIN, "cudaGraphLaunch", 5, 110, 8);
    for (int i = 1; i <= 4; i++)
        work(t, EVENT_KERNEL, 7, "kernel", i, 20 + 10 * i, 8);
    work(t, EVENT_KERNEL, 9, "first of the graph", 5, 120, 4);
    work(t, EVENT_KERNEL, 9, "second of the graph", 5, 130, 4);
    const struct program p = program_of(t, &arena);
    assert_names(&p, (const char *[]){"aten::a", "aten::b", "aten::c"}, 3);
    assert_int_equal(p.launch_count, 6);
    assert_int_equal(p.ops[0].launches, 3);
    assert_int_equal(p.ops[1].first_launch, 1);
    assert_int_equal(p.ops[1].launches, 1);
    assert_int_equal(p.ops[2].first_launch, 3);
    assert_int_equal(p.launches[4].op, OP_NONE);
    assert_true(p.launches[5].shared && !p.launches[4].shared);
    assert_int_equal(p.launches[5].call_dur_ns, 0);
    assert_int_equal(p.launches[0].stream, 0);
    assert_int_equal(p.launches[5].stream, 1);
    assert_int_equal(p.sync_count, 1);
    assert_int_equal(p.syncs[0].before, 4);
    assert_int_equal(p.syncs[0].stream, UINT32_MAX);
    assert_int_equal(p.active_ns, 4 * 8000 + 2 * 4000);
    trace_free(t);
    arena_free(&arena);
}

static void copies_of_pageable_memory_block(void **state)
{
    struct arena arena = {0};
    struct trace *t = trace_new();
    op(t, MAIN, "aten::to", 10, 60);
    call(t, MAIN, "cudaMemcpyAsync", 1, 12, 40);
    work(t, EVENT_COPY, 7, "Memcpy HtoD (Pageable -> Device)", 1, 20, 30);
    op(t, MAIN, "aten::to", 80, 60);
    call(t, MAIN, "cudaMemcpyAsync", 2, 82, 5);
    work(t, EVENT_COPY, 7, "Memcpy HtoD (Pinned -> Device)", 2, 90, 30);
    const struct program p = program_of(t, &arena);
    assert_true(p.launches[0].blocking && !p.launches[1].blocking);
    assert_int_equal(p.launches[0].work, WORK_COPY);
    assert_int_equal(p.launches[0].direction, COPY_H2D);
    assert_int_equal(p.launches[1].memory, HOST_PINNED);
    trace_free(t);
    arena_free(&arena);
}

static void work_without_a_call_counts_only_behind_work_with_one(void **state)
{
    struct arena arena = {0};
    struct trace *t = trace_new();
    op(t, MAIN, "aten::a", 10, 20);
    call(t, MAIN, "cudaLaunchKernel", 1, 12, 3);
    work(t, EVENT_KERNEL, 7, "queued before", 77, 11, 4);
    work(t, EVENT_KERNEL, 7, "kernel", 1, 20, 5);
    work(t, EVENT_KERNEL, 7, "stray", 78, 26, 5);
    call(t, MAIN, "cudaLaunchKernel", 2, 24, 3);
    const struct program p = program_of(t, &arena);
    assert_int_equal(p.launch_count, 3);
    assert_int_equal(p.launches[0].op, 0);
    assert_int_equal(p.launches[1].row, -1);
    assert_int_equal(p.launches[2].op, OP_NONE);
    assert_int_equal(p.launches[2].call_start_ns, -1);
    assert_int_equal(p.active_ns, 10000);
    trace_free(t);
    arena_free(&arena);
}

/* ---- real ones ---- */

static void check_file(const char *path, uint32_t steps)
{
    struct input input = shared_input(path);
    assert_non_null(input.trace);
    struct arena arena = {0};
    struct programs *programs = programs_open(input.trace, work_classes_new(input.trace, &arena));
    for (uint32_t i = 0; i < input.trace->step_count && i < steps; i++) {
        const struct program p = programs_step(programs, i, &arena);
        check_program(&p);
        int64_t ns = 0;
        for (uint32_t k = 0; k < p.launch_count; k++)
            ns += p.launches[k].row >= 0 ? p.launches[k].dur_ns : 0;
        assert_true(p.active_ns <= ns && (p.active_ns > 0 || ns == 0));
    }
    programs_close(programs);
    trace_free(input.trace);
    arena_free(&arena);
}

static void programs_of_real_traces_keep_their_promises(void **state)
{
    static const char *const paths[] = {
        "traces/multirank/param_dlrm_v100_w8/kineto_rank3.json.gz",
        "traces/multirank/torchrec_a2a_v100_w4/kineto_rank0.json.gz",
        "traces/kineto/ao_vit_bf16_inductor_cudagraph.json.gz",
        "traces/kineto/hta_trace_diff_control_w8r3.json.gz",
        "traces/kineto/hta_mtia_inference.json.gz",
        "traces/kineto/kineto_resnet50_train_top_array_2020.json.gz",
        "traces/kineto/tl_mi300_resnet_act_ckpt_w8r0.json.gz",
        "traces/kineto/saf_sam_compiled_cudagraph_a100.json.gz",
        "traces/producers/dlrm-26-full.json.gz",
        "traces/producers/ddp-sid-ddp-rank0-26343.json.gz",
        "traces/legacy/pippy_gpt2_autograd_profiler.json.gz",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        check_file(paths[i], 3);
}

/* Every operator and every linked kernel of the trace is in exactly one of its steps. */
static void steps_share_out_the_trace(void **state)
{
    struct input input = shared_input("traces/kineto/hta_trace_diff_control_w8r3.json.gz");
    const struct trace *t = input.trace;
    struct arena arena = {0};
    uint64_t operators = 0, launched = 0, ops = 0, launches = 0;
    for (uint32_t row = 0; row < t->count; row++) {
        operators += t->kind[row] == EVENT_OPERATOR && trace_step(t, row) != STEP_NONE;
        launched += event_is_device_work(t->kind[row]) && t->cause[row] != ROW_NONE && trace_step(t, row) != STEP_NONE;
    }
    struct programs *programs = programs_open(t, work_classes_new(t, &arena));
    for (uint32_t i = 0; i < t->step_count; i++) {
        const struct program p = programs_step(programs, i, &arena);
        for (uint32_t k = 0; k < p.count; k++)
            ops += t->kind[p.ops[k].id] == EVENT_OPERATOR;
        for (uint32_t k = 0; k < p.launch_count; k++)
            launches += p.launches[k].row >= 0 && t->cause[p.launches[k].row] != ROW_NONE;
    }
    assert_int_equal(ops, operators);
    assert_int_equal(launches, launched);
    programs_close(programs);
    trace_free(input.trace);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_numbered_in_pre_order),
        cmocka_unit_test(annotations_are_labels_except_in_operators_and_for_the_step),
        cmocka_unit_test(another_thread_works_under_the_label_that_is_open),
        cmocka_unit_test(launches_follow_the_operators),
        cmocka_unit_test(copies_of_pageable_memory_block),
        cmocka_unit_test(work_without_a_call_counts_only_behind_work_with_one),
        cmocka_unit_test(programs_of_real_traces_keep_their_promises),
        cmocka_unit_test(steps_share_out_the_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
