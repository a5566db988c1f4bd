/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of operators that call each other are counted once. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "ops/operators/op_costs.h"
#include "unit/planted.h"

struct costed {
    struct planted p;
    struct arena arena;
    const struct op_costs *costs;
};

static struct costed start(void)
{
    return (struct costed){.p = planted_new()};
}

static void finish(struct costed *t)
{
    trace_finish(t->p.trace);
    t->costs = op_costs_new(t->p.trace, &t->arena);
}

static void end(struct costed *t)
{
    arena_free(&t->arena);
    trace_free(t->p.trace);
}

static uint32_t call(struct costed *t, const char *name, const char *dims, int64_t us, int64_t dur_us)
{
    struct event event = planted_event(&t->p, EVENT_OPERATOR, planted_thread(&t->p, PLANTED_MAIN), name, us, dur_us);
    if (*dims) {
        event_set(&event, ATTR_INPUT_DIMS, intern_id(trace_names(t->p.trace), str_of(dims)));
        event_set(&event, ATTR_INPUT_TYPES, intern_id(trace_names(t->p.trace), S("[\"float\", \"float\", \"float\"]")));
    }
    trace_add(t->p.trace, &event);
    return t->p.rows++;
}

static uint32_t kernel(struct costed *t, int64_t launch_us)
{
    return plant_work(
        &t->p, (struct planted_work){.launch_us = launch_us, .launch_dur_us = 1, .us = launch_us + 1000, .dur_us = 5});
}

static void an_operator_inside_another_counts_for_both(void **state)
{
    struct costed t = start();
    const uint32_t linear = call(&t, "aten::linear", "[[4, 16], [8, 16], [8]]", 0, 20);
    const uint32_t transpose = call(&t, "aten::t", "[[8, 16]]", 1, 2);
    const uint32_t addmm = call(&t, "aten::addmm", "[[8], [4, 16], [16, 8]]", 5, 10);
    const uint32_t work = kernel(&t, 8);
    finish(&t);
    assert_int_equal(op_costs_at(t.costs, linear).flops, 2 * 4 * 16 * 8);
    assert_int_equal(op_costs_at(t.costs, addmm).flops, 2 * 4 * 16 * 8);
    assert_int_equal(op_costs_at(t.costs, transpose).flops, -1);
    assert_false(op_costs_counts(t.costs, linear));
    assert_true(op_costs_counts(t.costs, addmm));
    assert_int_equal(op_costs_owner(t.costs, work), addmm);
    end(&t);
}

/* A bias gradient inside the gradient of a convolution: each counts, they are different work. */
static void a_small_operator_inside_a_product_takes_nothing_from_it(void **state)
{
    struct costed t = start();
    const uint32_t gradient =
        call(&t, "aten::convolution_backward", "[[1, 8, 4, 4], [1, 8, 4, 4], [8, 8, 3, 3]]", 0, 50);
    const uint32_t product = kernel(&t, 5);
    const uint32_t sum = call(&t, "aten::sum", "[[1, 8, 4, 4], []]", 20, 10);
    const uint32_t bias = kernel(&t, 25);
    finish(&t);
    assert_true(op_costs_counts(t.costs, gradient));
    assert_true(op_costs_counts(t.costs, sum));
    assert_int_equal(op_costs_owner(t.costs, product), gradient);
    assert_int_equal(op_costs_owner(t.costs, bias), sum);
    end(&t);
}

static void beside_device_work_tensors_of_the_host_do_not_count(void **state)
{
    struct costed t = start();
    const uint32_t host = call(&t, "aten::mm", "[[4, 16], [16, 8]]", 0, 20);
    const uint32_t device = call(&t, "aten::mm", "[[4, 16], [16, 8]]", 30, 20);
    kernel(&t, 35);
    finish(&t);
    assert_false(op_costs_counts(t.costs, host));
    assert_true(op_costs_counts(t.costs, device));
    end(&t);
}

static void without_device_work_those_of_the_host_count(void **state)
{
    struct costed t = start();
    const uint32_t linear = call(&t, "aten::linear", "[[4, 16], [8, 16], [8]]", 0, 20);
    const uint32_t addmm = call(&t, "aten::addmm", "[[8], [4, 16], [16, 8]]", 5, 10);
    const uint32_t copy = call(&t, "aten::copy_", "[[4, 8], [4, 8]]", 6, 2);
    finish(&t);
    assert_false(op_costs_counts(t.costs, linear));
    assert_true(op_costs_counts(t.costs, addmm));
    assert_true(op_costs_counts(t.costs, copy));
    end(&t);
}

static void a_cost_that_is_not_known_does_not_count(void **state)
{
    struct costed t = start();
    const uint32_t no_shapes = call(&t, "aten::mm", "", 0, 20);
    const uint32_t work = kernel(&t, 5);
    finish(&t);
    assert_int_equal(op_costs_at(t.costs, no_shapes).flops, -1);
    assert_false(op_costs_counts(t.costs, no_shapes));
    assert_int_equal(op_costs_owner(t.costs, work), ROW_NONE);
    end(&t);
}

static void what_the_profiler_counted_stands_in_for_a_missing_formula(void **state)
{
    struct costed t = start();
    struct event event = planted_event(&t.p, EVENT_OPERATOR, planted_thread(&t.p, PLANTED_MAIN), "aten::conv2d", 0, 20);
    event_set(&event, ATTR_FLOPS, 12345);
    trace_add(t.p.trace, &event);
    finish(&t);
    assert_int_equal(op_costs_at(t.costs, 0).flops, 12345);
    assert_true(op_costs_at(t.costs, 0).matrix);
    assert_true(op_costs_counts(t.costs, 0));
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operator_inside_another_counts_for_both),
        cmocka_unit_test(a_small_operator_inside_a_product_takes_nothing_from_it),
        cmocka_unit_test(beside_device_work_tensors_of_the_host_do_not_count),
        cmocka_unit_test(without_device_work_those_of_the_host_count),
        cmocka_unit_test(a_cost_that_is_not_known_does_not_count),
        cmocka_unit_test(what_the_profiler_counted_stands_in_for_a_missing_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
