/* SPDX-License-Identifier: Apache-2.0 */
/* Operators in groups, on traces whose numbers were planted. Times in microseconds. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "breakdown/kernels/operators.h"
#include "unit/planted.h"

struct scene {
    struct planted p;
    struct arena arena;
    struct operators result;
};

static struct scene scene_new(void)
{
    return (struct scene){.p = planted_new()};
}

static void run(struct scene *s, enum operator_grouping by, struct selection selection)
{
    trace_finish(s->p.trace);
    operators_run(s->p.trace, &(struct operators_asked){.by = by, .selection = &selection, .device = S("")}, &s->arena,
                  &s->result);
    trace_free(s->p.trace); /* the result outlives it */
}

static void done(struct scene *s)
{
    arena_free(&s->arena);
}

static const struct operator_group *group(const struct scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->result.count; i++)
        if (str_eq(s->result.groups[i].name, str_of(name)))
            return &s->result.groups[i];
    fail_msg("no group is called %s", name);
    return NULL;
}

static void call(struct scene *s, const char *name, int64_t us, int64_t dur_us, const char *dims)
{
    struct event event = planted_event(&s->p, EVENT_OPERATOR, planted_thread(&s->p, PLANTED_MAIN), name, us, dur_us);
    event_set(&event, ATTR_INPUT_DIMS, intern_id(trace_names(s->p.trace), str_of(dims)));
    event_set(&event, ATTR_INPUT_TYPES, intern_id(trace_names(s->p.trace), S("[\"float\", \"float\", \"float\"]")));
    trace_add(s->p.trace, &event);
    s->p.rows++;
}

static void work(struct scene *s, int64_t launch_us, int64_t us, int64_t dur_us)
{
    plant_work(&s->p, (struct planted_work){.launch_us = launch_us, .launch_dur_us = 2, .us = us, .dur_us = dur_us});
}

static void own_time_is_without_what_is_called(void **state)
{
    struct scene s = scene_new();
    call(&s, "aten::linear", 0, 100, "[[4, 16], [8, 16], [8]]");
    call(&s, "aten::addmm", 10, 50, "[[8], [4, 16], [16, 8]]");
    work(&s, 20, 200, 30); /* a launch call of 2 */
    run(&s, OPERATORS_BY_NAME, (struct selection){0});
    const struct operator_group *linear = group(&s, "aten::linear"), *addmm = group(&s, "aten::addmm");
    assert_int_equal(linear->host_total_ns, 100000);
    assert_int_equal(linear->host_self_ns, 50000);
    assert_int_equal(addmm->host_self_ns, 48000);
    assert_int_equal(linear->device_total_ns, 30000);
    assert_int_equal(linear->device_self_ns, 0);
    assert_int_equal(addmm->device_total_ns, 30000);
    assert_int_equal(addmm->device_self_ns, 30000);
    assert_int_equal(addmm->launches, 1);
    assert_int_equal(s.result.host_self_ns, 98000);
    assert_int_equal(s.result.calls, 2);
    done(&s);
}

static void the_sum_counts_what_contains_each_other_once(void **state)
{
    struct scene s = scene_new();
    call(&s, "aten::linear", 0, 100, "[[4, 16], [8, 16], [8]]");
    call(&s, "aten::addmm", 10, 50, "[[8], [4, 16], [16, 8]]");
    work(&s, 20, 200, 30);
    run(&s, OPERATORS_BY_NAME, (struct selection){0});
    assert_int_equal(group(&s, "aten::linear")->flops.amount, 1024);
    assert_int_equal(group(&s, "aten::addmm")->flops.amount, 1024);
    assert_int_equal(group(&s, "aten::addmm")->flops.ns, 30000);
    assert_int_equal(s.result.flops, 1024);
    done(&s);
}

static void a_call_inside_its_own_kind_is_not_counted_twice(void **state)
{
    struct scene s = scene_new();
    call(&s, "aten::to", 0, 100, "[]");
    call(&s, "aten::to", 10, 50, "[]");
    work(&s, 20, 200, 30);
    call(&s, "aten::to", 150, 10, "[]");
    run(&s, OPERATORS_BY_NAME, (struct selection){0});
    const struct operator_group *to = group(&s, "aten::to");
    assert_int_equal(to->host_total_ns, 110000);
    assert_int_equal(to->host_self_ns, 108000);
    assert_int_equal(to->device_total_ns, 30000);
    assert_int_equal(to->dur_ns.count, 3);
    done(&s);
}

static void without_a_device_the_host_does_the_arithmetic(void **state)
{
    struct scene s = scene_new();
    call(&s, "aten::mm", 0, 100, "[[4, 16], [16, 8]]");
    run(&s, OPERATORS_BY_NAME, (struct selection){0});
    assert_false(s.result.recorded);
    assert_int_equal(group(&s, "aten::mm")->flops.ns, 100000);
    assert_int_equal(s.result.flops, 1024);
    done(&s);
}

static void unknown_arithmetic_is_not_zero(void **state)
{
    struct scene s = scene_new();
    call(&s, "my::operator", 0, 100, "[[4, 16], [16, 8]]");
    run(&s, OPERATORS_BY_NAME, (struct selection){0});
    assert_int_equal(s.result.flops, -1);
    assert_int_equal(s.result.bytes, -1);
    assert_int_equal(group(&s, "my::operator")->flops.ns, 0);
    done(&s);
}

static void a_selection_picks_the_calls_that_begin_in_it(void **state)
{
    struct scene s = scene_new();
    plant_step(&s.p, 0, 0, 100);
    plant_step(&s.p, 1, 100, 100);
    call(&s, "aten::add", 10, 20, "[]");
    call(&s, "aten::add", 110, 30, "[]");
    run(&s, OPERATORS_BY_NAME, (struct selection){.skip_warmup = true});
    assert_int_equal(group(&s, "aten::add")->host_total_ns, 30000);
    assert_int_equal(s.result.calls, 1);
    done(&s);
}

static void shapes_tell_calls_apart(void **state)
{
    struct scene s = scene_new();
    call(&s, "aten::mm", 0, 10, "[[4, 16], [16, 8]]");
    call(&s, "aten::mm", 20, 10, "[[1, 16], [16, 8]]");
    call(&s, "aten::mm", 40, 10, "[[4, 16], [16, 8]]");
    run(&s, OPERATORS_BY_SHAPE, (struct selection){0});
    assert_int_equal(s.result.count, 2);
    assert_int_equal(s.result.groups[0].dur_ns.count, 2);
    done(&s);
}

/* An operator deep inside many others costs no more than one on top: the passes are linear. */
static void deep_nests_are_fine(void **state)
{
    enum { DEPTH = 20000 };
    struct scene s = scene_new();
    for (int64_t i = 0; i < DEPTH; i++)
        call(&s, i % 2 ? "aten::a" : "aten::b", i, 2 * (DEPTH - i), "[]");
    run(&s, OPERATORS_BY_NAME, (struct selection){0});
    assert_int_equal(group(&s, "aten::b")->host_total_ns, 2000 * (int64_t)DEPTH);
    assert_int_equal(s.result.host_self_ns, 2000 * (int64_t)DEPTH);
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_time_is_without_what_is_called),
        cmocka_unit_test(the_sum_counts_what_contains_each_other_once),
        cmocka_unit_test(a_call_inside_its_own_kind_is_not_counted_twice),
        cmocka_unit_test(without_a_device_the_host_does_the_arithmetic),
        cmocka_unit_test(unknown_arithmetic_is_not_zero),
        cmocka_unit_test(a_selection_picks_the_calls_that_begin_in_it),
        cmocka_unit_test(shapes_tell_calls_apart),
        cmocka_unit_test(deep_nests_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
