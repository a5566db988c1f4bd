/* SPDX-License-Identifier: Apache-2.0 */
/* Traces on one clock, and what their lanes are called. */
#include "trace/places.h"

#include "unit/cmocka_first.h"

#define DAY_NS INT64_C(86400000000000)

static void offsets(struct trace_start a, struct trace_start b, int64_t first, int64_t second)
{
    int64_t got[2];
    trace_offsets((struct trace_start[]){a, b}, 2, got);
    assert_int_equal(got[0], first);
    assert_int_equal(got[1], second);
}

static void clocks_are_shared_within_a_day(void **state)
{
    const struct trace_start start = {true, 7 * DAY_NS}, later = {true, 7 * DAY_NS + 5}, tomorrow = {true, 8 * DAY_NS},
                             after = {true, 8 * DAY_NS + 1}, undated = {false, 7 * DAY_NS + 9},
                             least = {true, INT64_MIN}, most = {true, INT64_MAX};
    offsets(start, later, 0, 5);
    offsets(later, start, 5, 0);
    offsets(start, tomorrow, 0, DAY_NS);
    offsets(start, after, 0, 0);
    offsets(start, undated, 0, 0);
    offsets(least, most, 0, 0);
    int64_t alone = 1;
    trace_offsets(&start, 1, &alone);
    assert_int_equal(alone, 0);
}

static uint32_t word(struct trace *t, const char *text)
{
    return *text ? intern_id(trace_names(t), str_of(text)) : 0;
}

static void called(struct lane lane, const char *name, const char *id_text, const char *wanted)
{
    struct arena arena = {0};
    struct trace *t = trace_new();
    lane.name = word(t, name);
    lane.id_text = word(t, id_text);
    const str got = trace_lane_name(t, &lane, &arena);
    assert_true(str_eq(got, str_of(wanted)));
    trace_free(t);
    arena_free(&arena);
}

static void lanes_have_names(void **state)
{
    const struct lane thread = {.id = 42}, stream = {.device = true, .id = 7};
    called(thread, "", "", "thread 42");
    called(thread, "main", "", "thread 42 main");
    called(thread, "thread 42 (python)", "", "thread 42 (python)");
    called(thread, "", "PyTorch Profiler", "PyTorch Profiler");
    called(thread, "main", "PyTorch Profiler", "main");
    called(stream, "", "", "stream 7");
    called(stream, "compute", "", "compute");
}

static void process(struct lane lane, const char *name, const char *text, const char *wanted)
{
    struct arena arena = {0};
    struct trace *t = trace_new();
    lane.process_name = word(t, name);
    lane.process_text = word(t, text);
    assert_true(str_eq(trace_process_name(t, &lane, &arena), str_of(wanted)));
    trace_free(t);
    arena_free(&arena);
}

static void processes_have_names(void **state)
{
    process((struct lane){.process = 17}, "", "", "process 17");
    process((struct lane){.process = 17}, "python", "", "python, process 17");
    process((struct lane){.process = 17}, "python", "Spans", "Spans");
    process((struct lane){.device = true, .process = 0}, "", "", "device 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_are_shared_within_a_day),
        cmocka_unit_test(lanes_have_names),
        cmocka_unit_test(processes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
