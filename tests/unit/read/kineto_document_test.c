/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around events in a document, and what happens to documents and events that are wrong. */
#include <stdio.h>
#include <stdlib.h>

#include "kineto_case.h"

/* However long: notes still tell the byte of the file. */
static void blanks_before_the_document_are_passed_over(void **state)
{
    enum { BLANKS = 200001 };
    struct buf text = {0};
    for (int i = 0; i < BLANKS; i++)
        buf_char(&text, " \n"[i % 2]);
    buf_add(&text,
            S("{\"traceEvents\": [{\"ts\": 1}, {\"ph\": \"X\", \"ts\": 1, \"dur\": 2, \"pid\": 1, \"tid\": 1}]}"));
    struct trace *trace = read_text(buf_str(&text));
    assert_non_null(trace);
    assert_int_equal(trace->count, 1);
    assert_int_equal(trace->notes[0].offset, BLANKS + 17);
    assert_int_equal(trace->info.file_bytes, text.len);
    trace_free(trace);
    buf_free(&text);
}

static void the_head_tells_of_devices_and_ranks(void **state)
{
    struct trace *trace = read_text(S(
        "\xEF\xBB\xBF{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"Tesla V100\", \"totalGlobalMem\": 34089730048, "
        "\"computeMajor\": 7, \"computeMinor\": 0, \"numSms\": 80}, {\"id\": 1, \"name\": \"B\"}], \"unknown\": {\"a\": [1, {\"]\": 2}]}, "
        "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8, \"pg_config\": [{\"a\": 1}]}, "
        "\"record_shapes\": 1, \"with_stack\": 0, \"trace_id\": \"E1\", \"host_name\": \"h\", "
        "\"baseTimeNanoseconds\": 1751410836000000000, \"traceName\": \"a]b.json\", "
        "\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a\", \"ts\": 1, \"dur\": 1}], \"profile_memory\": 1}\n"));
    const struct trace_info *info = &trace->info;
    assert_int_equal(info->device_count, 2);
    assert_true(str_eq(info->devices[0].name, S("Tesla V100")));
    assert_int_equal(info->devices[0].memory_bytes, 34089730048);
    assert_int_equal(info->devices[0].sms, 80);
    assert_int_equal(info->devices[0].major, 7);
    assert_int_equal(info->devices[1].sms, -1);
    assert_int_equal(info->rank, 3);
    assert_int_equal(info->world_size, 8);
    assert_int_equal(info->base_ns, 1751410836000000000);
    assert_true(str_eq(info->backend, S("nccl")) && str_eq(info->host, S("h")) && str_eq(info->trace_id, S("E1")));
    assert_true(info->shapes && !info->stack && info->memory);
    assert_int_equal(trace->note_count, 0);
    trace_free(trace);
}

static void broken_metadata_does_not_hide_the_events(void **state)
{
    struct trace *trace = read_text(S(
        "{\"note\": \"va\"lue\", \"other\": N/A, \"traceEvents\": [{\"ph\": \"X\", \"name\": \"a\", \"ts\": 1, \"dur\": 1}]}"));
    assert_int_equal(trace->count, 1);
    assert_int_equal(trace->repaired, 2);
    assert_int_equal(trace->notes[0].offset, 12);
    trace_free(trace);
}

static void a_list_without_its_end_is_read(void **state)
{
    static const char *const ends[] = {"", ",", "]", ",]", "}", "\n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct buf text = {0};
        buf_printf(&text, "%s[{\"ph\": \"X\", \"name\": \"a\", \"ts\": 1, \"dur\": 1}%s",
                   i == 4 ? "{\"traceEvents\": " : "", ends[i]);
        struct trace *trace = read_text(buf_str(&text));
        assert_int_equal(trace->count, 1);
        assert_int_equal(trace->note_count > 0, i != 2);
        trace_free(trace);
        buf_free(&text);
    }
}

static void documents_behind_one_another_are_joined(void **state)
{
    struct trace *trace =
        read_text(S("{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a\", \"ts\": 1, \"dur\": 1}]}\n"
                    "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"b\", \"ts\": 2, \"dur\": 1}]} trailing"));
    assert_int_equal(trace->count, 2);
    assert_true(noted(trace, "another document"));
    assert_true(noted(trace, "not read"));
    trace_free(trace);
}

/* ---- faults ---- */

static void a_broken_event_is_dropped_and_the_next_one_read(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'X', 'name': 'a', 'ts': 1, 'dur': 1}, {'ph' 'X', 'ts': 2}, {'ph': 'X', 'name': 'b', 'ts': 3, 'dur': 1}, 17,"
        "{'ph': 'X', 'name': 'c' : 4}, {'ph': 'X', 'name': 'd', 'ts': 5, 'dur': 1}");
    assert_int_equal(trace->count, 3);
    assert_int_equal(trace->dropped, 3);
    assert_int_equal(trace->notes[0].offset, 62);
    assert_true(str_eq(trace_name(trace, 2), S("d")));
    trace_free(trace);
}

static void impossible_times_are_dropped_or_set_right(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'X', 'cat': 'cpu_op', 'name': 'good', 'pid': 1, 'tid': 1, 'ts': 5000000, 'dur': 1},"
        "{'ph': 'X', 'cat': 'kernel', 'name': 'never filled', 'pid': 0, 'tid': 7, 'ts': 0, 'dur': 0},"
        "{'ph': 'X', 'cat': 'kernel', 'name': 'too long', 'pid': 0, 'tid': 7, 'ts': 5000001, 'dur': 18446744073709.551},"
        "{'ph': 'X', 'cat': 'kernel', 'name': 'eight days', 'pid': 0, 'tid': 7, 'ts': 5000001, 'dur': 691200000000},"
        "{'ph': 'X', 'cat': 'kernel', 'name': 'negative', 'pid': 0, 'tid': 7, 'ts': 5000001, 'dur': -3},"
        "{'ph': 'X', 'cat': 'cpu_op', 'name': 'far', 'pid': 1, 'tid': 1, 'ts': 99999999999999999999, 'dur': 1},"
        "{'ph': 'X', 'cat': 'cpu_op', 'name': 'timeless', 'pid': 1, 'tid': 1, 'dur': 1}");
    assert_int_equal(trace->count, 2);
    assert_int_equal(trace->dropped, 5);
    assert_int_equal(trace->repaired, 1);
    assert_int_equal(trace->dur_ns[1], 0);
    trace_free(trace);
}

static void numbers_past_64_bits_are_left_out(void **state)
{
    struct trace *trace = trace_of(
        "{'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 1, 'args': {'correlation': 99999999999999999999, 'Comms Id': 99999999999999999999, 'External id': 3}}");
    assert_int_equal(trace->count, 1);
    assert_int_equal(trace_attr_or(trace, 0, ATTR_CORRELATION, -1), -1);
    assert_int_equal(trace_attr_or(trace, 0, ATTR_EXTERNAL_ID, -1), 3);
    assert_true(noted(trace, "64 bits"));
    trace_free(trace);
}

static void a_key_that_comes_twice_counts_last_and_is_told(void **state)
{
    struct trace *trace =
        trace_of("{'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 1, 'pid': 2, 'dur': 1},"
                 "{'ph': 'X', 'name': 'b', 'pid': 1, 'tid': 1, 'ts': 1, 'pid': 2, 'dur': 1},"
                 "{'ph': 'X', 'name': 'c', 'ts': 1, 'dur': 1, 'args': {'correlation': 3, 'correlation': 4}},"
                 "{'ph': 'X', 'name': 'd', 'ts': 1, 'dur': 1, 'args': {'correlation': 3, 'External id': 4}}");
    assert_int_equal(trace->count, 4);
    assert_int_equal(trace->note_count, 3);
    assert_int_equal(trace->lanes[trace->lane[1]].process, 2);
    assert_int_equal(trace_attr_or(trace, 2, ATTR_CORRELATION, -1), 4);
    trace_free(trace);
}

static void names_with_anything_in_them_are_kept(void **state)
{
    struct trace *trace = read_text(S(
        "[{\"ph\": \"X\", \"name\": \"a\"b\", \"ts\": 1, \"dur\": 1}, {\"ph\": \"X\", \"name\": \"back\\slash\", \"ts\": 2, \"dur\": 1}, "
        "{\"ph\": \"X\", \"name\": \"new\nline\", \"ts\": 3, \"dur\": 1}, {\"ph\": \"X\", \"name\": \"\xff\", \"ts\": 4, \"dur\": 1}, "
        "{\"ph\": \"X\", \"name\": \"\\u00e9 \\\"q\\\"\", \"ts\": 5, \"dur\": 1}, {\"ph\": \"X\", \"name\": \"\xc3\xa9\", \"ts\": 6, \"dur\": NaN}]"));
    static const char *const names[] = {"a\"b",         "back\\slash",    "new\nline",
                                        "\xef\xbf\xbd", "\xc3\xa9 \"q\"", "\xc3\xa9"};
    assert_int_equal(trace->count, 6);
    for (uint32_t row = 0; row < 6; row++)
        assert_true(str_eq(trace_name(trace, row), str_of(names[row])));
    assert_true(trace->repaired >= 5);
    assert_int_equal(trace->dropped, 0);
    trace_free(trace);
}

static void an_event_longer_than_the_window_is_read(void **state)
{
    struct buf events = {0};
    buf_printf(&events, "{'ph': 'X', 'name': 'a', 'ts': 1, 'dur': 1, 'args': {'x': [");
    for (int i = 0; i < 300000; i++)
        buf_printf(&events, "%d, ", i);
    buf_printf(&events, "0]}}, {'ph': 'X', 'name': 'b', 'ts': 2, 'dur': 1}");
    buf_char(&events, 0);
    struct trace *trace = trace_of(events.at);
    assert_int_equal(trace->count, 2);
    assert_int_equal(trace->note_count, 0);
    trace_free(trace);
    buf_free(&events);
}

/* As with a broken producer: quotes in every name, then nothing but quotes. The work stays in proportion to the bytes. */
static void damage_everywhere_costs_no_more_than_reading(void **state)
{
    struct buf text = {0};
    buf_printf(&text, "[");
    for (int i = 0; i < 20000; i++)
        buf_printf(&text, "{\"ph\": \"X\", \"name\": \"a\"b\", \"ts\": %d, \"dur\": 1},\n", i);
    for (int i = 0; i < 1000000; i++)
        buf_printf(&text, "{\"ph");
    struct trace *trace = read_text(buf_str(&text));
    assert_int_equal(trace->count, 20000);
    assert_int_equal(trace->repaired, 20000);
    trace_free(trace);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_before_the_document_are_passed_over),
        cmocka_unit_test(the_head_tells_of_devices_and_ranks),
        cmocka_unit_test(broken_metadata_does_not_hide_the_events),
        cmocka_unit_test(a_list_without_its_end_is_read),
        cmocka_unit_test(documents_behind_one_another_are_joined),
        cmocka_unit_test(a_broken_event_is_dropped_and_the_next_one_read),
        cmocka_unit_test(impossible_times_are_dropped_or_set_right),
        cmocka_unit_test(numbers_past_64_bits_are_left_out),
        cmocka_unit_test(a_key_that_comes_twice_counts_last_and_is_told),
        cmocka_unit_test(names_with_anything_in_them_are_kept),
        cmocka_unit_test(an_event_longer_than_the_window_is_read),
        cmocka_unit_test(damage_everywhere_costs_no_more_than_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
