/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of time against a bitmap of nanoseconds, the slow way that cannot be wrong. */
#include <stdbool.h>

#include "base/span.h"
#include "unit/cmocka_first.h"

enum { WORLD = 200, ROUNDS = 2000 };

struct bitmap {
    bool at[WORLD];
};

static uint64_t seed = 1;

static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}

static void random_set(struct spans *set, struct bitmap *bits)
{
    *bits = (struct bitmap){0};
    spans_clear(set);
    for (int64_t n = below(8); n > 0; n--) {
        const int64_t start = below(WORLD), end = start + below(WORLD - start + 1);
        spans_add(set, start, end);
        for (int64_t i = start; i < end; i++)
            bits->at[i] = true;
    }
    spans_tidy(set);
}

/* The set is sorted, disjoint, without touching spans, and covers just the bitmap. */
static void check(const struct spans *set, const struct bitmap *bits)
{
    struct bitmap found = {0};
    int64_t length = 0;
    for (size_t i = 0; i < set->count; i++) {
        assert_true(set->at[i].start_ns < set->at[i].end_ns);
        assert_true(i == 0 || set->at[i - 1].end_ns <= set->at[i].start_ns);
        for (int64_t t = set->at[i].start_ns; t < set->at[i].end_ns; t++)
            found.at[t] = true;
        length += set->at[i].end_ns - set->at[i].start_ns;
    }
    assert_memory_equal(&found, bits, sizeof found);
    assert_int_equal(spans_length(set), length);
}

static void the_algebra_equals_that_of_bitmaps(void **state)
{
    struct spans a = {0}, b = {0}, out = {0};
    for (int round = 0; round < ROUNDS; round++) {
        struct bitmap x, y, sum, rest, both;
        random_set(&a, &x);
        random_set(&b, &y);
        for (int i = 0; i < WORLD; i++) {
            sum.at[i] = x.at[i] || y.at[i];
            rest.at[i] = x.at[i] && !y.at[i];
            both.at[i] = x.at[i] && y.at[i];
        }
        check(&a, &x);
        spans_union(&a, &b, &out);
        check(&out, &sum);
        spans_minus(&a, &b, &out);
        check(&out, &rest);
        const int64_t minus = spans_length(&out);
        spans_and(&a, &b, &out);
        check(&out, &both);
        assert_int_equal(spans_length(&a), minus + spans_length(&out));
    }
    spans_free(&a);
    spans_free(&b);
    spans_free(&out);
}

static void a_window_cuts_exactly(void **state)
{
    struct spans set = {0}, window = {0}, out = {0};
    for (int round = 0; round < ROUNDS; round++) {
        struct bitmap bits, cut = {0};
        random_set(&set, &bits);
        const int64_t start = below(WORLD), end = start + below(WORLD - start + 1);
        for (int64_t i = start; i < end; i++)
            cut.at[i] = bits.at[i];
        spans_clear(&window);
        spans_add(&window, start, end);
        spans_and(&set, &window, &out);
        check(&out, &cut);
        assert_int_equal(spans_length_within(&set, start, end), spans_length(&out));
    }
    spans_free(&set);
    spans_free(&window);
    spans_free(&out);
}

static void empty_and_backward_spans_are_nothing(void **state)
{
    struct spans set = {0};
    spans_add(&set, 5, 5);
    spans_add(&set, 9, 3);
    spans_tidy(&set);
    assert_int_equal(set.count, 0);
    assert_int_equal(spans_find(&set, 4), 0);
    spans_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_algebra_equals_that_of_bitmaps),
        cmocka_unit_test(a_window_cuts_exactly),
        cmocka_unit_test(empty_and_backward_spans_are_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
