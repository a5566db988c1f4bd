/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a log, and what is made of them. */
#include "base/buf.h"
#include "base/mem.h"
#include "unit/cmocka_first.h"
#include "compilelog/compilelog.h"
#include "compilelog/reasons.h"
#include "compilelog/records.h"

static struct arena arena;
static struct compile_log compile_log;

static int clear(void **state)
{
    compile_log_free(&compile_log);
    arena_free(&arena);
    return 0;
}

static void read_text(str text, size_t chunk, const char *name)
{
    compile_log_free(&compile_log);
    compile_log = (struct compile_log){.arena = &arena};
    struct source *source = source_of_bytes("log", text.at, text.len, chunk);
    compile_log_add(&compile_log, source, str_of(name));
    source_close(source);
}

#define PREFIX "V1122 19:31:13.239000 28603 torch/a.py:9] "
#define FRAME  ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0"

static void assert_text(str text, const char *expected)
{
    assert_string_equal(str_z(&arena, text), expected);
}

/* ---- records ---- */

static void bodies_belong_to_the_record_above(void **state)
{
    const str text = S("\tlost\n" PREFIX "{\"a\": 1}\n\tone\n\t\ttwo\nnoise\n" PREFIX "{\"b\": {}}\n");
    for (size_t chunk = 1; chunk < 70; chunk += 3) {
        struct source *source = source_of_bytes("log", text.at, text.len, chunk);
        struct log_records records;
        struct log_record record;
        log_records_open(&records, source);
        assert_true(log_records_next(&records, &record));
        assert_text(record.head, "{\"a\": 1}");
        assert_text(record.body, "one\n\ttwo\n");
        assert_int_equal(record.process, 28603);
        assert_true(log_records_next(&records, &record));
        assert_text(record.head, "{\"b\": {}}");
        assert_int_equal(record.body.len, 0);
        assert_false(log_records_next(&records, &record));
        assert_int_equal(records.strange, 2);
        log_records_close(&records);
        source_close(source);
    }
}

static void text_that_is_no_log(void **state)
{
    read_text(S("line = f\"{head}] {json}\"\n[1, 2] {3}\n"), 100, "");
    assert_int_equal(compile_log.records, 0);
    assert_int_equal(compile_log.files, 0);
    read_text(S(PREFIX "{\"dynamo_start\": {\"stack\": [\n" PREFIX "{\"x\xff\": \n"), 100, "");
    assert_int_equal(compile_log.records, 2);
    assert_int_equal(compile_log.unread, 2);
    assert_int_equal(compile_log.compile_count, 0);
}

/* A thread's number, as older versions write it, is no process. */
static void numbers_of_threads_are_no_processes(void **state)
{
    read_text(S("V0412 12:00:00.123000 140234234234 torch/a.py:1] {\"dynamo_start\": {}" FRAME "}\n"), 100, "");
    assert_int_equal(compile_log.compile_count, 1);
    assert_int_equal(compile_log.compiles[0].process, -1);
}

/* Lines longer than the limit are cut, and memory does not grow with them. */
static void long_bodies_are_cut(void **state)
{
    struct buf text = {0};
    buf_add(&text, S(PREFIX "{\"inductor_output_code\": {}" FRAME "}\n"));
    for (int i = 0; i < 3 << 20; i++)
        buf_add(&text, S("\taaa\n"));
    struct source *source = source_of_bytes("log", text.at, text.len, 1 << 16);
    struct log_records records;
    struct log_record record;
    log_records_open(&records, source);
    assert_true(log_records_next(&records, &record));
    assert_int_equal(record.body.len, LOG_MOST_BODY);
    assert_true(records.cut > 0);
    log_records_close(&records);
    source_close(source);
    buf_free(&text);
}

/* ---- sentences ---- */

static void sizes_of_guards(void **state)
{
    const struct {
        const char *text, *tensor;
        int64_t dimension, expected, actual;
    } cases[] = {
        {"0/1: tensor 'x' size mismatch at index 0. expected 17, actual 18", "x", 0, 17, 18},
        {"tensor 'L['x']' size mismatch at index 2. expected 1, actual 20", "x", 2, 1, 20},
        {"3/0: tensor 'self.w' size mismatch at index 1. expected 4, actual 5\nUser stack", "self.w", 1, 4, 5},
        {"0/0: ___stack1 == -0.39  # return x * total.item()", "", 0, 0, 0},
        {"0/0: tensor 'x' stride mismatch at index 0. expected 8, actual 16", "", 0, 0, 0},
        {"tensor 'x' size mismatch at index ", "", 0, 0, 0},
        {"", "", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct log_size size = reason_size(reason_of(str_of(cases[i].text)));
        assert_text(size.tensor, cases[i].tensor);
        assert_int_equal(size.dimension, cases[i].dimension);
        assert_int_equal(size.expected, cases[i].expected);
        assert_int_equal(size.actual, cases[i].actual);
    }
}

static void values_of_guards(void **state)
{
    const struct {
        const char *text, *subject, *value, *code;
    } cases[] = {
        {"0/1: self.scale == 2      # y = y * self.scale  # m.py:16 in f", "self.scale", "2", "y = y * self.scale"},
        {"L['mode'] == 'fast'", "mode", "'fast'", ""},
        {"___stack0 == 0.25  # x", "___stack0", "0.25", "x"},
        {"tensor 'x' size mismatch at index 0. expected 17, actual 18", "", "", ""},
        {" == ", "", "", ""},
        {"", "", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct log_value value = reason_value(reason_of(str_of(cases[i].text)));
        assert_text(value.subject, cases[i].subject);
        assert_text(value.value, cases[i].value);
        assert_text(value.code, cases[i].code);
    }
}

static void reasons_are_one_line(void **state)
{
    assert_text(reason_of(S("4/0: ___stack1 == 1  # return x\nUser stack trace:\n")), "___stack1 == 1  # return x");
    assert_text(reason_of(S(" something else: yes ")), "something else: yes");
}

static void breaks_of_graphs(void **state)
{
    const struct log_break late = reason_of_break(
        S("Graph break in user code at /a b/train.py:24\n"
          "Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):\n\n"
          "Unsupported Tensor.item() call\n  Explanation: Dynamo does not.\n  Hint: Set it.\n  Hint: Or not.\n\n"
          "User code traceback:\n  File \"/a b/train.py\", line 39, in main\n    report(x)\n"
          "  File \"/a b/train.py\", line 24, in report\n    return x * total.item()\n\n"
          "Traceback (most recent call last):\n  File \"torch/a.py\", line 1, in b\n    c\n"),
        &arena);
    assert_text(late.place.file, "/a b/train.py");
    assert_int_equal(late.place.line, 24);
    assert_text(late.place.code, "return x * total.item()");
    assert_text(late.reason, "Unsupported Tensor.item() call");
    assert_text(late.explanation, "Dynamo does not.");
    assert_text(late.hint, "Set it.");
    const struct log_break early =
        reason_of_break(S("Graph break in user code at t.py:3\nReason: Unsupported: builtin: print\n"), &arena);
    assert_text(early.reason, "Reason: Unsupported: builtin: print");
    assert_int_equal(reason_of_break(S(""), &arena).place.line, 0);
}

static void places_of_comments(void **state)
{
    const struct log_place place =
        place_of_comment(S("    # File: /in a/train.py:14 in score, code: y = x in z, code: 3"), &arena);
    assert_text(place.file, "/in a/train.py");
    assert_int_equal(place.line, 14);
    assert_text(place.code, "y = x in z, code: 3");
    assert_int_equal(place_of_comment(S("# File: train.py:7, code: a"), &arena).line, 7);
    assert_int_equal(place_of_comment(S("# File: "), &arena).line, 0);
    assert_int_equal(place_of_comment(S("x = 1"), &arena).line, 0);
}

/* ---- what is made of it ---- */

static void a_function_compiled(void **state)
{
    read_text(
        S("V1122 19:31:13.239000 7 torch/a.py:9] {\"str\": [\"/x/train.py\", 4]}\n"
          "V1122 19:31:13.239000 7 torch/a.py:9] {\"dynamo_start\": {\"stack\": [{\"line\": 1, \"name\": \"main\", "
          "\"filename\": 9}, {\"line\": 12, \"name\": \"score\", \"filename\": 4}]}, \"rank\": 2" FRAME "}\n"
          "V1122 19:31:14.239000 7 torch/a.py:9] {\"compilation_metrics\": {\"co_name\": \"score\", "
          "\"start_time\": 1795376690.5, \"entire_frame_compile_time_s\": 0.25, \"restart_reasons\": [\"a\", \"b\"], "
          "\"fail_reason\": null}" FRAME "}\n"
          "V1122 19:31:15.239000 7 torch/a.py:9] {\"bwd_compilation_metrics\": {\"duration_us\": 7, "
          "\"co_name\": null}" FRAME "}\n"),
        100, "dedicated_log_torch_trace_rank_5_x.log");
    assert_int_equal(compile_log.compile_count, 1);
    const struct log_compile *compile = compile_log.compiles;
    assert_text(compile->id, "0/0");
    assert_text(compile->function, "score");
    assert_text(compile->place.file, "/x/train.py");
    assert_int_equal(compile->place.line, 12);
    assert_int_equal(compile->rank, 2);
    assert_int_equal(compile->process, 7);
    assert_int_equal(compile->start_ns, 1795376690500000000);
    assert_int_equal(compile->took_ns, 250000000);
    assert_int_equal(compile->backward_ns, 7000);
    assert_int_equal(compile->restarts, 2);
    assert_int_equal(compile_log.unread, 0);
}

static void reasons_come_alone_or_in_lists(void **state)
{
    static const char *const bodies[] = {
        "\t0/0: tensor 'x' size mismatch at index 0. expected 16, actual 17\n",
        "\t\"0/0: tensor 'x' size mismatch at index 0. expected 16, actual 17\"\n",
        "\t[\n\t\"0/0: tensor 'x' size mismatch at index 0. expected 16, actual 17\",\n\t\"other\"\n\t]\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const str text = str_printf(
            &arena, "%s%s",
            PREFIX "{\"artifact\": {\"name\": \"recompile_reasons\", \"encoding\": \"json\"}" FRAME "}\n", bodies[i]);
        read_text(text, 100, "");
        assert_text(compile_log.compiles[0].size.tensor, "x");
        assert_int_equal(compile_log.compiles[0].size.actual, 17);
    }
}

#define GRAPH \
    PREFIX "{\"dynamo_output_graph\": {}" FRAME "}\n" \
           "\tclass GraphModule(torch.nn.Module):\n" \
           "\t    def forward(self, L_x_: \"f32[8]\"):\n" \
           "\t        # File: /x/train.py:14 in score, code: hidden = torch.relu(x @ weight)\n" \
           "\t        hidden: \"f32[8]\" = torch.relu(matmul);  matmul = None\n" \
           "\t        # File: /x/train.py:15 in score, code: return (hidden * 2).sum()\n" \
           "\t        mul: \"f32[8]\" = hidden * 2;  hidden = None\n" \
           "\t        sum_1: \"f32[]\" = mul.sum();  mul = None\n"

#define CODE \
    PREFIX "{\"inductor_output_code\": {}" FRAME "}\n" \
           "\t# kernel path: /tmp/c.py\n" \
           "\t# Topologically Sorted Source Nodes: [hidden, mul], Original ATen: [aten.relu, aten.mul]\n" \
           "\t# Source node to ATen node mapping:\n" \
           "\t#   hidden => relu\n" \
           "\ttriton_poi_fused_mul_relu_0 = async_compile.triton('triton_poi_fused_mul_relu_0', '''\n" \
           "\timport triton\n" \
           "\t''', device_str='cuda')\n" \
           "\tcpp_fused_sum_1 = async_compile.cpp_pybinding(['float*'], r'''\n" \
           "\tasync_compile.wait(globals())\n" \
           "\t        # Source Nodes: [sum_1], Original ATen: [aten.sum]\n" \
           "\t        cpp_fused_sum_1(buf0)\n" \
           "\t        # Topologically Sorted Source Nodes: [matmul], Original ATen: [aten.mm]\n" \
           "\t        extern_kernels.mm(arg0_1, arg1_1, out=buf0)\n"

static void kernels_have_lines_of_their_nodes(void **state)
{
    read_text(S(GRAPH CODE), 1000, "");
    assert_int_equal(compile_log.kernel_count, 2);
    const struct log_kernel *first = &compile_log.kernels[0], *second = &compile_log.kernels[1];
    assert_text(first->name, "triton_poi_fused_mul_relu_0");
    assert_text(first->nodes, "hidden, mul");
    assert_text(first->operators, "aten.relu, aten.mul");
    assert_int_equal(first->from, LINES_OF_NODES);
    assert_int_equal(first->line_count, 2);
    assert_int_equal(first->lines[0].line, 14);
    assert_text(first->lines[1].code, "return (hidden * 2).sum()");
    assert_text(second->name, "cpp_fused_sum_1");
    assert_text(second->nodes, "sum_1");
    assert_int_equal(second->lines[0].line, 15);
}

static void stacks_count_more_than_nodes(void **state)
{
    read_text(
        S(GRAPH CODE PREFIX
          "{\"artifact\": {\"name\": \"inductor_provenance_tracking_kernel_stack_traces\"}" FRAME "}\n"
          "\t{\"extern_kernels.mm:1\": [\"  File \\\"/x/train.py\\\", line 3, in a\\n    b\\n\"], "
          "\"triton_poi_fused_mul_relu_0:2\": [\"  File \\\"/x/main.py\\\", line 2, in m\\n    f()\\n  File "
          "\\\"/x/train.py\\\", line 20, in score\\n    c = d\\n    ^^^\\n\", \"  File \\\"/x/train.py\\\", line 20, in "
          "score\\n    c = d\\n\", \"no stack\"]}\n"),
        1000, "");
    assert_int_equal(compile_log.kernel_count, 2);
    const struct log_kernel *kernel = &compile_log.kernels[0];
    assert_int_equal(kernel->from, LINES_OF_STACKS);
    assert_int_equal(kernel->line_count, 1);
    assert_int_equal(kernel->lines[0].line, 20);
    assert_text(kernel->lines[0].code, "c = d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(bodies_belong_to_the_record_above, clear),
        cmocka_unit_test_teardown(text_that_is_no_log, clear),
        cmocka_unit_test_teardown(numbers_of_threads_are_no_processes, clear),
        cmocka_unit_test_teardown(long_bodies_are_cut, clear),
        cmocka_unit_test_teardown(sizes_of_guards, clear),
        cmocka_unit_test_teardown(values_of_guards, clear),
        cmocka_unit_test_teardown(reasons_are_one_line, clear),
        cmocka_unit_test_teardown(breaks_of_graphs, clear),
        cmocka_unit_test_teardown(places_of_comments, clear),
        cmocka_unit_test_teardown(a_function_compiled, clear),
        cmocka_unit_test_teardown(reasons_come_alone_or_in_lists, clear),
        cmocka_unit_test_teardown(kernels_have_lines_of_their_nodes, clear),
        cmocka_unit_test_teardown(stacks_count_more_than_nodes, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
