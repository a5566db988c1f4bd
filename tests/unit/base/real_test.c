/* SPDX-License-Identifier: Apache-2.0 */
/* Reals as text: the reader against the C library's, which is slow and right; the writer against the reader. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"

static uint64_t seed = 88172645463325252;

static uint64_t chance(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void check(const char *text)
{
    double value = -1;
    const double expected = strtod(text, NULL);
    assert_int_equal(real_prefix(str_of(text), &value), strlen(text));
    if (memcmp(&value, &expected, sizeof value))
        fail_msg("'%s' is read as %a, not %a", text, value, expected);
}

static void numbers_by_hand_are_rounded_as_strtod_does(void **state)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.000000000000000000000000e9",
                                        "1",
                                        "+7",
                                        "0.1",
                                        "1e22",
                                        "1e23",
                                        "-1.5E-3",
                                        ".5",
                                        "5.",
                                        "5.e3",
                                        "9007199254740993",
                                        "9007199254740995",
                                        "9007199254740992.5",
                                        "9007199254740993e0",
                                        "9007199254740993e1",
                                        "0.30000000000000004",
                                        "123456789012345678901234567890",
                                        "4.9406564584124654e-324",
                                        "2.2250738585072011e-308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "8.5e-27",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9223372036854775808",
                                        "1.00000000000000011102230246251565404",
                                        "00000000000000000000000001.5",
                                        "0.0000000000000000000000000000000000015",
                                        "1e-400",
                                        "1e400",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "9999999999999999999e64",
                                        "9999999999999999999e-64",
                                        "1e65",
                                        "1e-65"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i]);
}

static void every_power_of_ten_is_right(void **state)
{
    for (int power = -70; power <= 70; power++)
        for (int i = 0; i < 2000; i++) {
            char text[64];
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)(chance() >> chance() % 64), power);
            check(text);
        }
}

static void random_doubles_come_back(void **state)
{
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = chance();
        double value;
        memcpy(&value, &bits, sizeof value);
        char text[64];
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", 16 + (int)(chance() % 3), value);
        check(text);
        snprintf(text, sizeof text, "%.*f", (int)(chance() % 12), (double)(chance() >> 20) / 1e6);
        check(text);
        snprintf(text, sizeof text, "%.*g", (int)(chance() % 20), (double)(chance() >> 11) / 3 / 1e6);
        check(text);
    }
}

/* The exact middle between two doubles, and its neighbours in the last of very many digits. */
static void the_middle_between_two_doubles_goes_to_the_even_one(void **state)
{
    for (int i = 0; i < 20000; i++) {
        const int power = (int)(chance() % 120) - 60;
        const uint64_t odd = (chance() >> 10) | (uint64_t)1 << 53 | 1; /* 54 bits, the last of which is the half */
        char text[256];
        snprintf(text, sizeof text, "%.*Lf", power < 0 ? -power : 0, ldexpl((long double)odd, power));
        check(text);
        const size_t len = strlen(text);
        text[len - 1] = (char)(text[len - 1] == '9' ? '8' : text[len - 1] + 1);
        check(text);
        snprintf(text, sizeof text, "%.18Le", ldexpl((long double)odd, power)); /* 19 digits: just beside it */
        check(text);
    }
}

static void a_long_text_is_read_whole(void **state)
{
    char text[3000];
    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    memcpy(text + sizeof text - 20, "123456789e2980", 15);
    check(text);
    memset(text, '7', sizeof text);
    text[sizeof text - 1] = 0;
    check(text);
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const texts[] = {"",     " ",     "-",         ".",        "e5",  "1e",    "1e+",
                                        "0x10", "inf",   "nan",       "1,5",      "1 2", "1e400", "--1",
                                        "1..2", "1e5.0", "12345678a", "1234567:", "-.",  "+",     "/2345678"};
    double value = 42;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(real_read(str_of(texts[i]), &value));
    assert_true(value == 42);
}

static void a_number_ends_where_its_unit_begins(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        double value;
    } cases[] = {
        {"12 GB", 2, 12}, {"2e9x", 3, 2e9}, {"2eV", 1, 2}, {"1.5e+", 3, 1.5}, {"1.2.3", 3, 1.2}, {"3,5", 1, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        assert_int_equal(real_prefix(str_of(cases[i].text), &value), cases[i].length);
        assert_true(value == cases[i].value);
    }
}

static void hexadecimal_keeps_every_bit(void **state)
{
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = i < 2000 ? chance() & 0x800FFFFFFFFFFFFF : chance();
        double value, back;
        char text[64];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%a", value);
        assert_true(real_read_hex(str_of(text), &back));
        assert_memory_equal(&back, &value, sizeof value);
    }
    double value;
    assert_true(real_read_hex(S("nan"), &value) && isnan(value));
    assert_true(real_read_hex(S("-inf"), &value) && value == -INFINITY);
    static const char *const bad[] = {"",     "-",      "0x",     "1.5",      "0xp1",    "0x1",
                                      "0x1p", "0x1gp1", "0x1p1x", "infinity", "0x1..8p1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(real_read_hex(str_of(bad[i]), &value));
}

static void what_is_written_is_read_back_the_same(void **state)
{
    for (int i = 0; i < 50000; i++) {
        const uint64_t bits = chance();
        double value, back;
        char room[REAL_ROOM];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        const str text = real_text(value, room);
        assert_true(text.len < REAL_ROOM);
        assert_true(real_read(text, &back));
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void rounding_keeps_so_many_digits(void **state)
{
    assert_true(real_rounded(1.23456, 3) == 1.23);
    assert_true(real_rounded(-98765, 2) == -99000);
    assert_true(real_rounded(0, 3) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_by_hand_are_rounded_as_strtod_does),
        cmocka_unit_test(every_power_of_ten_is_right),
        cmocka_unit_test(random_doubles_come_back),
        cmocka_unit_test(the_middle_between_two_doubles_goes_to_the_even_one),
        cmocka_unit_test(a_long_text_is_read_whole),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(a_number_ends_where_its_unit_begins),
        cmocka_unit_test(hexadecimal_keeps_every_bit),
        cmocka_unit_test(what_is_written_is_read_back_the_same),
        cmocka_unit_test(rounding_keeps_so_many_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
