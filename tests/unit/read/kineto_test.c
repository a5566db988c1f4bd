/* SPDX-License-Identifier: Apache-2.0 */
/* What the events of all versions and vendors become in the trace. */
#include <stdio.h>

#include "kineto_case.h"

static void categories_of_all_versions_tell_the_kind(void **state)
{
    static const struct {
        const char *category;
        enum event_kind kind;
    } cases[] = {
        {"cpu_op", EVENT_OPERATOR},
        {"Operator", EVENT_OPERATOR},
        {"cuda_runtime", EVENT_RUNTIME},
        {"cuda_driver", EVENT_RUNTIME},
        {"hip_runtime", EVENT_RUNTIME},
        {"Runtime", EVENT_RUNTIME},
        {"mtia_runtime", EVENT_RUNTIME},
        {"kernel", EVENT_KERNEL},
        {"Kernel", EVENT_KERNEL},
        {"mtia_ccp_events", EVENT_KERNEL},
        {"gpu_memcpy", EVENT_COPY},
        {"Memcpy", EVENT_COPY},
        {"gpu_memset", EVENT_MEMSET},
        {"Memset", EVENT_MEMSET},
        {"cuda_sync", EVENT_SYNC},
        {"overhead", EVENT_OVERHEAD},
        {"user_annotation", EVENT_ANNOTATION},
        {"python_function", EVENT_PYTHON},
        {"gpu_user_annotation", EVENT_DEVICE_ANNOTATION},
        {"Trace", EVENT_OTHER},
        {"of the future", EVENT_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char event[200];
        snprintf(event, sizeof event, "{'ph': 'X', 'cat': '%s', 'name': 'x', 'pid': 0, 'tid': 7, 'ts': 1, 'dur': 1}",
                 cases[i].category);
        struct trace *trace = trace_of(event);
        assert_int_equal(trace->count, 1);
        assert_int_equal(trace->kind[0], cases[i].kind);
        trace_free(trace);
    }
}

static void steps_were_operators_once_and_are_annotations(void **state)
{
    struct trace *trace =
        trace_of("{'ph': 'X', 'cat': 'Operator', 'name': 'ProfilerStep#3', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 5}");
    assert_int_equal(trace->kind[0], EVENT_ANNOTATION);
    assert_int_equal(trace->step_count, 1);
    assert_int_equal(trace->steps[0].number, 3);
    trace_free(trace);
}

static void the_list_before_2021_tells_by_its_pid(void **state)
{
    struct trace *trace =
        read_text(S("[{\"name\": \"aten::mm\", \"ph\": \"X\", \"ts\": 327.846, \"dur\": 94.83699999999999, \"tid\": 1, "
                    "\"pid\": \"CPU functions\", \"args\": {}}, {\"name\": \"gemm\", \"ph\": \"X\", \"ts\": 400, "
                    "\"dur\": 1, \"tid\": 2, \"pid\": \"CUDA functions\", \"args\": {}}]"));
    assert_int_equal(trace->count, 2);
    assert_int_equal(trace->kind[0], EVENT_OPERATOR);
    assert_int_equal(trace->kind[1], EVENT_KERNEL);
    assert_int_equal(trace->origin_ns, 327846);
    assert_int_equal(trace->dur_ns[0], 94837);
    trace_free(trace);
}

static void times_are_numbers_of_any_writing(void **state)
{
    static const struct {
        const char *ts;
        int64_t ns;
    } cases[] = {
        {"1669783687464181", 1669783687464181000},
        {"4387655436489.269", 4387655436489269},
        {"0.001", 1},
        {"'11550183666'", 11550183666000},
        {"'1.5'", 1500},
        {"-2", -2000},
        {"1.5e3", 1500000},
        {"7.0004", 7000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char event[200];
        snprintf(event, sizeof event, "{'ph': 'X', 'name': 'x', 'pid': 0, 'tid': 7, 'ts': %s, 'dur': 0.5}",
                 cases[i].ts);
        struct trace *trace = trace_of(event);
        assert_int_equal(trace->origin_ns, cases[i].ns);
        assert_int_equal(trace->dur_ns[0], 500);
        trace_free(trace);
    }
}

static void device_rows_lie_on_the_stream_of_their_args(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 9, 'tid': 99, 'ts': 1, 'dur': 1, 'args': {'device': 2, 'stream': 7}},"
        "{'ph': 'X', 'cat': 'Kernel', 'name': 'k', 'pid': 3, 'tid': 'stream 5', 'ts': 2, 'dur': 1},"
        "{'ph': 'X', 'cat': 'mtia_ccp_events', 'name': 'k', 'pid': 17, 'tid': 3774, 'ts': 3, 'dur': 1, 'args': {'stream': 108}},"
        "{'ph': 'X', 'cat': 'cuda_sync', 'name': 'Event Sync', 'pid': 0, 'tid': -1, 'ts': 4, 'dur': 1, 'args': {'stream': -1, 'device': 0}},"
        "{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 6, 'tid': 8, 'ts': 5, 'dur': 1},"
        "{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'ts': 6, 'dur': 1}");
    static const int64_t places[][2] = {{2, 7}, {3, 5}, {17, 108}, {0, -1}, {6, 8}, {-1, -1}};
    for (int i = 0; i < 6; i++) {
        const struct lane *lane = &trace->lanes[trace->lane[i]];
        assert_true(lane->device);
        assert_int_equal(lane->process, places[i][0]);
        assert_int_equal(lane->id, places[i][1]);
    }
    trace_free(trace);
}

static void threads_are_numbers_or_texts(void **state)
{
    struct trace *trace =
        trace_of("{'ph': 'X', 'name': 'a', 'pid': 5, 'tid': 6, 'ts': 1, 'dur': 1},"
                 "{'ph': 'X', 'name': 'b', 'pid': '5', 'tid': '6', 'ts': 2, 'dur': 1},"
                 "{'ph': 'X', 'name': 'c', 'pid': 'Spans', 'tid': 'PyTorch Profiler', 'ts': 3, 'dur': 1}");
    assert_int_equal(trace->lane[0], trace->lane[1]);
    const struct lane *spans = &trace->lanes[trace->lane[2]];
    assert_true(str_eq(trace_text(trace, spans->process_text), S("Spans")));
    assert_true(str_eq(trace_text(trace, spans->id_text), S("PyTorch Profiler")));
    trace_free(trace);
}

static void metadata_names_lanes_before_or_after_their_events(void **state)
{
    struct trace *trace =
        trace_of("{'ph': 'M', 'name': 'process_name', 'pid': 5, 'tid': 0, 'args': {'name': 'python'}},"
                 "{'ph': 'X', 'name': 'a', 'pid': 5, 'tid': 6, 'ts': 1, 'dur': 1},"
                 "{'ph': 'M', 'name': 'thread_name', 'pid': 5, 'tid': 6, 'args': {'name': 'main '}}");
    const struct lane *lane = &trace->lanes[trace->lane[0]];
    assert_true(str_eq(trace_text(trace, lane->process_name), S("python")));
    assert_true(str_eq(trace_text(trace, lane->name), S("main")));
    assert_int_equal(trace->lane_count, 1);
    trace_free(trace);
}

/* ---- attributes ---- */

static void attributes_come_from_args(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, 'tid': 7, 'ts': 1, 'dur': 1, 'args': {'queued': 0, 'device': 0,"
        " 'stream': 7, 'External id': 5, 'correlation': 6, 'registers per thread': 32, 'shared memory': 48, 'blocks per SM': 0.8,"
        " 'warps per SM': 3.25, 'grid': [64, 1, 1], 'block': [128, 1, 1], 'est. achieved occupancy %': 31, 'graph id': 4}},"
        "{'ph': 'X', 'cat': 'cpu_op', 'name': 'o', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 1, 'args': {'external id': '12',"
        " 'Input Dims': [[1, 2], []], 'Input type': ['float', ''], 'Call stack': '', 'Fwd thread id': 0, 'Sequence number': 44,"
        " 'Python parent id': null, 'Collective name': 'allreduce', 'In msg nelems': 7, 'Process Group Ranks': [0, 1]}}");
    assert_int_equal(trace_attr_or(trace, 0, ATTR_EXTERNAL_ID, -1), 5);
    assert_int_equal(trace_attr_or(trace, 0, ATTR_CORRELATION, -1), 6);
    assert_int_equal(trace_attr_or(trace, 0, ATTR_BLOCKS_PER_SM, -1), 800);
    assert_int_equal(trace_attr_or(trace, 0, ATTR_WARPS_PER_SM, -1), 3250);
    assert_int_equal(trace_attr_or(trace, 0, ATTR_OCCUPANCY, -1), 31);
    assert_true(str_eq(trace_attr_text(trace, 0, ATTR_GRID), S("[64, 1, 1]")));
    assert_int_equal(trace_attr_or(trace, 1, ATTR_EXTERNAL_ID, -1), 12);
    assert_int_equal(trace_attr_or(trace, 1, ATTR_FORWARD_THREAD, -1), 0);
    assert_int_equal(trace_attr_or(trace, 1, ATTR_SEQUENCE, -1), 44);
    assert_true(str_eq(trace_attr_text(trace, 1, ATTR_INPUT_DIMS), S("[[1, 2], []]")));
    assert_true(str_eq(trace_attr_text(trace, 1, ATTR_INPUT_TYPES), S("[\"float\", \"\"]")));
    assert_true(str_eq(trace_attr_text(trace, 1, ATTR_COLLECTIVE), S("allreduce")));
    assert_true(str_eq(trace_attr_text(trace, 1, ATTR_GROUP_RANKS), S("[0, 1]")));
    assert_int_equal(trace_attr_count(trace, ATTR_CALL_STACK), 0);
    trace_free(trace);
}

/* Events whose shapes differ in every way that the reader's shortcuts could confuse. */
static void the_shape_of_one_event_is_not_forced_on_the_next(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 1, 'args': null},"
        "{'ph': 'X', 'name': 'b', 'pid': 1, 'tid': 1, 'ts': 2, 'dur': 1, 'args': {'correlation': 2}},"
        "{'ph': 'X', 'name': 'c', 'pid': 1, 'tid': 2, 'ts':  3, 'dur': 1, 'args': {}},"
        "{'ph': 'X', 'name': 'd', 'pid': 1, 'tid': 1, 'ts': 4, 'dur': 1, 'args': {'correlation': 4}, 'cat': 'kernel'},"
        "{'args': {'correlation': 5}, 'ts': 5, 'dur': 1, 'tid': 1, 'pid': 1, 'name': 'e', 'ph': 'X'},"
        "{'ph': 'X', 'name': '', 'pid': 1, 'tid': 1, 'ts': 6, 'dur': 1, 'args': {'Input Dims': []}},"
        "{'ph': 'X', 'name': '[1]', 'pid': 1, 'tid': 1, 'ts': 7, 'dur': 1, 'args': {'Input Dims': [1]}}");
    assert_int_equal(trace->count, 7);
    assert_int_equal(trace->note_count, 0);
    static const int64_t correlation[] = {-1, 2, -1, 4, 5, -1, -1};
    for (uint32_t row = 0; row < 7; row++) {
        assert_int_equal(trace_attr_or(trace, row, ATTR_CORRELATION, -1), correlation[row]);
        assert_int_equal(trace->start_ns[row], row * 1000);
    }
    assert_int_equal(trace->kind[3], EVENT_KERNEL);
    assert_true(str_eq(trace_attr_text(trace, 5, ATTR_INPUT_DIMS), S("[]")));
    assert_true(str_eq(trace_attr_text(trace, 6, ATTR_INPUT_DIMS), S("[1]")));
    trace_free(trace);
}

static void more_lanes_than_are_remembered_are_told_apart(void **state)
{
    struct buf events = {0};
    for (int i = 0; i < 3000; i++)
        buf_printf(&events, "%s{'ph': 'X', 'name': 'a', 'pid': %d, 'tid': %d, 'ts': %d, 'dur': 1}", i ? ", " : "",
                   i % 7, i % 101, i);
    buf_char(&events, 0);
    struct trace *trace = trace_of(events.at);
    assert_int_equal(trace->lane_count, 7 * 101);
    for (uint32_t row = 0; row < trace->count; row++) {
        assert_int_equal(trace->lanes[trace->lane[row]].process, row % 7);
        assert_int_equal(trace->lanes[trace->lane[row]].id, row % 101);
    }
    trace_free(trace);
    buf_free(&events);
}

/* ---- begin and end, instants, arrows ---- */

static void an_end_belongs_to_the_innermost_begin_of_its_name(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'B', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 0, 'args': {'correlation': 3}},"
        "{'ph': 'B', 'name': 'b', 'pid': 1, 'tid': 1, 'ts': 1}, {'ph': 'B', 'name': 'a', 'pid': 1, 'tid': 2, 'ts': 1},"
        "{'ph': 'E', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 9, 'args': {'External id': 4}},"
        "{'ph': 'E', 'pid': 1, 'tid': 1, 'ts': 10}, {'ph': 'E', 'pid': 1, 'tid': 2, 'ts': 4}");
    static const int64_t expected[][2] = {{0, 9000}, {1000, 9000}, {1000, 3000}};
    assert_int_equal(trace->count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(trace->start_ns[i], expected[i][0]);
        assert_int_equal(trace->dur_ns[i], expected[i][1]);
    }
    assert_int_equal(trace_attr_or(trace, 0, ATTR_CORRELATION, -1), 3);
    assert_int_equal(trace_attr_or(trace, 0, ATTR_EXTERNAL_ID, -1), 4);
    assert_int_equal(trace->repaired + trace->dropped, 0);
    trace_free(trace);
}

static void a_begin_without_an_end_lasts_to_the_end_of_the_trace(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'B', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 1}, {'ph': 'X', 'name': 'b', 'pid': 1, 'tid': 1, 'ts': 2, 'dur': 5}");
    assert_int_equal(trace->count, 2);
    assert_int_equal(trace->dur_ns[1], 6000);
    assert_int_equal(trace->repaired, 1);
    trace_free(trace);
}

static void an_end_without_a_begin_is_dropped(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'E', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 1}, {'ph': 'i', 'name': 'b', 'pid': 1, 'tid': 1, 'ts': 2}");
    assert_int_equal(trace->count, 1);
    assert_int_equal(trace->kind[0], EVENT_INSTANT);
    assert_int_equal(trace->dropped, 1);
    assert_true(noted(trace, "end without a begin"));
    trace_free(trace);
}

static void an_arrow_finds_the_launch_where_no_id_does(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 500, 'tid': 500, 'ts': 1, 'dur': 2},"
        "{'ph': 's', 'cat': 'ac2g', 'name': 'ac2g', 'id': 9, 'pid': 500, 'tid': 500, 'ts': 1},"
        "{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, 'tid': 7, 'ts': 4, 'dur': 2},"
        "{'ph': 'f', 'cat': 'ac2g', 'name': 'ac2g', 'id': 9, 'pid': 0, 'tid': 7, 'ts': 4, 'bp': 'e'}");
    assert_int_equal(trace->count, 2);
    assert_int_equal(trace->lane_count, 2);
    assert_int_equal(trace->cause[1], 0);
    trace_free(trace);
}

static void other_phases_are_counted(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 1}, {'ph': 'C', 'name': 'c', 'pid': 1, 'ts': 1},"
        "{'ph': 'C', 'name': 'c', 'pid': 1, 'ts': 2}, {'ph': 'b', 'name': 'c', 'pid': 1, 'ts': 2}");
    assert_int_equal(trace->count, 1);
    assert_int_equal(trace->dropped, 0);
    assert_true(noted(trace, "2 events of phase C"));
    assert_true(noted(trace, "1 events of phase b"));
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories_of_all_versions_tell_the_kind),
        cmocka_unit_test(steps_were_operators_once_and_are_annotations),
        cmocka_unit_test(the_list_before_2021_tells_by_its_pid),
        cmocka_unit_test(times_are_numbers_of_any_writing),
        cmocka_unit_test(device_rows_lie_on_the_stream_of_their_args),
        cmocka_unit_test(threads_are_numbers_or_texts),
        cmocka_unit_test(metadata_names_lanes_before_or_after_their_events),
        cmocka_unit_test(attributes_come_from_args),
        cmocka_unit_test(the_shape_of_one_event_is_not_forced_on_the_next),
        cmocka_unit_test(more_lanes_than_are_remembered_are_told_apart),
        cmocka_unit_test(an_end_belongs_to_the_innermost_begin_of_its_name),
        cmocka_unit_test(a_begin_without_an_end_lasts_to_the_end_of_the_trace),
        cmocka_unit_test(an_end_without_a_begin_is_dropped),
        cmocka_unit_test(an_arrow_finds_the_launch_where_no_id_does),
        cmocka_unit_test(other_phases_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
