/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "io/writer.h"
#include "model/estimate/trees.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

enum { ROWS = 2000, FEATURES = 3 };

/* A step in one feature, a slope in the second; the third says nothing. */
static double truth(const double *x)
{
    return (x[0] < 0.4 ? -1 : 1) + 2 * x[1];
}

static struct trees_problem planted(void)
{
    double *features = arena_array(&arena, (size_t)ROWS * FEATURES, sizeof *features);
    double *target = arena_array(&arena, ROWS, sizeof *target);
    uint32_t state = 1;
    for (int i = 0; i < ROWS * FEATURES; i++) {
        state = state * 1664525u + 1013904223u;
        features[i] = state / 4294967296.0;
    }
    for (int i = 0; i < ROWS; i++)
        target[i] = truth(features + i * FEATURES);
    return (struct trees_problem){.features = features, .target = target, .rows = ROWS, .feature_count = FEATURES};
}

static const struct trees_options plain = {.trees = 80, .leaves = 8, .least_rows = 10, .rate = 0.2};

static double mean_error(const struct trees *trees, const struct trees_problem *problem)
{
    double sum = 0;
    for (uint32_t i = 0; i < problem->rows; i++)
        sum += fabs(trees_eval(trees, problem->features + i * FEATURES) - truth(problem->features + i * FEATURES));
    return sum / problem->rows;
}

static str text_of(const struct trees *trees)
{
    struct writer *out = writer_to_memory();
    trees_write(trees, out);
    const str text = str_copy(&arena, writer_text(out));
    writer_abandon(out);
    return text;
}

static bool add(struct trees *trees, const char *line)
{
    const char *problem;
    return trees_add_line(trees, str_of(line), &arena, &problem);
}

static void what_was_planted_is_found(void **state)
{
    const struct trees_problem problem = planted();
    const struct trees *trees = trees_fit(&problem, &plain, &arena);
    assert_true(mean_error(trees, &problem) < 0.02);
}

static void the_same_problem_gives_the_same_text(void **state)
{
    const struct trees_problem problem = planted();
    const str once = text_of(trees_fit(&problem, &plain, &arena));
    const str again = text_of(trees_fit(&problem, &plain, &arena));
    assert_true(once.len > 100 && str_eq(once, again));
}

static void what_is_read_back_evaluates_to_the_same_bits(void **state)
{
    const struct trees_problem problem = planted();
    const struct trees *fitted = trees_fit(&problem, &plain, &arena);
    struct trees *read = trees_new(FEATURES, &arena);
    str text = text_of(fitted);
    for (str line; str_cut(&text, '\n', &line);)
        assert_true(!line.len || add(read, str_z(&arena, str_from(line, strlen("tree ")))));
    assert_int_equal(trees_count(read), trees_count(fitted));
    for (uint32_t i = 0; i < ROWS; i++)
        assert_true(trees_eval(read, problem.features + i * FEATURES) ==
                    trees_eval(fitted, problem.features + i * FEATURES));
}

static void a_knee_keeps_wild_rows_from_deciding(void **state)
{
    struct trees_problem problem = planted();
    double *target = arena_array(&arena, ROWS, sizeof *target);
    for (int i = 0; i < ROWS; i++)
        target[i] = problem.target[i] + (i % 10 == 0 ? 30 : 0);
    problem.target = target;
    struct trees_options robust = plain;
    robust.knee = 0.1;
    assert_true(mean_error(trees_fit(&problem, &plain, &arena), &problem) > 1);
    assert_true(mean_error(trees_fit(&problem, &robust, &arena), &problem) < 0.3);
}

static void rows_of_more_weight_decide(void **state)
{
    double features[200], target[200], weight[200];
    for (int i = 0; i < 200; i++) {
        features[i] = 0;
        target[i] = i % 2;
        weight[i] = i % 2 ? 9 : 1;
    }
    features[0] = -1;
    features[199] = 1;
    const struct trees_problem problem = {features, target, weight, 200, 1};
    const struct trees_options options = {.trees = 200, .leaves = 2, .least_rows = 1, .rate = 0.3};
    const double middle = 0;
    const double mean = trees_eval(trees_fit(&problem, &options, &arena), &middle);
    assert_true(mean > 0.85 && mean < 0.95);
}

static void nothing_to_learn_gives_no_trees(void **state)
{
    const double features[4] = {1, 1, 1, 1}, target[4] = {1, 2, 3, 4};
    const struct trees_problem problem = {features, target, NULL, 4, 1};
    const struct trees *trees = trees_fit(&problem, &plain, &arena);
    assert_int_equal(trees_count(trees), 0);
    assert_true(trees_eval(trees, features) == 0);
}

static void a_line_reads_from_the_root_on_yes_first(void **state)
{
    struct trees *trees = trees_new(2, &arena);
    assert_true(add(trees, "1<0.5 -1 0<2 3 4"));
    assert_true(add(trees, "10"));
    assert_true(trees_eval(trees, (double[]){0, 0.4}) == 9);
    assert_true(trees_eval(trees, (double[]){1.9, 0.5}) == 13);
    assert_true(trees_eval(trees, (double[]){2, 0.5}) == 14);
    assert_true(trees_eval(trees, (double[]){NAN, NAN}) == 14);
}

static void damaged_lines_are_refused_and_add_nothing(void **state)
{
    static const char *const damaged[] = {
        "",        "1<0.5 -1", "2<0.5 1 1", "-1<0.5 1 1", "1<nan 1 1",         "1<0.5 inf 1", "1<0.5 1 1 1",
        "1<x 1 1", "<1 1 1",   "1< 1 1",    "1<1<1 1 1",  "99999999999<1 1 1",
    };
    struct trees *trees = trees_new(2, &arena);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        assert_false(add(trees, damaged[i]));
    assert_int_equal(trees_count(trees), 0);
}

static void a_tree_of_too_many_nodes_is_refused(void **state)
{
    struct buf line = {0};
    for (int i = 0; i < 100000; i++)
        buf_add(&line, S("0<1 "));
    const char *problem;
    assert_false(trees_add_line(trees_new(1, &arena), buf_str(&line), &arena, &problem));
    assert_string_equal(problem, "has too many nodes");
    buf_free(&line);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_was_planted_is_found, clear),
        cmocka_unit_test_teardown(the_same_problem_gives_the_same_text, clear),
        cmocka_unit_test_teardown(what_is_read_back_evaluates_to_the_same_bits, clear),
        cmocka_unit_test_teardown(a_knee_keeps_wild_rows_from_deciding, clear),
        cmocka_unit_test_teardown(rows_of_more_weight_decide, clear),
        cmocka_unit_test_teardown(nothing_to_learn_gives_no_trees, clear),
        cmocka_unit_test_teardown(a_line_reads_from_the_root_on_yes_first, clear),
        cmocka_unit_test_teardown(damaged_lines_are_refused_and_add_nothing, clear),
        cmocka_unit_test_teardown(a_tree_of_too_many_nodes_is_refused, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
