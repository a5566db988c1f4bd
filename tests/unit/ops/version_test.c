/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of libraries: their order, and what is none. */
#include "unit/cmocka_first.h"

#include "ops/words/version.h"

static void later_versions_are_larger(void **state)
{
    static const char *const order[] = {"0.5.10",    "0.5.14",    "0.14.0", "0.24.0", "1.0.0",
                                        "1.3.0rc15", "1.3.0rc20", "1.3.0",  "2.23",   "2.29.2"};
    for (size_t i = 1; i < sizeof order / sizeof *order; i++)
        assert_true(version_of_word(str_of(order[i - 1])) < version_of_word(str_of(order[i])));
    assert_true(version_of_word(S("2.23")) == version_of_word(S("2.23.0")));
    assert_true(version_of_word(S("v0.24.0")) == version_of_word(S("0.24.0")));
}

static void what_is_no_version_is_told(void **state)
{
    static const char *const none[] = {"new", "1..2", "1.2.3.4", "1.3.0rc", "12345.0", "0.24.0+cu", "-1", ".5", "v"};
    assert_true(version_of_word(S("")) == VERSION_UNTOLD);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(version_of_word(str_of(none[i])) == VERSION_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_versions_are_larger),
        cmocka_unit_test(what_is_no_version_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
