/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a group as a dry run tells them. */
#include "unit/cmocka_first.h"

#include "ops/rows/collective.h"

static void members_are_counted(void **state)
{
    assert_int_equal(collective_members(S("0-15")), 16);
    assert_int_equal(collective_members(S("7")), 1);
    assert_int_equal(collective_members(S("0-56:8")), 8);
    assert_int_equal(collective_members(S("0-3,8-11")), 8);
    assert_int_equal(collective_members(S("0-1023")), 1024);
}

static void those_of_one_server_are_near(void **state)
{
    assert_int_equal(collective_members_near(S("0-15"), 8), 8);
    assert_int_equal(collective_members_near(S("0-3"), 8), 4);
    assert_int_equal(collective_members_near(S("0-56:8"), 8), 1);
    assert_int_equal(collective_members_near(S("0-62:2"), 8), 4);
    assert_int_equal(collective_members_near(S("9-15:2"), 8), 4); /* the second server */
    assert_int_equal(collective_members_near(S("0-1,4-5,8-9"), 8), 4);
}

static void what_is_no_list_has_none(void **state)
{
    assert_int_equal(collective_members(S("")), 0);
    assert_int_equal(collective_members(S("a-b")), 0);
    assert_int_equal(collective_members(S("5-1")), 0);
    assert_int_equal(collective_members(S("0-9:0")), 0);
    assert_int_equal(collective_members(S("0-99999999999999999999")), 0);
    assert_int_equal(collective_members_near(S("0-15"), 0), 0);
    assert_int_equal(collective_members_near(S("-"), 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_counted),
        cmocka_unit_test(those_of_one_server_are_near),
        cmocka_unit_test(what_is_no_list_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
