/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers come back as they were put, whatever they are; and take about as many bits as they hold. */
#include "unit/cmocka_first.h"

#include "sketch/file/noise.h"

enum { NUMBERS = 20000, COLUMNS = 3 };

static uint64_t state;

static uint64_t random_bits(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33 ^ state << 31;
}

/* Of all sizes alike. */
static int64_t any_number(void)
{
    const uint64_t bits = random_bits();
    return (int64_t)(bits >> random_bits() % 64);
}

static const int64_t ends[] = {0,    1,   -1, 2, -2, INT64_MAX, INT64_MIN, INT64_MIN + 1, 1ll << 62, -(1ll << 62),
                               0x7F, 0x80};
enum { ENDS = sizeof ends / sizeof *ends };

static void numbers_come_back(void **context)
{
    struct arena arena = {0};
    int64_t *numbers = arena_array(&arena, NUMBERS, sizeof *numbers);
    struct noise *out = noise_writer(COLUMNS, &arena);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        numbers[i] = i < ENDS ? ends[i] : any_number();
        noise_put(out, i % COLUMNS, numbers[i]);
    }
    const str bytes = noise_bytes(out, &arena);
    struct noise *in = noise_reader(bytes, COLUMNS, &arena);
    for (uint32_t i = 0; i < NUMBERS; i++)
        assert_int_equal(noise_get(in, i % COLUMNS), numbers[i]);
    assert_true(noise_whole(in));
    arena_free(&arena);
}

static size_t bytes_of(int64_t least, int64_t most)
{
    struct arena arena = {0};
    struct noise *out = noise_writer(1, &arena);
    for (uint32_t i = 0; i < NUMBERS; i++)
        noise_put(out, 0, least + (int64_t)(random_bits() % (uint64_t)(most - least + 1)));
    const size_t bytes = noise_bytes(out, &arena).len;
    arena_free(&arena);
    return bytes;
}

static void numbers_take_the_bits_that_they_hold(void **context)
{
    assert_in_range(bytes_of(0, 0), 0, NUMBERS / 200);
    assert_in_range(bytes_of(7777, 7777), 0,
                    NUMBERS * 101 / 100); /* the first bits are learnt, eight stand as they are */
    assert_in_range(bytes_of(0, 1), NUMBERS / 8, NUMBERS / 8 * 104 / 100);
    assert_in_range(bytes_of(40000, 48191), 13 * NUMBERS / 8, 13 * NUMBERS / 8 * 103 / 100);
    assert_in_range(bytes_of(-512, 511), 10 * NUMBERS / 8, 10 * NUMBERS / 8 * 104 / 100);
}

static void nothing_takes_nothing(void **context)
{
    struct arena arena = {0};
    const str bytes = noise_bytes(noise_writer(1, &arena), &arena);
    assert_int_equal(bytes.len, 0);
    assert_true(noise_whole(noise_reader(bytes, 1, &arena)));
    arena_free(&arena);
}

/* Cut anywhere it is not whole, and reading on does no harm. */
static void what_is_cut_is_not_whole(void **context)
{
    struct arena arena = {0};
    struct noise *out = noise_writer(1, &arena);
    for (int64_t i = 0; i < 40; i++)
        noise_put(out, 0, i * 1001);
    const str bytes = noise_bytes(out, &arena);
    for (size_t len = 0; len < bytes.len; len++) {
        struct noise *in = noise_reader((str){bytes.at, len}, 1, &arena);
        for (int i = 0; i < 400; i++)
            noise_get(in, 0);
        assert_false(noise_whole(in));
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(numbers_take_the_bits_that_they_hold),
        cmocka_unit_test(nothing_takes_nothing),
        cmocka_unit_test(what_is_cut_is_not_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
