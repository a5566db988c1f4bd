/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by path: each nanosecond is that of one path, and what a sketch holds of them is read again. */
#include "unit/cmocka_first.h"

#include "sketch/numbers/operators_sketch.h"
#include "unit/planted.h"

enum { STEPS = 2, STEP_US = 1000 };

/* A step: linear (100) with addmm (60) in it that launches 200 of device work, and addmm (30) alone. */
static struct trace *planted_trace(void)
{
    struct planted p = planted_new();
    for (int step = 0; step < STEPS; step++) {
        const int64_t at = step * STEP_US;
        plant_step(&p, step, at, STEP_US);
        plant_host(&p, EVENT_OPERATOR, "linear", at + 10, 100);
        plant_host(&p, EVENT_OPERATOR, "addmm", at + 20, 60);
        plant_linked(&p, EVENT_RUNTIME, planted_thread(&p, PLANTED_MAIN), "cudaLaunchKernel", at + 30, 5, step + 1);
        plant_linked(&p, EVENT_KERNEL, planted_stream(&p, 0, 7), "sgemm", at + 40, 200 + step, step + 1);
        plant_host(&p, EVENT_OPERATOR, "addmm", at + 300, 30);
    }
    trace_finish(p.trace);
    return p.trace;
}

static void check(const struct operator_paths *paths)
{
    assert_int_equal(paths->count, 3);
    assert_int_equal(paths->steps, STEPS);
    const struct operator_path *linear = &paths->at[0], *inside = &paths->at[1], *alone = &paths->at[2];
    assert_true(str_eq(linear->name, S("linear")) && linear->parent == PATH_OUTERMOST);
    assert_true(str_eq(inside->name, S("addmm")) && inside->parent == 0);
    assert_true(str_eq(alone->name, S("addmm")) && alone->parent == PATH_OUTERMOST);
    assert_int_equal(linear->host_ns, STEPS * 40 * 1000);
    assert_int_equal(inside->host_ns, STEPS * 60 * 1000);
    assert_int_equal(alone->host_ns, STEPS * 30 * 1000);
    assert_int_equal(inside->device_ns, 401 * 1000);
    assert_int_equal(inside->step_ns[0], 200 * 1000);
    assert_int_equal(inside->step_ns[1], 201 * 1000);
    assert_int_equal(inside->calls, STEPS);
}

static void time_is_that_of_one_path_and_is_read_again(void **state)
{
    struct arena arena = {0};
    struct operator_paths again;
    struct trace *trace = planted_trace();
    const struct operator_paths paths = operator_paths_of(trace, &(struct selection){0}, &arena);
    trace_free(trace);
    check(&paths);
    const struct sketch sketch = {.sections[SKETCH_OPERATORS] = operators_sketch_write(&paths, &arena)};
    assert_true(operators_sketch_read(&sketch, &arena, &again, NULL));
    check(&again);
    arena_free(&arena);
}

static void of_very_many_the_largest_are_kept(void **state)
{
    enum { MANY = 20000 };
    struct arena arena = {0};
    struct operator_paths again,
        paths = {.at = arena_array(&arena, MANY, sizeof *paths.at), .count = MANY, .found = MANY};
    int64_t times[STEPS] = {5000000, 4000000};
    paths.steps = STEPS;
    for (uint32_t i = 0; i < MANY; i++)
        paths.at[i] = (struct operator_path){
            .name = str_printf(&arena, "operator %u", i), .parent = i ? i - 1 : PATH_OUTERMOST, .step_ns = times};
    const struct sketch sketch = {.sections[SKETCH_OPERATORS] = operators_sketch_write(&paths, &arena)};
    assert_in_range(sketch.sections[SKETCH_OPERATORS].len, SKETCH_OPERATOR_BYTES / 2, SKETCH_OPERATOR_BYTES);
    assert_true(operators_sketch_read(&sketch, &arena, &again, NULL));
    assert_int_equal(again.found, MANY);
    assert_in_range(again.count, 1000, MANY - 1);
    assert_true(str_eq(again.at[again.count - 1].name, paths.at[again.count - 1].name));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_that_of_one_path_and_is_read_again),
        cmocka_unit_test(of_very_many_the_largest_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
