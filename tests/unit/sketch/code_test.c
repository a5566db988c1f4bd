/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read again, whatever is expected; bytes that nobody wrote are damaged and give the least. */
#include "unit/cmocka_first.h"

#include "sketch/file/code.h"

static const int64_t numbers[] = {0, 1, -1, 63, -64, 64, 1 << 20, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void write_numbers(struct buf *into)
{
    struct code code = code_writer(into);
    for (int i = 0; i < NUMBERS; i++)
        for (int k = 0; k < NUMBERS; k++)
            code_int(&code, &(int64_t){numbers[i]}, numbers[k], INT64_MIN, INT64_MAX);
}

static void integers_are_read_whatever_is_expected(void **state)
{
    struct buf bytes = {0};
    write_numbers(&bytes);
    struct code code = code_reader(buf_str(&bytes), NULL);
    for (int i = 0; i < NUMBERS; i++)
        for (int k = 0; k < NUMBERS; k++) {
            int64_t value;
            code_int(&code, &value, numbers[k], INT64_MIN, INT64_MAX);
            assert_int_equal(value, numbers[i]);
        }
    assert_true(code_whole(&code));
    buf_free(&bytes);
}

static void what_is_expected_takes_a_byte(void **state)
{
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    code_int(&code, &(int64_t){INT64_MIN}, INT64_MIN, INT64_MIN, INT64_MAX);
    assert_int_equal(bytes.len, 1);
    buf_free(&bytes);
}

static void a_number_out_of_bounds_is_damage(void **state)
{
    struct buf bytes = {0};
    struct code out = code_writer(&bytes);
    code_int(&out, &(int64_t){-1}, 0, INT64_MIN, INT64_MAX);
    code_int(&out, &(int64_t){5}, 0, INT64_MIN, INT64_MAX);
    struct code in = code_reader(buf_str(&bytes), NULL);
    int64_t value;
    code_int(&in, &value, 0, 0, 10);
    assert_true(in.damaged);
    assert_int_equal(value, 0);
    code_int(&in, &value, 0, 3, 10);
    assert_int_equal(value, 3);
    assert_false(code_whole(&in));
    buf_free(&bytes);
}

static void a_count_of_more_than_there_are_bytes_is_damage(void **state)
{
    struct code in = code_reader(S("\x05"
                                   "abcd"),
                                 NULL);
    uint32_t count;
    code_count(&in, &count);
    assert_true(in.damaged);
    assert_int_equal(count, 0);
}

static void a_text_longer_than_the_rest_is_damage(void **state)
{
    struct code in = code_reader(S("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
                                   "abc"),
                                 NULL);
    str text;
    code_text(&in, &text);
    assert_true(in.damaged);
    assert_int_equal(text.len, 0);
}

static void a_varint_of_more_than_64_bits_is_damage(void **state)
{
    struct code in = code_reader(S("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"), NULL);
    uint64_t bits;
    code_bits(&in, &bits);
    assert_true(in.damaged);
}

static void code_noise_of(struct code *code, int64_t *value)
{
    struct arena scratch = {0};
    code_begin_noise(code, 1, &scratch);
    code_noise(code, 0, value, 7, (struct code_bounds){0, 100});
    arena_free(&scratch);
}

static void loose_noise_is_a_number_like_others(void **state)
{
    struct buf bytes = {0};
    struct code out = code_writer(&bytes), in;
    int64_t value = 8;
    out.loose = true;
    code_noise_of(&out, &value);
    assert_true(str_eq(buf_str(&bytes), S("\x02"))); /* one more than expected */
    in = code_reader(buf_str(&bytes), NULL);
    in.loose = true;
    code_noise_of(&in, &value);
    assert_int_equal(value, 8);
    assert_true(code_whole(&in));
    in = code_reader(S("\xFF\x03"), NULL); /* out of bounds */
    in.loose = true;
    code_noise_of(&in, &value);
    assert_int_equal(value, 0);
    assert_false(code_whole(&in));
    buf_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_read_whatever_is_expected),
        cmocka_unit_test(what_is_expected_takes_a_byte),
        cmocka_unit_test(a_number_out_of_bounds_is_damage),
        cmocka_unit_test(a_count_of_more_than_there_are_bytes_is_damage),
        cmocka_unit_test(a_text_longer_than_the_rest_is_damage),
        cmocka_unit_test(a_varint_of_more_than_64_bits_is_damage),
        cmocka_unit_test(loose_noise_is_a_number_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
