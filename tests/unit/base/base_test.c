/* SPDX-License-Identifier: Apache-2.0 */
/* The ground floor: texts, tables, sorting, statistics. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/stat.h"
#include "base/sum.h"
#include "unit/cmocka_first.h"

static void integers_are_read_whole_or_not_at_all(void **state)
{
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-17", true, -17},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"12a", false, 0},
        {"", false, 0},
        {"-", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        assert_int_equal(str_int(str_of(cases[i].text), &value), cases[i].good);
        if (cases[i].good)
            assert_int_equal(value, cases[i].value);
    }
}

static void a_text_is_cut_at_separators(void **state)
{
    str rest = S("a,,b"), part;
    const char *const expected[] = {"a", "", "b"};
    for (int i = 0; i < 3; i++) {
        assert_true(str_cut(&rest, ',', &part));
        assert_true(str_eq(part, str_of(expected[i])));
    }
    assert_false(str_cut(&rest, ',', &part));
}

static void what_could_harm_a_terminal_is_shown_as_text(void **state)
{
    struct arena arena = {0};
    const str shown = str_printable(&arena, S("a\x1b[31m\n\xc3\xa9\xff\xc2\x9b\xc0\xaf"));
    assert_string_equal(shown.at, "a\\x1b[31m\\n\xc3\xa9\\xff\\xc2\\x9b\\xc0\\xaf");
    const str turned = str_printable(&arena, S("x\u202ey\u2066\u200f\u061c\u05d0"));
    assert_true(str_eq(turned, S("x\\u202ey\\u2066\\u200f\\u061c\u05d0"))); /* letters of such scripts stay */
    arena_free(&arena);
}

static void equal_texts_have_equal_ids(void **state)
{
    struct intern *table = intern_new();
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            char text[24];
            snprintf(text, sizeof text, "aten::op_%d", i);
            assert_int_equal(intern_id(table, str_of(text)), i + 1);
        }
    assert_int_equal(intern_id(table, S("")), 0);
    assert_int_equal(intern_count(table), 20001);
    assert_string_equal(intern_text(table, 7).at, "aten::op_6");
    uint32_t id;
    assert_false(intern_find(table, S("never seen"), &id));
    intern_free(table);
}

static void a_map_keeps_the_last_value(void **state)
{
    struct map map = {0};
    assert_int_equal(map_get(&map, 1), MAP_NONE);
    for (uint32_t round = 0; round < 2; round++)
        for (int64_t i = -5000; i < 5000; i++)
            map_put(&map, i * 1000003, (uint32_t)(i + 5000) + round);
    assert_int_equal(map.count, 10000);
    for (int64_t i = -5000; i < 5000; i++)
        assert_int_equal(map_get(&map, i * 1000003), (uint32_t)(i + 5000) + 1);
    assert_int_equal(map_get(&map, 17), MAP_NONE);
    map_free(&map);
}

static void sorting_is_stable_for_any_keys(void **state)
{
    enum { N = 5000 };
    static struct keyed pairs[N];
    uint64_t random = 7;
    for (uint32_t i = 0; i < N; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int64_t key = (int64_t)random >> (i % 3 ? 50 : 0); /* small, large, negative, repeated */
        pairs[i] = (struct keyed){key, i};
    }
    sort_keyed(pairs, N);
    for (uint32_t i = 1; i < N; i++)
        assert_true(pairs[i - 1].key < pairs[i].key ||
                    (pairs[i - 1].key == pairs[i].key && pairs[i - 1].row < pairs[i].row));
    for (uint32_t i = 1; i < N; i++)
        if (pairs[i - 1].key < pairs[i].key) {
            assert_int_equal(keyed_below(pairs, N, pairs[i].key), i);
            assert_int_equal(keyed_below(pairs, N, pairs[i - 1].key + 1), i);
        }
}

static void quantiles_interpolate_between_ranks(void **state)
{
    int64_t samples[] = {40, 10, 20, 30};
    const struct stat_summary s = stat_summarise(samples, 4);
    assert_int_equal(s.sum, 100);
    assert_true(s.mean == 25 && s.p50 == 25 && s.min == 10 && s.max == 40);
    assert_true(stat_quantile(samples, 4, 0) == 10 && stat_quantile(samples, 4, 1) == 40);
    assert_int_equal(stat_summarise(NULL, 0).count, 0);
    int64_t large[] = {INT64_MAX - 1, INT64_MAX - 1, INT64_MAX - 1};
    const struct stat_summary beyond = stat_summarise(large, 3);
    assert_true(sum_is_beyond(beyond.sum) && beyond.mean == 0x1p63);
}

static void an_arena_gives_zeroed_memory_of_any_size(void **state)
{
    struct arena arena = {0};
    for (size_t size = 0; size < 3u << 20; size = size * 3 + 1) {
        char *p = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xFF, size);
    }
    arena_free(&arena);
    assert_int_equal(arena.bytes, 0);
}

/* There may be one for each of ten thousand ranks, with a few texts and one long list. */
static void an_arena_with_little_in_it_is_small(void **state)
{
    enum { LIST = 100 << 10, TEXTS = 20, TEXT = 48 };
    struct arena arena = {0};
    arena_alloc(&arena, LIST);
    for (int i = 0; i < TEXTS; i++)
        arena_alloc(&arena, TEXT);
    assert_true(arena.bytes - LIST <= 2 * TEXTS * TEXT + 128);
    arena_free(&arena);
    assert_int_equal(arena.filled, 0);
}

static jmp_buf out_of_memory;

static void leave(size_t bytes)
{
    longjmp(out_of_memory, 1);
}

static void memory_that_runs_out_is_told_in_one_place(void **state)
{
    const steptime_memory_handler before = steptime_on_out_of_memory(leave);
    struct arena arena = {0};
    int told = 0;
    if (!setjmp(out_of_memory))
        arena_array(&arena, SIZE_MAX / 2, 8);
    else
        told++;
    steptime_on_out_of_memory(before);
    assert_int_equal(told, 1);
}

static void an_error_names_the_file_and_the_byte(void **state)
{
    struct steptime_error err = {0};
    struct arena arena = {0};
    assert_false(fail_at(&err, STEPTIME_INPUT, S("a\nb.json"), 12, "no %s", "events"));
    assert_string_equal(error_line(&arena, &err).at, "a\\nb.json: byte 12: no events");
    assert_int_equal(err.code, STEPTIME_INPUT);
    assert_false((fail)(NULL, STEPTIME_USAGE, "nobody listens")); /* not the macro of cmocka */
    arena_free(&arena);
}

static void a_buffer_grows_with_its_text(void **state)
{
    struct buf buf = {0};
    for (int i = 0; i < 1000; i++)
        buf_printf(&buf, "%d,", i);
    buf_add(&buf, S("end"));
    assert_int_equal(buf.len, 3893);
    assert_true(str_ends(buf_str(&buf), S("999,end")));
    buf_free(&buf);
}

static void sums_stop_at_the_ends_of_their_range(void **state)
{
    int64_t sum = INT64_MAX - 2;
    sum_to(&sum, 1);
    assert_true(sum == INT64_MAX - 1 && !sum_is_beyond(sum));
    sum_to(&sum, 5);
    assert_true(sum_is_beyond(sum));
    assert_true(sum_add(INT64_MIN + 1, -7) == INT64_MIN && sum_add(INT64_MIN, INT64_MAX) == -1);
    assert_true(sum_rounded(2.5) == 3 && sum_rounded(-1e300) == INT64_MIN && sum_rounded(0x1p63) == INT64_MAX);
    assert_true(sum_rounded(NAN) == 0 && sum_clamp((int128_t)INT64_MAX + 1) == INT64_MAX);
}

static void times_are_found_before_and_after_equal_ones(void **state)
{
    static const struct {
        int32_t other;
        int64_t ns;
    } rows[] = {{9, -5}, {8, 3}, {7, 3}, {6, INT64_MAX}};
    enum { COUNT = sizeof rows / sizeof *rows };
    static const int64_t asked[] = {INT64_MIN, -5, -4, 3, 4, INT64_MAX - 1, INT64_MAX};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        size_t from = 0, after = 0;
        for (size_t row = 0; row < COUNT; row++) {
            from += rows[row].ns < asked[i];
            after += rows[row].ns <= asked[i];
        }
        assert_int_equal(search_time(rows, COUNT, sizeof *rows, offsetof(__typeof__(*rows), ns), asked[i]), from);
        assert_int_equal(search_after(rows, COUNT, sizeof *rows, offsetof(__typeof__(*rows), ns), asked[i]), after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_read_whole_or_not_at_all),
        cmocka_unit_test(a_text_is_cut_at_separators),
        cmocka_unit_test(what_could_harm_a_terminal_is_shown_as_text),
        cmocka_unit_test(equal_texts_have_equal_ids),
        cmocka_unit_test(a_map_keeps_the_last_value),
        cmocka_unit_test(times_are_found_before_and_after_equal_ones),
        cmocka_unit_test(sorting_is_stable_for_any_keys),
        cmocka_unit_test(quantiles_interpolate_between_ranks),
        cmocka_unit_test(an_arena_gives_zeroed_memory_of_any_size),
        cmocka_unit_test(an_arena_with_little_in_it_is_small),
        cmocka_unit_test(memory_that_runs_out_is_told_in_one_place),
        cmocka_unit_test(an_error_names_the_file_and_the_byte),
        cmocka_unit_test(a_buffer_grows_with_its_text),
        cmocka_unit_test(sums_stop_at_the_ends_of_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
