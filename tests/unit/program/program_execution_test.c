/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of execution traces, alone and joined with the Kineto trace of the same run. */
#include "program_case.h"

#include "base/buf.h"

static struct program_op find(const struct program *p, int64_t id)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->ops[i].id == id)
            return p->ops[i];
    fail_msg("no operator %lld", (long long)id);
    return (struct program_op){0};
}

static uint32_t number(const struct program *p, int64_t id)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->ops[i].id == id)
            return i;
    return OP_NONE;
}

/* ---- small ones ---- */

static struct execution *read_nodes(const char *const *nodes)
{
    struct buf text = {0};
    buf_add(&text, S("{\"schema\": \"1.0.1\", \"nodes\": ["));
    for (const char *const *node = nodes; *node; node++)
        buf_printf(&text, "%s%s", node == nodes ? "" : ",", *node);
    buf_add(&text, S("]}"));
    struct source *source = source_of_bytes("memory", text.at, text.len, SIZE_MAX);
    struct input input;
    struct steptime_error err;
    if (!input_read_source(source, INPUT_TRACE | INPUT_EXECUTION, NULL, &input, &err))
        fail_msg("%s", err.message);
    source_close(source);
    buf_free(&text);
    return input.execution;
}

#define NODE(ID, NAME, PARENT, TID, SCOPE, MORE) \
    "{\"id\":" #ID ",\"name\":\"" NAME "\",\"parent\":" #PARENT ",\"tid\":" #TID ",\"scope\":" #SCOPE MORE "}"
#define DATA(INPUTS, OUTPUTS) \
    ",\"op_schema\":\"f(Tensor self) -> Tensor\",\"inputs\":[" INPUTS "],\"input_shapes\":[[4]],\"input_types\":" \
    "[\"Tensor(float)\"],\"outputs\":[" OUTPUTS "],\"output_shapes\":[[4]],\"output_types\":[\"Tensor(float)\"]"
#define TENSOR(ID, STORAGE) "[" #ID "," #STORAGE ",0,4,4,\"cuda:0\"]"

static const char *const step_with_two_threads[] = {
    NODE(1, "[pytorch|profiler|execution_trace|process]", 1, 0, 7, ""),
    NODE(2, "[pytorch|profiler|execution_trace|thread]", 1, 1, 7, ""),
    NODE(3, "enumerate(DataLoader)#_Iter.__next__", 2, 1, 7, ""),
    NODE(4, "aten::empty", 3, 1, 0, ""),
    NODE(5, "## forward ##", 2, 1, 7, ""),
    NODE(6, "aten::relu", 5, 1, 0, ",\"seq_id\":8" DATA(TENSOR(20, 21), TENSOR(22, 23))),
    NODE(7, "aten::view", 5, 1, 0, ",\"seq_id\":9" DATA(TENSOR(22, 23), TENSOR(24, 23))),
    NODE(8, "## backward ##", 2, 1, 7, ""),
    NODE(9, "[pytorch|profiler|execution_trace|thread]", 1, 2, 7, ""),
    NODE(10, "autograd::engine::evaluate_function: ReluBackward0", 9, 2, 0, ""),
    NODE(11, "ReluBackward0", 10, 2, 1, ",\"seq_id\":8,\"fw_parent\":8,\"fw_tid\":1"),
    NODE(12, "aten::threshold_backward", 11, 2, 0, DATA(TENSOR(22, 23), TENSOR(30, 31))),
    NODE(13, "Optimizer.step#SGD.step", 2, 1, 7, ""),
    NODE(14, "aten::add_", 13, 1, 0, DATA(TENSOR(30, 31), TENSOR(40, 41))),
    NODE(15, "## in an operator ##", 14, 1, 7, ""),
    NODE(16, "aten::empty", 15, 1, 0, ""),
    NULL,
};

static void threads_labels_and_phases_are_found(void **state)
{
    struct arena arena = {0};
    struct execution *e = read_nodes(step_with_two_threads);
    const struct program p = program_of_execution(e, &arena);
    check_program(&p);
    assert_int_equal(p.count, 10);
    assert_int_equal(number(&p, 4), OP_NONE); /* loads data */
    assert_int_equal(number(&p, 15), OP_NONE);
    assert_int_equal(find(&p, 16).parent, number(&p, 14));
    assert_true(find(&p, 5).label && find(&p, 13).label);
    assert_int_equal(find(&p, 10).parent, number(&p, 8));
    assert_int_equal(find(&p, 10).thread, 1);
    assert_int_equal(find(&p, 6).thread, 0);
    assert_int_equal(p.threads, 2);
    assert_int_equal(find(&p, 6).phase, PHASE_FORWARD);
    assert_int_equal(find(&p, 12).phase, PHASE_BACKWARD);
    assert_int_equal(find(&p, 14).phase, PHASE_OPTIMIZER);
    assert_int_equal(find(&p, 11).forward, number(&p, 6));
    assert_int_equal(find(&p, 10).forward, number(&p, 6));
    assert_int_equal(find(&p, 6).start_ns, -1);
    assert_int_equal(p.launch_count, 0);
    execution_free(e);
    arena_free(&arena);
}

static void places_of_tensors_tell_copies_and_work_on_the_host(void **state)
{
#define ON(ID, DEVICE)    "[" #ID "," #ID "00,0,4,4,\"" DEVICE "\"]"
#define GIVEN(TENSORS, N) ",\"inputs\":[" TENSORS "],\"input_shapes\":[[4],[4]],\"input_types\":[" N "]"
#define ONE               "\"Tensor(float)\""
#define TWO               ONE "," ONE
    static const char *const nodes[] = {
        NODE(2, "aten::to", 2, 1, 0, ""),
        NODE(3, "aten::copy_", 2, 1, 0, GIVEN(ON(20, "cuda:0") "," ON(21, "cpu"), TWO)),
        NODE(4, "aten::add", 4, 1, 0, GIVEN(ON(21, "cpu"), ONE)),
        NODE(5, "calls work on the device", 5, 1, 0, GIVEN(ON(21, "cpu"), ONE)),
        NODE(6, "aten::add", 5, 1, 0, GIVEN(ON(20, "cuda:0"), ONE)),
        NODE(7, "aten::item", 7, 1, 0, ""),
        NODE(8, "aten::_local_scalar_dense", 7, 1, 0, GIVEN(ON(20, "cuda:0"), ONE)),
        NULL,
    };
    struct arena arena = {0};
    struct execution *e = read_nodes(nodes);
    const struct program p = program_of_execution(e, &arena);
    check_program(&p);
    assert_int_equal(p.launch_count, 2);
    assert_int_equal(p.launches[0].op, number(&p, 3));
    assert_int_equal(p.launches[0].direction, COPY_H2D);
    assert_int_equal(p.launches[0].bytes, 16);
    assert_true(p.launches[0].blocking);
    assert_int_equal(find(&p, 2).launches, 1);
    assert_int_equal(p.launches[1].direction, COPY_D2H);
    assert_true(find(&p, 4).on_host);
    assert_false(find(&p, 5).on_host || find(&p, 6).on_host || find(&p, 3).on_host);
    execution_free(e);
    e = read_nodes((const char *const[]){nodes[2], NULL}); /* no device at all */
    assert_false(program_of_execution(e, &arena).ops[0].on_host);
    execution_free(e);
    arena_free(&arena);
}

/* The last of a list of inputs comes back as a view. */
static void a_view_of_any_input_writes_nothing(void **state)
{
    struct arena arena = {0};
    struct buf node = {0};
    buf_add(&node,
            S("{\"id\":4,\"name\":\"aten::cat\",\"parent\":2,\"tid\":1,\"scope\":0,\"op_schema\":\"f\",\"inputs\":["));
    for (int i = 0; i < 100; i++)
        buf_printf(&node, "%s[%d,%d,0,4,4,\"cuda:0\"]", i ? "," : "", 100 + 2 * i, 101 + 2 * i);
    buf_add(&node, S("],\"input_shapes\":["));
    for (int i = 0; i < 100; i++)
        buf_add(&node, i ? S(",[4]") : S("[4]"));
    buf_add(&node, S("],\"input_types\":["));
    for (int i = 0; i < 100; i++)
        buf_add(&node, i ? S(",\"Tensor(float)\"") : S("\"Tensor(float)\""));
    buf_add(
        &node,
        S("],\"outputs\":[[900,299,0,4,4,\"cuda:0\"]],\"output_shapes\":[[4]],\"output_types\":[\"Tensor(float)\"]}"));
    buf_add(&node, (str){"", 1});
    const char *const nodes[] = {step_with_two_threads[0], step_with_two_threads[1], buf_str(&node).at, NULL};
    struct execution *e = read_nodes(nodes);
    const struct program p = program_of_execution(e, &arena);
    assert_int_equal(find(&p, 4).inputs, 100);
    assert_int_equal(find(&p, 4).outputs, 0);
    execution_free(e);
    arena_free(&arena);
    buf_free(&node);
}

static void a_view_writes_nothing(void **state)
{
    struct arena arena = {0};
    struct execution *e = read_nodes(step_with_two_threads);
    const struct program p = program_of_execution(e, &arena);
    assert_int_equal(find(&p, 6).outputs, 1);
    assert_int_equal(find(&p, 7).outputs, 0); /* a view */
    execution_free(e);
    arena_free(&arena);
}

static void without_numbers_names_tell_the_forward_call(void **state)
{
    static const char *const nodes[] = {
        NODE(2, "aten::t", 2, 1, 0, ""),
        NODE(3, "aten::transpose", 2, 1, 0, ""),
        NODE(4, "aten::transpose", 4, 1, 0, ""),
        NODE(5, "aten::_log_softmax", 5, 1, 0, ""),
        NODE(6, "aten::t", 6, 1, 0, ""),
        NODE(7, "LogSoftmaxBackward0", 7, 2, 1, ""),
        NODE(8, "TBackward0", 8, 2, 1, ""),
        NODE(9, "TransposeBackward0", 9, 2, 1, ""),
        NODE(10, "TBackward0", 10, 2, 1, ""),
        NODE(11, "TBackward0", 11, 2, 1, ""),
        NULL,
    };
    struct arena arena = {0};
    struct execution *e = read_nodes(nodes);
    const struct program p = program_of_execution(e, &arena);
    check_program(&p);
    assert_int_equal(p.ops[find(&p, 7).forward].id, 5);
    assert_int_equal(p.ops[find(&p, 8).forward].id, 6);
    assert_int_equal(p.ops[find(&p, 9).forward].id, 4);
    assert_int_equal(p.ops[find(&p, 10).forward].id, 2);
    assert_int_equal(find(&p, 11).forward, OP_NONE);
    execution_free(e);
    arena_free(&arena);
}

static void the_last_whole_step_counts(void **state)
{
    static const char *const marked[] = {
        NODE(2, "ProfilerStep#4", 2, 1, 7, ""), NODE(3, "aten::a", 2, 1, 0, ""),
        NODE(4, "aten::b", 2, 1, 0, ""),        NODE(5, "ProfilerStep#5", 5, 1, 7, ""),
        NODE(6, "aten::a", 5, 1, 0, ""),        NODE(7, "aten::b", 5, 1, 0, ""),
        NODE(8, "ProfilerStep#6", 8, 1, 7, ""), NULL,
    };
    static const char *const optimized[] = {
        NODE(2, "aten::a", 2, 1, 0, ""),    NODE(3, "Optimizer.step#SGD.step", 3, 1, 7, ""),
        NODE(4, "aten::add_", 3, 1, 0, ""), NODE(5, "aten::a", 5, 1, 0, ""),
        NODE(6, "hook", 6, 2, 0, ""),       NODE(7, "Optimizer.step#SGD.step", 7, 1, 7, ""),
        NODE(8, "aten::add_", 7, 1, 0, ""), NULL,
    };
    struct arena arena = {0};
    struct execution *e = read_nodes(marked);
    struct program p = program_of_execution(e, &arena);
    assert_int_equal(p.count, 2);
    assert_int_equal(p.step, 5);
    assert_int_equal(p.ops[0].id, 6);
    execution_free(e);
    e = read_nodes(optimized);
    p = program_of_execution(e, &arena);
    assert_int_equal(p.count, 4);
    assert_int_equal(p.ops[0].id, 5);
    execution_free(e);
    arena_free(&arena);
}

static void what_cannot_be_predicted_is_named(void **state)
{
    static const struct {
        const char *node, *says;
    } cases[] = {
        {NODE(7, "aten::mm", 7, 1, 0, ""), "operator aten::mm (7)"},
        {NODE(7, "mine", 7, 1, 0, ""), "no operator with shapes"},
        {NODE(7, "aten::mm", 7, 1, 0,
              ",\"input_types\":[\"Tensor(float)\"],\"input_shapes\":[[4294967296,4294967296]]"),
         "operator aten::mm (7): the sizes of argument 0"},
        {NODE(7, "aten::mm", 7, 1, 0, ",\"input_types\":[\"Tensor(float)\"],\"input_shapes\":[[-3,4]]"),
         "operator aten::mm (7) has sizes that are none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct steptime_error err = {0};
        struct execution *e = read_nodes((const char *const[]){cases[i].node, NULL});
        const struct program p = program_of_execution(e, &arena);
        assert_false(program_check(&p, &err));
        assert_int_equal(err.code, STEPTIME_INPUT);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s", err.message);
        execution_free(e);
        arena_free(&arena);
    }
}

/* ---- real ones ---- */

static void real_execution_traces_make_programs(void **state)
{
    static const struct {
        const char *path;
        uint32_t threads;
        int64_t step;
        bool links;
    } cases[] = {
        {"traces/et/chakra_pytorch_et_1.0.2-chakra.json.gz", 1, 0, false},
        {"traces/et/param_resnet_et_1.0.1.json.gz", 2, 0, true},
        {"traces/et/param_resnet_et_1.0.3-chakra.json.gz", 2, 6, true},
        {"traces/et/param_resnet_2gpu_et_1.1.0-chakra.json.gz", 2, 6, true},
        {"traces/producers/dlrm-113-eg.json.gz", 1, 5, true},
        {"traces/producers/dlrm-214-eg.json.gz", 1, 6, true},
        {"traces/multirank/param_dlrm_v100_w8/et_rank5.json.gz", 2, 0, true},
        {"prediction/dlrm-hipc22/dlrm_default_1024_eg_schema1.0.0.json.gz", 2, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct input input = shared_input(cases[i].path);
        struct arena arena = {0};
        const struct program p = program_of_execution(input.execution, &arena);
        check_program(&p);
        assert_true(program_check(&p, NULL));
        assert_int_equal(p.threads, cases[i].threads);
        assert_int_equal(p.step, cases[i].step);
        assert_int_equal(p.without_shapes, 0);
        uint32_t linked = 0;
        for (uint32_t k = 0; k < p.count; k++)
            linked += p.ops[k].forward != OP_NONE;
        assert_int_equal(linked > 0, cases[i].links);
        execution_free(input.execution);
        arena_free(&arena);
    }
}

/* Most of a step finds its node: by the ids of both where both were on, else by order. */
static void pairs_of_one_run_fit(void **state)
{
    static const struct {
        const char *execution, *kineto;
        bool by_id;
    } cases[] = {
        {"traces/et/hta_simple_add_et.json.gz", "traces/et/hta_simple_add_et_kineto.json.gz", true},
        {"traces/producers/dlrm-26-eg.json.gz", "traces/producers/dlrm-26-egk.json.gz", true},
        {"traces/producers/dlrm-113-eg.json.gz", "traces/producers/dlrm-113-egk.json.gz", false},
        {"traces/et/param_resnet_et_1.0.1.json.gz", "traces/et/param_resnet_2080ti_kineto.json.gz", false},
        {"traces/multirank/param_dlrm_v100_w8/et_rank0.json.gz",
         "traces/multirank/param_dlrm_v100_w8/kineto_rank0.json.gz", false},
        {"traces/multirank/param_dlrm_v100_w8/et_rank4.json.gz",
         "traces/multirank/param_dlrm_v100_w8/kineto_rank4.json.gz", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct input nodes = shared_input(cases[i].execution), trace = shared_input(cases[i].kineto);
        struct arena arena = {0};
        struct programs *programs = programs_open(trace.trace, work_classes_new(trace.trace, &arena));
        struct program_match match;
        const struct program p = programs_join(programs, nodes.execution, &match, &arena);
        check_program(&p);
        assert_int_equal(p.source, PROGRAM_JOINED);
        assert_int_equal(match.by_id, cases[i].by_id);
        if (match.matched < 0.98 * p.count)
            fail_msg("%s: %u of %u", cases[i].kineto, match.matched, p.count);
        uint32_t with_data = 0;
        for (uint32_t k = 0; k < p.count; k++)
            with_data += p.ops[k].inputs > 0;
        assert_true(with_data > 0 && p.without_shapes <= 1);
        programs_close(programs);
        execution_free(nodes.execution);
        trace_free(trace.trace);
        arena_free(&arena);
    }
}

/* ---- of dry runs ---- */

static const char *const dry[] = {
    NODE(2, "ProfilerStep#0", 1, 1, 7, ""),
    NODE(3, "aten::linear", 2, 1, 0, DATA(TENSOR(20, 21), TENSOR(22, 23))),
    NODE(4, "aten::mm", 3, 1, 0, DATA(TENSOR(20, 21), TENSOR(22, 23))),
    NODE(5, "PythonDispatchMode", 4, 1, 0, ""),
    NODE(6, "aten::empty_strided", 5, 1, 0, ""),
    NODE(7, "PythonDispatchMode", 2, 1, 0, ""), /* the door of an annotation */
    NODE(8, "Optimizer.step#SGD.step", 7, 1, 7, ""),
    NODE(9, "aten::detach", 7, 1, 0, ""),
    NODE(10, "aten::add_", 8, 1, 0, DATA(TENSOR(20, 21), TENSOR(20, 21))),
    NODE(11, "PythonDispatchMode", 10, 1, 0, ""),
    NODE(12, "aten::add_", 11, 1, 0, DATA(TENSOR(20, 21), TENSOR(20, 21))),
    NODE(13, "aten::set_", 8, 1, 0, ""), /* a copy of a tensor without data */
    NODE(14, "aten::empty_strided", 8, 1, 0, ""),
    NODE(15, "PythonDispatchMode", 14, 1, 0, ""),
    NODE(16, "aten::zeros", 2, 1, 0,
         ",\"op_schema\":\"\",\"inputs\":[[8]],\"input_shapes\":[[[]]],\"input_types\":[\"GenericList[Int]\"],"
         "\"outputs\":[" TENSOR(30, 31) "],\"output_shapes\":[[8]],\"output_types\":[\"Tensor(float)\"]"),
    NODE(17, "PythonDispatchMode", 16, 1, 0, ""),
    NULL,
};

static void of_a_dry_run_the_operators_stay(void **state)
{
    static const int64_t kept[] = {3, 4, 8, 10, 14, 16};
    struct arena arena = {0};
    struct execution *e = read_nodes(dry);
    const struct program p = program_of_execution(e, &arena);
    check_program(&p);
    assert_int_equal(p.count, sizeof kept / sizeof *kept);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_int_equal(p.ops[i].id, kept[i]);
    assert_int_equal(find(&p, 10).parent, number(&p, 8));
    assert_int_equal(find(&p, 10).phase, PHASE_OPTIMIZER);
    assert_true(str_eq(find(&p, 16).arguments.dims, S("[[8]]"))); /* made of none: as large as what it makes */
    execution_free(e);
    arena_free(&arena);
}

#define HOST(ID) "[" #ID "," #ID "00,0,4,4,\"cpu\"]"

static const char *const placed[] = {
    NODE(2, "aten::_to_copy", 2, 1, 0, DATA(HOST(20), HOST(21))),
    NODE(3, "PythonDispatchMode", 2, 1, 0, ""),
    NODE(4, "steptime::to_device", 3, 1, 0, ""),
    NODE(5, "aten::add", 5, 1, 0, DATA(HOST(20), HOST(22))),
    NODE(6, "PythonDispatchMode", 5, 1, 0, ""),
    NODE(7, "steptime::on_host", 6, 1, 0, ""),
    NODE(8, "aten::mul", 8, 1, 0, DATA(HOST(21), HOST(23))),
    NODE(9, "PythonDispatchMode", 8, 1, 0, ""),
    NODE(10, "aten::add_", 10, 1, 0, DATA(HOST(24), HOST(24))),
    NODE(11, "PythonDispatchMode", 10, 1, 0, ""),
    NODE(12, "steptime::stays_on_host", 11, 1, 0, ""),
    NULL,
};

static void of_a_dry_run_marks_tell_places(void **state)
{
    struct arena arena = {0};
    struct execution *e = read_nodes(placed);
    execution_put_on_device(e, false);
    const struct program p = program_of_execution(e, &arena);
    check_program(&p);
    assert_int_equal(p.count, 4);
    assert_int_equal(p.launch_count, 1);
    assert_int_equal(p.launches[0].op, number(&p, 2));
    assert_int_equal(p.launches[0].direction, COPY_H2D);
    assert_int_equal(p.launches[0].bytes, 16);
    assert_true(find(&p, 5).on_host && find(&p, 10).on_host && !find(&p, 2).on_host && !find(&p, 8).on_host);
    execution_free(e);
    arena_free(&arena);
}

/* All lies there: neither a copy nor work of the host is left, but that on numbers. */
static void of_a_dry_run_that_puts_nothing_there_all_is_moved(void **state)
{
    struct arena arena = {0};
    struct execution *e = read_nodes(placed);
    execution_put_on_device(e, true);
    const struct program p = program_of_execution(e, &arena);
    check_program(&p);
    assert_int_equal(p.count, 4);
    assert_int_equal(p.launch_count, 0);
    assert_true(find(&p, 10).on_host);
    assert_true(!find(&p, 5).on_host && !find(&p, 2).on_host && !find(&p, 8).on_host);
    execution_free(e);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_labels_and_phases_are_found),
        cmocka_unit_test(places_of_tensors_tell_copies_and_work_on_the_host),
        cmocka_unit_test(a_view_of_any_input_writes_nothing),
        cmocka_unit_test(a_view_writes_nothing),
        cmocka_unit_test(without_numbers_names_tell_the_forward_call),
        cmocka_unit_test(the_last_whole_step_counts),
        cmocka_unit_test(what_cannot_be_predicted_is_named),
        cmocka_unit_test(real_execution_traces_make_programs),
        cmocka_unit_test(pairs_of_one_run_fit),
        cmocka_unit_test(of_a_dry_run_the_operators_stay),
        cmocka_unit_test(of_a_dry_run_marks_tell_places),
        cmocka_unit_test(of_a_dry_run_that_puts_nothing_there_all_is_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
