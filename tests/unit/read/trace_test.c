/* SPDX-License-Identifier: Apache-2.0 */
/* The trace model: nesting, links, steps, attributes, on traces small enough to see whole. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "trace/select.h"
#include "trace/trace.h"

enum { PID = 100, MAIN = 1, AUTOGRAD = 2 };

static uint32_t host(struct trace *t, int64_t tid)
{
    return trace_lane(t, (struct lane){.process = PID, .id = tid});
}

static uint32_t stream(struct trace *t, int64_t id)
{
    return trace_lane(t, (struct lane){.device = true, .process = 0, .id = id});
}

/* Times in microseconds, as a reader of the test thinks. */
static struct event at(struct trace *t, enum event_kind kind, uint32_t lane, const char *name, int64_t us,
                       int64_t dur_us)
{
    return (struct event){.start_ns = us * 1000,
                          .dur_ns = dur_us * 1000,
                          .name = intern_id(trace_names(t), str_of(name)),
                          .lane = lane,
                          .kind = kind};
}

static void add(struct trace *t, struct event e)
{
    trace_add(t, &e);
}

static void add_with(struct trace *t, struct event e, enum attr attr, int64_t value)
{
    event_set(&e, attr, value);
    trace_add(t, &e);
}

/* What must hold of every finished trace, whatever went in. */
static void check_invariants(const struct trace *t)
{
    uint32_t seen = 0;
    for (uint32_t lane = 0; lane < t->lane_count; lane++)
        for (int nest = 0; nest < NESTS; nest++) {
            const struct rows rows = trace_rows(t, lane, nest);
            seen += rows.count;
            for (uint32_t i = 0; i < rows.count; i++) {
                const uint32_t row = rows.at[i], parent = t->parent[row];
                assert_int_equal(t->lane[row], lane);
                assert_true(i == 0 || t->start_ns[rows.at[i - 1]] <= t->start_ns[row]);
                if (parent != ROW_NONE) {
                    assert_int_equal(t->lane[parent], lane);
                    assert_true(t->start_ns[parent] <= t->start_ns[row]);
                    assert_true(t->start_ns[row] < trace_end_ns(t, parent));
                }
            }
        }
    assert_int_equal(seen, t->count);
    for (uint32_t i = 1; i < t->step_count; i++)
        assert_true(t->steps[i - 1].end_ns <= t->steps[i].start_ns);
    for (uint32_t row = 0; row < t->count; row++)
        assert_true(t->start_ns[row] >= 0 && trace_end_ns(t, row) <= t->end_ns);
}

/* No sum over a trace may leave 64 bits. */
static void check_sums(const struct trace *t)
{
    int64_t sum = 0;
    for (uint32_t row = 0; row < t->count; row++)
        sum += t->dur_ns[row];
    assert_true(sum <= TRACE_MOST_SUM_NS);
    assert_true(t->end_ns <= TRACE_MOST_NS);
    assert_true(t->end_ns <= TRACE_MOST_SUM_NS / ((int64_t)t->lane_count + 1));
}

static struct trace *finish(struct trace *t)
{
    trace_finish(t);
    check_invariants(t);
    check_sums(t);
    return t;
}

static void an_operator_inside_another_is_its_child(void **state)
{
    struct trace *t = trace_new();
    add(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::addmm", 12, 5));
    add(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::linear", 10, 10));
    add(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::relu", 20, 3)); /* begins as linear ends */
    finish(t);
    assert_int_equal(t->parent[0], 1);
    assert_int_equal(t->parent[1], ROW_NONE);
    assert_int_equal(t->parent[2], ROW_NONE);
    trace_free(t);
}

static void a_child_that_ends_late_by_rounding_stays_a_child(void **state)
{
    struct trace *t = trace_new();
    add(t, at(t, EVENT_OPERATOR, host(t, MAIN), "parent", 0, 10));
    struct event child = at(t, EVENT_RUNTIME, host(t, MAIN), "cudaLaunchKernel", 8, 2);
    child.dur_ns += 900;
    add(t, child);
    finish(t);
    assert_int_equal(t->parent[1], 0);
    assert_int_equal(trace_oddities(t).partial_overlaps, 0);
    trace_free(t);
}

static void an_annotation_does_not_nest_with_python_frames(void **state)
{
    struct trace *t = trace_new();
    add(t, at(t, EVENT_PYTHON, host(t, MAIN), "__enter__", 0, 5));
    add(t, at(t, EVENT_ANNOTATION, host(t, MAIN), "ProfilerStep#1", 4, 20));
    add(t, at(t, EVENT_PYTHON, host(t, MAIN), "train.py(3): step", 6, 10));
    add(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::mm", 7, 1));
    finish(t);
    assert_int_equal(t->parent[1], ROW_NONE);
    assert_int_equal(t->parent[2], ROW_NONE);
    assert_int_equal(trace_frame(t, 3), 2);
    trace_free(t);
}

static void a_kernel_knows_its_launch_operator_and_step(void **state)
{
    struct trace *t = trace_new();
    add_with(t, at(t, EVENT_KERNEL, stream(t, 7), "gemm", 50, 10), ATTR_CORRELATION, 42);
    add(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::mm", 10, 10));
    add_with(t, at(t, EVENT_RUNTIME, host(t, MAIN), "cudaLaunchKernel", 12, 4), ATTR_CORRELATION, 42);
    add(t, at(t, EVENT_ANNOTATION, host(t, MAIN), "ProfilerStep#3", 5, 25));
    finish(t);
    assert_int_equal(t->cause[0], 2);
    assert_int_equal(t->cause[2], 0);
    assert_int_equal(trace_operator(t, 0), 1);
    assert_int_equal(trace_step(t, 0), 0);
    assert_int_equal(t->steps[0].number, 3);
    assert_int_equal(t->steps[0].end_ns - t->steps[0].start_ns, 55000); /* until the kernel ends */
    trace_free(t);
}

static void one_graph_launch_causes_many_kernels(void **state)
{
    struct trace *t = trace_new();
    add_with(t, at(t, EVENT_RUNTIME, host(t, MAIN), "cudaGraphLaunch", 0, 4), ATTR_CORRELATION, 9);
    for (int i = 3; i-- > 0;)
        add_with(t, at(t, EVENT_KERNEL, stream(t, 7), "k", 10 + i * 5, 4), ATTR_CORRELATION, 9);
    finish(t);
    const struct rows work = trace_caused(t, 0);
    assert_int_equal(work.count, 3);
    assert_int_equal(work.at[0], 3); /* by time, not by row */
    assert_int_equal(trace_oddities(t).graph_kernels, 3);
    trace_free(t);
}

static void without_calls_the_external_id_names_the_operator(void **state)
{
    struct trace *t = trace_new();
    add_with(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::mm", 0, 4), ATTR_EXTERNAL_ID, 5);
    add_with(t, at(t, EVENT_KERNEL, stream(t, 7), "gemm", 10, 4), ATTR_EXTERNAL_ID, 5);
    finish(t);
    assert_int_equal(t->cause[1], 0);
    assert_int_equal(trace_operator(t, 1), 0);
    trace_free(t);
}

static void without_ids_the_flow_arrow_finds_the_launch(void **state)
{
    struct trace *t = trace_new();
    add(t, at(t, EVENT_RUNTIME, host(t, MAIN), "hipLaunchKernel", 2, 4));
    add(t, at(t, EVENT_KERNEL, stream(t, 0), "k", 20, 4));
    trace_add_flow(t, (struct flow){.id = 1, .time_ns = 2000, .lane = host(t, MAIN), .kind = FLOW_LAUNCH});
    trace_add_flow(t,
                   (struct flow){.id = 1, .time_ns = 20000, .lane = stream(t, 0), .kind = FLOW_LAUNCH, .finish = true});
    finish(t);
    assert_int_equal(t->cause[1], 0);
    trace_free(t);
}

static void steps_run_to_the_start_of_the_next(void **state)
{
    struct trace *t = trace_new();
    add(t, at(t, EVENT_ANNOTATION, host(t, MAIN), "ProfilerStep#5", 100, 40));
    add(t, at(t, EVENT_ANNOTATION, host(t, MAIN), "ProfilerStep#4", 50, 40)); /* ends 10 us before #5 begins */
    finish(t);
    assert_int_equal(t->step_count, 2);
    assert_int_equal(t->steps[0].number, 4);
    assert_int_equal(t->steps[0].end_ns, t->steps[1].start_ns);
    assert_int_equal(t->steps[1].end_ns - t->steps[1].start_ns, 40000);
    assert_int_equal(trace_step_at(t, t->steps[1].end_ns), STEP_NONE);
    trace_free(t);
}

static void a_pause_in_recording_belongs_to_no_step(void **state)
{
    struct trace *t = trace_new();
    add(t, at(t, EVENT_ANNOTATION, host(t, MAIN), "ProfilerStep#4", 0, 40));
    add(t, at(t, EVENT_ANNOTATION, host(t, MAIN), "ProfilerStep#14", 1000, 40));
    finish(t);
    assert_int_equal(t->steps[0].end_ns - t->steps[0].start_ns, 40000);
    assert_int_equal(trace_step_at(t, t->steps[0].start_ns + 500000), STEP_NONE);
    trace_free(t);
}

static void without_annotations_the_optimizer_ends_a_step(void **state)
{
    struct trace *t = trace_new();
    for (int i = 0; i < 3; i++) {
        add(t, at(t, EVENT_ANNOTATION, host(t, MAIN), "Optimizer.step#My.step", 100 * i + 80, 20));
        add(t,
            at(t, EVENT_ANNOTATION, host(t, MAIN), "Optimizer.step#SGD.step", 100 * i + 85, 10)); /* super().step() */
    }
    finish(t);
    assert_int_equal(t->step_source, STEPS_OPTIMIZER);
    assert_int_equal(t->step_count, 2);
    assert_int_equal(t->steps[0].end_ns - t->steps[0].start_ns, 100000);
    trace_free(t);
}

static void a_selection_counts_step_numbers(void **state)
{
    struct trace *t = trace_new();
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "ProfilerStep#%d", i + 10);
        add(t, at(t, EVENT_ANNOTATION, host(t, MAIN), name, 100 * i, 90));
    }
    finish(t);
    const struct step_range two = selection_steps(t, &(struct selection){.limited = true, .first = 12, .last = 13});
    assert_int_equal(two.first, 2);
    assert_int_equal(two.count, 2);
    assert_int_equal(selection_steps(t, &(struct selection){.skip_warmup = true}).count, 4);
    assert_int_equal(selection_steps(t, &(struct selection){.limited = true, .first = 90, .last = 99}).count, 0);
    trace_free(t);
}

/* The number is that of the node to come: the product around it and the fill before it recorded it too. */
static void backward_finds_the_operator_that_made_its_node(void **state)
{
    struct trace *t = trace_new();
    add_with(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::addmm", 12, 4), ATTR_SEQUENCE, 11);
    add_with(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::linear", 10, 10), ATTR_SEQUENCE, 11);
    add_with(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::zeros", 0, 4), ATTR_SEQUENCE, 11);
    add_with(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::relu", 22, 4), ATTR_SEQUENCE, 12);
    add_with(t, at(t, EVENT_OPERATOR, host(t, AUTOGRAD), "aten::mul", 40, 4), ATTR_SEQUENCE, 11);
    struct event back = at(t, EVENT_OPERATOR, host(t, AUTOGRAD), "AddmmBackward0", 50, 4);
    event_set(&back, ATTR_FORWARD_THREAD, 1);
    add_with(t, back, ATTR_SEQUENCE, 11);
    finish(t);
    assert_int_equal(trace_forward(t, 5), 0);
    assert_int_equal(trace_forward(t, 0), ROW_NONE);
    trace_free(t);
}

static void attributes_are_kept_wide_and_narrow(void **state)
{
    struct trace *t = trace_new();
    const int64_t values[] = {7, -1, INT64_MAX, INT64_MIN, 0};
    for (size_t i = 0; i < 5; i++) {
        add(t, at(t, EVENT_COPY, stream(t, 1), "Memcpy", (int64_t)i, 1));
        add_with(t, at(t, EVENT_COPY, stream(t, 1), "Memcpy", (int64_t)i, 1), ATTR_BYTES, values[i]);
    }
    finish(t);
    for (uint32_t i = 0; i < 5; i++) {
        int64_t value;
        assert_false(trace_attr(t, 2 * i, ATTR_BYTES, &value));
        assert_true(trace_attr(t, 2 * i + 1, ATTR_BYTES, &value));
        assert_int_equal(value, values[i]);
    }
    assert_int_equal(trace_attr_count(t, ATTR_BYTES), 5);
    trace_free(t);
}

static void any_order_of_rows_gives_the_same_tree(void **state)
{
    enum { N = 3000 };
    struct trace *t = trace_new();
    uint64_t random = 1;
    for (int i = 0; i < N; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        add(t,
            at(t, EVENT_OPERATOR, host(t, MAIN), "op", (int64_t)(random >> 33) % 1000, (int64_t)(random >> 50) % 50));
    }
    finish(t); /* the invariants are the test */
    trace_free(t);
}

static void an_empty_trace_is_a_trace(void **state)
{
    struct trace *t = finish(trace_new());
    struct arena scratch = {0};
    int64_t *devices;
    assert_int_equal(trace_devices(t, &scratch, &devices), 0);
    assert_int_equal(trace_device_work(t, &scratch, -1).count, 0);
    assert_int_equal(t->step_count, 0);
    assert_int_equal(trace_main_lane(t), LANE_NONE);
    arena_free(&scratch);
    trace_free(t);
}

/* ---- events whose times cannot be ---- */

static const int64_t now_us = 1700000000000000, day_us = (int64_t)86400 * 1000 * 1000;

static bool note_says(const struct trace *t, uint32_t i, const char *text)
{
    return i < t->note_count && t->notes[i].kind == NOTE_DROPPED && str_has(t->notes[i].text, str_of(text));
}

static void an_event_decades_from_the_rest_is_set_aside_by_name(void **state)
{
    struct trace *t = trace_new();
    add(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::mm", now_us, 10));
    add_with(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::add", 0, 5), ATTR_SEQUENCE, 7);
    add_with(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::mul", now_us + 20, 10), ATTR_SEQUENCE, 8);
    add(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::sub", now_us + 40, 10));
    finish(t);
    assert_int_equal(t->count, 3);
    assert_int_equal(t->end_ns, 50 * 1000);
    assert_int_equal(t->dropped, 1);
    assert_int_equal(t->kinds[EVENT_OPERATOR], 3);
    assert_true(note_says(t, 0, "'aten::add' begins 53.9 years before the other events"));
    assert_true(str_eq(trace_name(t, 1), S("aten::mul")));
    assert_int_equal(trace_attr_or(t, 1, ATTR_SEQUENCE, -1), 8);
    assert_int_equal(trace_attr_or(t, 2, ATTR_SEQUENCE, -1), -1);
    trace_free(t);
}

static void a_minority_of_another_clock_is_set_aside(void **state)
{
    struct trace *t = trace_new();
    for (int i = 0; i < 200; i++)
        add_with(t, at(t, EVENT_OPERATOR, host(t, MAIN), "aten::mm", now_us + 20 * i, 10), ATTR_SEQUENCE, i);
    for (int i = 0; i < 150; i++)
        add_with(t, at(t, EVENT_KERNEL, stream(t, 7), "gemm", 20 * i, 10), ATTR_CORRELATION, i);
    finish(t);
    assert_int_equal(t->count, 200);
    assert_int_equal(t->dropped, 150);
    assert_int_equal(trace_attr_count(t, ATTR_CORRELATION), 0);
    assert_int_equal(trace_attr_or(t, 150, ATTR_SEQUENCE, -1), 150);
    trace_free(t);
}

/* Each alone could be; together they are centuries. */
static void lengths_that_no_sum_can_hold_are_set_aside(void **state)
{
    struct trace *t = trace_new();
    for (int i = 0; i < 4000; i++)
        add(t, at(t, EVENT_KERNEL, stream(t, 7), "gemm", i, 6 * day_us));
    add(t, at(t, EVENT_KERNEL, stream(t, 7), "short", 0, 10));
    finish(t);
    assert_int_equal(t->count, 1);
    assert_int_equal(t->dropped, 4000);
    assert_true(note_says(t, 0, "'gemm' lasts 6.0 days, too long for sums over all events"));
    trace_free(t);
}

static void days_of_recording_are_kept(void **state)
{
    struct trace *t = trace_new();
    for (int i = 0; i < 30; i++)
        add(t, at(t, EVENT_KERNEL, stream(t, 7), "gemm", now_us + i * day_us, day_us));
    finish(t);
    assert_int_equal(t->count, 30);
    assert_int_equal(t->note_count, 0);
    trace_free(t);
}

static uint32_t devices_of(const struct trace *t)
{
    struct arena arena = {0};
    int64_t *devices;
    const uint32_t count = trace_devices(t, &arena, &devices);
    arena_free(&arena);
    return count;
}

static void work_on_no_device_is_set_aside_where_other_work_names_its_own(void **state)
{
    struct trace *t = trace_new();
    const uint32_t nowhere = trace_lane(t, (struct lane){.device = true, .process = -1, .id = 3});
    add(t, at(t, EVENT_KERNEL, stream(t, 7), "gemm", 0, 10));
    for (int i = 0; i < 7; i++)
        add(t, at(t, EVENT_KERNEL, nowhere, "lost", 20, 10));
    add(t, at(t, EVENT_SYNC, nowhere, "Context Sync", 20, 10));
    finish(t);
    assert_int_equal(t->count, 2);
    assert_int_equal(t->dropped, 7);
    assert_int_equal(devices_of(t), 1);
    assert_true(note_says(t, 0, "event set aside: 'lost' names no device, unlike other work"));
    assert_true(str_eq(t->notes[5].text, S("2 more events set aside for the same reasons")));
    trace_free(t);
}

static void work_on_no_device_is_kept_where_no_work_names_one(void **state)
{
    struct trace *t = trace_new();
    add(t, at(t, EVENT_KERNEL, trace_lane(t, (struct lane){.device = true, .process = -1, .id = 3}), "gemm", 0, 10));
    finish(t);
    assert_int_equal(t->count, 1);
    assert_int_equal(devices_of(t), 1);
    trace_free(t);
}

static void a_launch_whose_kernel_was_never_recorded_is_told(void **state)
{
    struct trace *t = trace_new();
    add_with(t, at(t, EVENT_RUNTIME, host(t, MAIN), "cudaLaunchKernel", 0, 5), ATTR_CORRELATION, 1);
    add_with(t, at(t, EVENT_RUNTIME, host(t, MAIN), "cudaLaunchKernel", 10, 5), ATTR_CORRELATION, 2);
    add_with(t, at(t, EVENT_KERNEL, stream(t, 7), "gemm", 20, 5), ATTR_CORRELATION, 1);
    finish(t);
    assert_int_equal(t->note_count, 1);
    assert_int_equal(t->notes[0].kind, NOTE_DOUBT);
    assert_true(str_starts(t->notes[0].text, S("1 of 2 launches have no device work in the recording")));
    trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operator_inside_another_is_its_child),
        cmocka_unit_test(a_child_that_ends_late_by_rounding_stays_a_child),
        cmocka_unit_test(an_annotation_does_not_nest_with_python_frames),
        cmocka_unit_test(a_kernel_knows_its_launch_operator_and_step),
        cmocka_unit_test(one_graph_launch_causes_many_kernels),
        cmocka_unit_test(without_calls_the_external_id_names_the_operator),
        cmocka_unit_test(without_ids_the_flow_arrow_finds_the_launch),
        cmocka_unit_test(steps_run_to_the_start_of_the_next),
        cmocka_unit_test(a_pause_in_recording_belongs_to_no_step),
        cmocka_unit_test(without_annotations_the_optimizer_ends_a_step),
        cmocka_unit_test(a_selection_counts_step_numbers),
        cmocka_unit_test(backward_finds_the_operator_that_made_its_node),
        cmocka_unit_test(attributes_are_kept_wide_and_narrow),
        cmocka_unit_test(any_order_of_rows_gives_the_same_tree),
        cmocka_unit_test(an_empty_trace_is_a_trace),
        cmocka_unit_test(an_event_decades_from_the_rest_is_set_aside_by_name),
        cmocka_unit_test(a_minority_of_another_clock_is_set_aside),
        cmocka_unit_test(lengths_that_no_sum_can_hold_are_set_aside),
        cmocka_unit_test(days_of_recording_are_kept),
        cmocka_unit_test(work_on_no_device_is_set_aside_where_other_work_names_its_own),
        cmocka_unit_test(work_on_no_device_is_kept_where_no_work_names_one),
        cmocka_unit_test(a_launch_whose_kernel_was_never_recorded_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
